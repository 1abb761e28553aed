import calculateSlot from 'cluster-key-slot';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connectRedis } from '../redis/connection.ts';
import { startTestCluster, type TestCluster, type TestClusterNode } from '../testing/cluster.ts';
import { faultsOf } from '../testing/invariants.ts';
import { TestScheduler, until } from '../testing/scheduler.ts';
import { Workshop } from '../testing/workers.ts';

const BACK_WITHIN_MS = 2_000;

let cluster: TestCluster;
let connection: Connection;
const workshop = new Workshop();

beforeAll(async () => {
  cluster = await startTestCluster(3, { replicas: true, timeoutMs: 1_000 });
  connection = connectRedis(cluster.url);
}, 60_000);
afterEach(() => workshop.sweep());
afterAll(async () => {
  await connection.close();
  await cluster.stop();
});

function node(index: number): TestClusterNode {
  const found = cluster.nodes[index];
  if (found === undefined) throw new Error(`there is no node ${index}`);
  return found;
}

async function allDone(scheduler: TestScheduler, ids: readonly string[]): Promise<void> {
  await until('all are done', async () => ((await scheduler.inspector.counts()).completed ?? 0) >= ids.length, 20_000);
  for (const task of await scheduler.inspector.getMany(ids)) expect(task).toMatchObject({ state: 'completed', fence: 1, crashes: 0 });
}

describe('P13 on a cluster of three masters and three replicas', () => {
  it('a slot moves to another master in the midst of work, and nothing is lost, done twice or counted as a crash', async () => {
    const scheduler = await TestScheduler.open(connection, { shards: 6 });
    const { log } = await workshop.worker(scheduler, cluster.url, { handlers: { work: () => Promise.resolve('ok') }, slots: 4 });
    await workshop.chores(scheduler, cluster.url);
    const slot = calculateSlot(scheduler.shard.keys.base);
    const before = await Promise.all(Array.from({ length: 300 }, () => scheduler.submit()));
    let moving = true;
    const moved = cluster.migrate(slot, node(0), node(1)).finally(() => {
      moving = false;
    });
    const during: string[] = [];
    while (moving) during.push(...(await Promise.all(scheduler.queue.layout.shardList.map(() => scheduler.submit()))));
    await moved;
    const after = await Promise.all(Array.from({ length: 30 }, () => scheduler.submit()));
    expect(during.length).toBeGreaterThan(0);
    await allDone(scheduler, [...before, ...during, ...after]);
    expect((await node(1).client.keys(`${scheduler.shard.keys.base}*`)).length).toBeGreaterThan(0);
    expect(await node(0).client.keys(`${scheduler.shard.keys.base}*`)).toEqual([]);
    expect(await faultsOf(scheduler)).toEqual([]);
    expect(log.of('lease lost')).toEqual([]);
    await cluster.migrate(slot, node(1), node(0));
  }, 60_000);

  it('a master dies: what ended meanwhile is told, and within two seconds of its replica taking over all shards are served', async () => {
    const scheduler = await TestScheduler.open(connection, { shards: 6 });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handlers = { work: async () => 'ok', held: () => released.then(() => 'ok') };
    const { worker, log } = await workshop.worker(scheduler, cluster.url, { handlers, slots: 12 });
    const held = await Promise.all(scheduler.queue.layout.shardList.map(() => scheduler.queue.submit('held', null)));
    await until('all six run', () => Promise.resolve(log.of('lock acquired').length === 6));
    const process = await workshop.process(scheduler, cluster.url, { slots: 2 });
    await until('the replica has all', async () => Number(await node(0).client.call('WAIT', '1', '1000')) === 1);
    await node(0).kill9();
    release();
    const meanwhile = Promise.all(Array.from({ length: 30 }, () => scheduler.submit()));
    const heir = node(3).client;
    await until('the replica has taken over', async () => (await heir.info('replication')).includes('role:master'), 20_000);
    const back = performance.now();
    await until('all are done', async () => ((await scheduler.inspector.counts()).completed ?? 0) === 36, BACK_WITHIN_MS);
    expect(performance.now() - back).toBeLessThan(BACK_WITHIN_MS);
    await allDone(scheduler, [...held.map(({ id }) => id), ...(await meanwhile)]);
    expect(await faultsOf(scheduler)).toEqual([]);
    expect([process.exitCode, worker.busy]).toEqual([null, 0]);
  }, 60_000);
});
