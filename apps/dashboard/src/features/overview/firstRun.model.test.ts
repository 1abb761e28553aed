import { describe, expect, it } from 'vitest';
import { snapshotWith } from '../../testing/snapshots.ts';
import { firstRun } from './firstRun.messages.ts';
import { readyFactsOf } from './firstRun.model.ts';

const words = firstRun.en;

describe('readyFactsOf', () => {
  it('leaves out what the server has not told yet', () => {
    const facts = readyFactsOf({ snapshot: snapshotWith(), workers: undefined, readiness: undefined, authenticated: false, words });
    expect(facts.map((fact) => fact.id)).toEqual(['workers', 'tokens']);
  });
  it('tells good from absent', () => {
    const facts = readyFactsOf({
      snapshot: snapshotWith({ workers: { count: 0, slots: 0, busy: 0 } }),
      workers: [],
      readiness: { status: 'ready', redis: 'up', engines: ['auto', 'onnx'], formats: ['json'], version: '0.1.0' },
      authenticated: true,
      words,
    });
    expect(facts.map(({ id, good }) => `${id} ${good}`)).toEqual([
      'redis true',
      'workers false',
      'onnx true',
      'glm-ocr false',
      'tokens true',
    ]);
  });
});
