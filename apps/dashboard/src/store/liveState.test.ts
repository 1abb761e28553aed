import { describe, expect, it } from 'vitest';
import { parseServerEvent } from '../api/parsing.ts';
import { snapshotWith } from '../testing/snapshots.ts';
import { applyEvent, EMPTY_LIVE_STATE, forgetTask, type LiveState, MOMENTS_KEPT } from './liveState.ts';

const at = (seconds: number): string => new Date(Date.parse('2026-11-30T14:00:00.000Z') + seconds * 1_000).toISOString();
const after = (state: LiveState, ...seconds: number[]): LiveState =>
  seconds.reduce((now, second) => applyEvent(now, { kind: 'snapshot', snapshot: snapshotWith({ at: at(second) }) }), state);

describe('applyEvent', () => {
  it('takes the newest snapshot and leaves an older one out', () => {
    const state = after(EMPTY_LIVE_STATE, 5);
    expect(after(state, 4)).toBe(state);
    expect(after(state, 6).snapshot?.at).toBe(at(6));
  });

  it('keeps one moment each ten seconds, and the newest always', () => {
    const state = after(EMPTY_LIVE_STATE, ...Array.from({ length: 36 }, (_, index) => index));
    expect(state.moments.map((moment) => moment.at - Date.parse(at(0)))).toEqual([0, 10_000, 20_000, 30_000, 35_000]);
  });

  it('keeps a quarter of an hour at most', () => {
    const state = after(EMPTY_LIVE_STATE, ...Array.from({ length: 200 }, (_, index) => index * 10));
    expect(state.moments).toHaveLength(MOMENTS_KEPT);
    expect(state.moments.at(-1)?.at).toBe(Date.parse(at(1_990)));
  });

  it('begins anew with another queue', () => {
    const other = applyEvent(after(EMPTY_LIVE_STATE, 1, 12), { kind: 'snapshot', snapshot: snapshotWith({ at: at(2), queue: 'glm-ocr' }) });
    expect(other.snapshot?.queue).toBe('glm-ocr');
    expect(other.moments).toHaveLength(1);
  });

  it('leaves dead letters of another queue out', () => {
    const state = after(EMPTY_LIVE_STATE, 1);
    expect(applyEvent(state, { kind: 'dead_letters', deadLetters: { queue: 'glm-ocr', total: 3, by_code: {} } })).toBe(state);
    expect(applyEvent(state, { kind: 'dead_letters', deadLetters: { queue: 'ocr', total: 3, by_code: {} } }).deadLetters?.total).toBe(3);
  });

  it('keeps operations by id and forgets tasks on demand', () => {
    const operation = { operation_id: 'op-1', state: 'running', done: 1, total: 2 } as const;
    const state = applyEvent(EMPTY_LIVE_STATE, { kind: 'operation', operation });
    expect(state.operations['op-1']).toEqual(operation);
    expect(forgetTask(state, 'ocr-00-000000000001-abcdef')).toBe(state);
  });
});

describe('parseServerEvent', () => {
  it('parses what the contract allows and refuses the rest', () => {
    expect(parseServerEvent('snapshot', snapshotWith())?.kind).toBe('snapshot');
    expect(parseServerEvent('snapshot', { at: 'now' })).toBeNull();
    expect(parseServerEvent('dead_letters', { queue: 'ocr', total: -1, by_code: {} })).toBeNull();
  });
});
