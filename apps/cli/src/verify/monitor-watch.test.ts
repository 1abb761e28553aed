import { describe, expect, it } from 'vitest';
import { InterleavingCount, locksNamed } from './monitor-watch.ts';

describe('a command seen in MONITOR', () => {
  it('names the shards of its lock keys, and nothing else of it is kept', () => {
    expect(locksNamed(['SET', 'lock:job:my-queue-shard-07:{my-queue:shard-07}:id', 'worker#1', 'PX', '30000'])).toEqual([
      { queue: 'my-queue', shard: '07' },
    ]);
    expect(locksNamed(['DEL', 'lock:job:q-shard-00:{q:shard-00}:a', 'lock:job:q-shard-01:{q:shard-01}:b'])).toEqual([
      { queue: 'q', shard: '00' },
      { queue: 'q', shard: '01' },
    ]);
    expect(locksNamed(['GET', 'galley:{q:shard-00}:result:x'])).toEqual([]);
    expect(locksNamed(['SCAN', '0', 'MATCH', 'lock:job:*'])).toEqual([]);
  });
});

describe('interleaving', () => {
  it('counts how often the shard changes', () => {
    const count = new InterleavingCount();
    for (const shard of ['00', '00', '01', '00', '02', '02']) count.add(shard);
    expect(count.result).toEqual({ sightings: new Map(Object.entries({ '00': 3, '01': 1, '02': 2 })), switches: 3 });
  });
});
