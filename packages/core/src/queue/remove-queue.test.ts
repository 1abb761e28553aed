import { expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';
import { queueNames } from './layout.ts';
import { removeQueue } from './remove-queue.ts';

const suite = schedulerSuite();

it('a queue that is removed leaves no key, and others are as they were', async () => {
  const { client } = suite.connection;
  const { scheduler: kept } = await suite.open({ shards: 2 });
  await kept.submit({ identity: ['x'], tags: { user: 'u' } });
  const before = (await client.keys('*')).toSorted();
  const { scheduler, given } = await suite.open({ shards: 1 });
  suite.expectFaults(scheduler);
  await given.processing();
  await given.completed();
  await given.deadLettered();
  await scheduler.submit({ identity: ['x'], tags: { user: 'u' } });
  await removeQueue(suite.connection, scheduler.queue.name);
  expect((await client.keys('*')).toSorted()).toEqual(before);
  expect(await queueNames(suite.connection)).toEqual([kept.queue.name]);
});
