import { describe, expect, it } from 'vitest';
import { InterleavingCount, locksMoved } from './monitor-watch.ts';

describe('a command seen in MONITOR', () => {
  it('says on which shards it takes or drops locks, and nothing else of it is kept', () => {
    expect(locksMoved(['SET', 'lock:job:my-queue-shard-07:{my-queue:shard-07}:id', 'worker#1', 'PX', '30000'])).toEqual([
      { queue: 'my-queue', shard: '07' },
    ]);
    expect(locksMoved(['DEL', 'lock:job:q-shard-00:{q:shard-00}:a', 'lock:job:q-shard-01:{q:shard-01}:b'])).toEqual([
      { queue: 'q', shard: '00' },
      { queue: 'q', shard: '01' },
    ]);
    expect(locksMoved(['GET', 'galley:{q:shard-00}:result:x'])).toEqual([]);
    expect(locksMoved(['PTTL', 'lock:job:q-shard-00:{q:shard-00}:a'])).toEqual([]);
    expect(locksMoved(['evalsha', 'sha', '1', 'lock:job:q-shard-00:{q:shard-00}:'])).toEqual([]);
    expect(locksMoved(['SCAN', '0', 'MATCH', 'lock:job:*'])).toEqual([]);
  });
});

describe('interleaving', () => {
  it('counts how often the shard changes', () => {
    const count = new InterleavingCount();
    for (const shard of ['00', '00', '01', '00', '02', '02']) count.add(shard);
    expect(count.result).toEqual({ sightings: new Map(Object.entries({ '00': 3, '01': 1, '02': 2 })), switches: 3 });
  });
});
