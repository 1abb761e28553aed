import { describe, expect, it } from 'vitest';
import { prepareCall } from '../redis/connection.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { parseRank, rankScript } from './rank.ts';

const suite = schedulerSuite();

describe('rank', () => {
  it('counts those before a task of its own shard and of another, and changes nothing', async () => {
    const { scheduler, given, changes } = await suite.open();
    const ids = [await given.pending({ priority: 5 }), await given.pending({ priority: 7 }), await given.pending({ priority: 7 })];
    const running = await given.processing({ priority: 1 });
    const rows = [
      { score: '7', id: ids[2] ?? '' },
      { score: '7', id: '' },
      { score: '7.5', id: '' },
      { score: '1', id: running.id },
      { score: '9', id: '' },
    ];
    const changed = await changes(async () => {
      const call = (limit: number) => prepareCall(rankScript, { pending: scheduler.shard.keys.pending }, { limit }, rows);
      const { calls } = await suite.connection.roundTrip([call(10), call(2)], []);
      const ranks = calls.map((words) => (words instanceof Error ? words : parseRank(words)));
      const of = (better: number, same: number) => ({ better, same });
      expect(ranks).toEqual([
        [of(1, 1), of(1, 2), of(3, 0), null, of(3, 0)],
        [of(1, 1), of(1, 2)],
      ]);
    });
    expect(changed).toEqual({});
  });
});
