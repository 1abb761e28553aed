// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useStore } from '../../store/store.ts';
import { snapshotWith } from '../../testing/snapshots.ts';
import { type Group, groupsOf } from './groups.model.ts';
import { useToldAgain } from './useDeadLetters.ts';

const read = (count: number): readonly Group[] => groupsOf({ corrupt_document: { count, per_hour: [count] } });

const tell = (count: number): void =>
  act(() =>
    useStore
      .getState()
      .received({ kind: 'dead_letters', deadLetters: { queue: 'ocr', total: count, by_code: { corrupt_document: count } } }, 0),
  );

const tick = (second: number): void =>
  act(() => useStore.getState().received({ kind: 'snapshot', snapshot: snapshotWith({ at: `2026-11-30T14:31:0${second}.000Z` }) }, 0));

let reloads: number;
const reload = (): void => {
  reloads += 1;
};

beforeEach(() => {
  reloads = 0;
  tick(0);
  tell(3);
});
afterEach(cleanup);

describe('dead letters are read again', () => {
  it('whenever the wire tells of them, with the same counts too', () => {
    renderHook(() => useToldAgain(read(3), reload));
    tell(3);
    expect(reloads).toBe(1);
    tick(1);
    expect(reloads).toBe(1);
    tell(2);
    expect(reloads).toBe(2);
  });

  it('where what was read in the middle of a change differs from what was told before it, once an answer', () => {
    const { rerender } = renderHook(({ groups }) => useToldAgain(groups, reload), { initialProps: { groups: read(2) } });
    tick(2);
    expect(reloads).toBe(1);
    tick(3);
    expect(reloads).toBe(1);
    rerender({ groups: read(0) });
    tick(4);
    expect(reloads).toBe(2);
    rerender({ groups: read(3) });
    tick(5);
    expect(reloads).toBe(2);
  });
});
