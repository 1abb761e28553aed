import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHARD_KEYS } from '../scripts/shared.ts';
import { trimScript } from '../scripts/trim.ts';
import { startTestCluster, type TestCluster } from '../testing/cluster.ts';
import { Given } from '../testing/given.ts';
import { TestScheduler } from '../testing/scheduler.ts';
import { type Connection, connectRedis } from './connection.ts';
import { defineScript, type Script, scriptParameters } from './script.ts';

const scripts = new URL('../scripts/', import.meta.url);
const plain = readdirSync(new URL('plain/', scripts), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.lua'))
  .map((file) => `plain/${file.slice(0, -'.lua'.length)}`);
const verbs = readdirSync(scripts, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.lua') && !/^(fragments|plain)\//.test(file))
  .map((file) => file.slice(0, -'.lua'.length));
const TRIM = Object.fromEntries(trimScript.argumentNames.map((name) => [name, 'number' as const]));

describe('a script', () => {
  it('whose header differs from its declaration is refused, and the sentence shows both', () => {
    const declare = (change: object): Script => defineScript({ name: 'trim', keys: SHARD_KEYS, arguments: TRIM, rows: [], ...change });
    expect(() => declare({})).not.toThrow();
    expect(() => declare({ keys: [...SHARD_KEYS, 'replay'] })).toThrow(
      /trim\.lua says KEYS "base .* locks" and its declaration says ".* replay"/,
    );
    expect(() => declare({ keys: SHARD_KEYS.toReversed() })).toThrow(/KEYS/);
    const { limit: _limit, ...fewer } = TRIM;
    expect(() => declare({ arguments: fewer })).toThrow(/ARGV/);
    expect(() => declare({ arguments: { ...TRIM, more: 'number' } })).toThrow(/ARGV/);
    expect(() => declare({ rows: ['id'] })).toThrow(/ROWS/);
  });

  it('that is not there is refused', () => {
    expect(() => defineScript({ name: 'no-such-verb', keys: [], arguments: {}, rows: [] })).toThrow(/no-such-verb/);
  });

  it('gets its arguments by name, in the order its prologue reads them', () => {
    const script = { ...trimScript, rows: ['id', 'fence'] } as unknown as Script<string, string, string>;
    const keys = Object.fromEntries(SHARD_KEYS.map((key) => [key, `key of ${key}`]));
    const numbered = script.argumentNames.map((name, index) => [name, index + 1] as const);
    const values = Object.fromEntries(numbered.toReversed());
    const rows = [
      { fence: 7, id: 'a' },
      { id: 'b', fence: 8 },
    ];
    expect(scriptParameters(script, keys, values, rows)).toEqual({
      keys: SHARD_KEYS.map((key) => `key of ${key}`),
      values: [...numbered.map(([, number]) => number), 'a', 7, 'b', 8],
    });
  });

  it.each(verbs)('%s has a guarantee in its header, names its replies, and carries the fragments it names', async (verb) => {
    const body = readFileSync(new URL(`${verb}.lua`, scripts), 'utf8');
    for (const field of ['GUARANTEE', 'KEYS', 'ARGV', 'REPLY']) expect(body).toMatch(new RegExp(`^-- ${field}: .+`, 'm'));
    const module = (await import(new URL(`${verb}.ts`, scripts).href)) as Record<string, unknown>;
    const script = Object.values(module).find((value): value is Script => typeof value === 'object' && value !== null && 'sha' in value);
    if (script === undefined) throw new Error(`${verb}.ts declares no script`);
    expect(script.name).toBe(verb);
    expect(script.source).toMatch(/^#!lua( flags=[a-z,-]+)?\n/);
    const included = ['INCLUDE', 'PLAIN'].flatMap((field) => new RegExp(`^-- ${field}: (.*)$`, 'm').exec(body)?.[1]?.split(' ') ?? []);
    for (const fragment of included) expect(script.source).toContain(readFileSync(new URL(`fragments/${fragment}.lua`, scripts), 'utf8'));
    expect(script.source.endsWith(body)).toBe(true);
  });

  it.each([...verbs, ...plain])('%s never looks keys up by pattern, nor reads a whole key of unbounded size', (verb) => {
    const body = readFileSync(new URL(`${verb}.lua`, scripts), 'utf8');
    expect(body).not.toMatch(/'(KEYS|SCAN|HGETALL|SMEMBERS|HKEYS|HVALS|FLUSHALL)'/);
    expect(body).not.toMatch(/ZRANGE[^\n]*-1\)/);
  });
});

describe('on a cluster', () => {
  let cluster: TestCluster;
  let connection: Connection;
  beforeAll(async () => {
    cluster = await startTestCluster(3);
    connection = connectRedis(cluster.url);
  });
  afterAll(async () => {
    await connection.close();
    await cluster.stop();
  });

  it('a script that touches a key of another slot is refused, though both are on its node', async () => {
    const touch = (body: string): Promise<unknown> => connection.client.eval(body, 1, '{a}:declared');
    // Slots of one node: without the #!lua line Redis lets this pass in silence.
    const other = ['b', 'c', 'd', 'e', 'f', 'g'].map((tag) => `{${tag}}:undeclared`);
    const words = await Promise.all(other.map((key) => touch(`#!lua\nreturn redis.call('SET', '${key}', '1')`).then(String, String)));
    for (const word of words) expect(word).not.toBe('OK');
    expect(await touch(`#!lua\nreturn redis.call('SET', '{a}:undeclared', '1')`)).toBe('OK');
  });

  it('every verb runs, in the slot of its shard alone, and shards lie evenly on the masters', async () => {
    const scheduler = await TestScheduler.open(connection, { shards: 6, settings: { timelines: true } });
    const given = new Given(scheduler);
    const { queue } = scheduler;
    for (let round = 0; round < 3; round++) await given.oneOfEach();
    const family = await given.waitingForChildren(2);
    const [first = '', second = ''] = family.children;
    await given.childDead(first);
    await queue.revive([first]);
    await given.childCompleted(first);
    await given.childCompleted(second);
    const parked = await given.reaped();
    expect(await scheduler.complete(parked.worker, parked.id, parked.fence)).toBe('completed');
    const due = await given.scheduled();
    await scheduler.makeDue(due);
    expect(await scheduler.promote()).toBe(1);
    await queue.reprioritize(due, 3);
    const dead = await given.deadLettered();
    expect(await queue.purge([dead.id])).toEqual(['purged']);
    expect(await scheduler.trim()).toBeGreaterThanOrEqual(0);
    const counts = await Promise.all(
      cluster.nodes.map(async ({ client }) => (await client.keys(`galley:{${queue.name}:*sequence`)).length),
    );
    expect(counts).toEqual([2, 2, 2]);
    expect((await scheduler.inspector.shards()).reduce((sum, shard) => sum + shard.pending, 0)).toBeGreaterThan(0);
  });

  it('a lost script cache on every node is answered by loading again', async () => {
    const scheduler = await TestScheduler.open(connection, { shards: 3 });
    for (const { client } of cluster.nodes) await client.script('FLUSH');
    const tasks = await Promise.all([1, 2, 3].map(() => scheduler.submit()));
    for (const { client } of cluster.nodes) await client.script('FLUSH');
    const claims = await Promise.all(scheduler.queue.layout.shardList.map((shard) => scheduler.claim('w1', { shard })));
    expect(claims.flatMap((claim) => claim.tasks.map((task) => task.id)).toSorted()).toEqual(tasks.toSorted());
  });
});
