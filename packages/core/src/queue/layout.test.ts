import calculateSlot from 'cluster-key-slot';
import { describe, expect, it } from 'vitest';
import { shardTag } from '../redis/keys.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { findLayout, openLayout, queueNames } from './layout.ts';

const suite = schedulerSuite();

describe('a queue’s layout', () => {
  it('is fixed by who creates it; a process that asks for another is told so and uses the stored one', async () => {
    await openLayout(suite.connection, 'fixed', { shards: 4, order: 'aging' });
    const said: string[] = [];
    const layout = await openLayout(suite.connection, 'fixed', {
      shards: 16,
      order: 'strict',
      onDisagreement: (sentence) => said.push(sentence),
    });
    expect(layout).toMatchObject({ shards: 4, order: 'aging', lockKeys: true });
    expect(said).toEqual([
      'queue fixed was created with shards 4, which is used; 16 was asked for',
      'queue fixed was created with order aging, which is used; strict was asked for',
    ]);
  });

  it('is the same for all who race to create it', async () => {
    const layouts = await Promise.all([2, 4, 8].map((shards) => openLayout(suite.connection, 'raced', { shards })));
    expect(new Set(layouts.map((layout) => layout.shards)).size).toBe(1);
  });

  it('is listed by name and found without being made', async () => {
    await openLayout(suite.connection, 'listed', {});
    expect(await queueNames(suite.connection)).toEqual(['listed']);
    expect(await findLayout(suite.connection, 'absent')).toBeNull();
    expect((await findLayout(suite.connection, 'listed'))?.shards).toBe(8);
  });

  it('refuses names and numbers that are none', async () => {
    await expect(openLayout(suite.connection, 'Upper Case')).rejects.toThrow('is no queue name');
    await expect(openLayout(suite.connection, 'many', { shards: 0 })).rejects.toThrow('1 to 1024 shards');
  });

  it('gives each shard on a cluster its own equal part of the slots', async () => {
    const layout = await openLayout({ ...suite.connection, isCluster: true }, 'spread', { shards: 8 });
    const parts = layout.shardList.map((shard, index) =>
      Math.floor((calculateSlot(shardTag('spread', shard.name, layout.suffixes[index] ?? '')) * 8) / 16_384),
    );
    expect(parts).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
