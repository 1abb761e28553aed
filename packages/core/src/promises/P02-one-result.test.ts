import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Given, type GivenRun } from '../testing/given.ts';
import { until } from '../testing/scheduler.ts';
import { type Bench, conformanceSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';
import type { Handler } from '../worker/handler.ts';

const suite = conformanceSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

type Verb = 'complete' | 'fail' | 'renew' | 'release' | 'cancel';
const VERBS = ['complete', 'fail', 'renew', 'release', 'cancel'] as const;

/** What has become of w1's run, brought about by real verbs. */
const CASES = {
  'open run': ({ given }) => given.processing(),
  reaped: ({ given }) => given.reaped(),
  'reaped, claimed by another': async ({ given }) => {
    const run = await given.reaped();
    await given.claimed(run.id, 'w2');
    return run;
  },
  'reaped, claimed again by the same worker': async ({ given }) => {
    const run = await given.reaped();
    await given.claimed(run.id, 'w1');
    return run;
  },
  'timed out and reported': async ({ given, scheduler }) => {
    const run = await given.processing();
    await scheduler.fail('w1', run.id, run.fence, { code: 'timeout', delayMs: 60_000 });
    return run;
  },
  'handed back': ({ given }) => given.released(),
  completed: ({ given }) => given.completed(),
  cancelled: ({ given }) => given.cancelled(),
  'reaped, then cancelled': async ({ given, scheduler }) => {
    const run = await given.reaped();
    await scheduler.queue.cancel(run.id);
    return run;
  },
  'dead of a permanent error': ({ given }) => given.deadLettered(),
  'crash-looped': ({ given }) => given.crashLooped(),
  'crash-looped, then revived': async ({ given, scheduler }) => {
    const run = await given.crashLooped();
    await scheduler.queue.revive([run.id]);
    return run;
  },
  'crash-looped, revived, claimed by another': async ({ given, scheduler }) => {
    const run = await given.crashLooped();
    await scheduler.queue.revive([run.id]);
    await given.claimed(run.id, 'w2');
    return run;
  },
  purged: async ({ given, scheduler }) => {
    const run = await given.crashLooped();
    await scheduler.queue.purge([run.id]);
    return run;
  },
} satisfies Record<string, (bench: Bench) => Promise<GivenRun>>;

/** The table of docs/guarantees: the word, and the state afterwards (null: gone). */
const TABLE: Record<keyof typeof CASES, Record<Verb, readonly [word: string, state: string | null]>> = {
  'open run': {
    complete: ['completed', 'completed'],
    fail: ['retrying', 'retrying'],
    renew: ['renewed', 'processing'],
    release: ['pending', 'pending'],
    cancel: ['cancelled', 'cancelled'],
  },
  reaped: {
    complete: ['completed', 'completed'],
    fail: ['lease_lost', 'pending'],
    renew: ['reaped', 'pending'],
    release: ['lease_lost', 'pending'],
    cancel: ['cancelled', 'cancelled'],
  },
  'reaped, claimed by another': {
    complete: ['lease_lost', 'processing'],
    fail: ['lease_lost', 'processing'],
    renew: ['lost', 'processing'],
    release: ['lease_lost', 'processing'],
    cancel: ['cancelled', 'cancelled'],
  },
  'reaped, claimed again by the same worker': {
    complete: ['lease_lost', 'processing'],
    fail: ['lease_lost', 'processing'],
    renew: ['lost', 'processing'],
    release: ['lease_lost', 'processing'],
    cancel: ['cancelled', 'cancelled'],
  },
  'timed out and reported': {
    complete: ['lease_lost', 'retrying'],
    fail: ['retrying', 'retrying'],
    renew: ['lost', 'retrying'],
    release: ['lease_lost', 'retrying'],
    cancel: ['cancelled', 'cancelled'],
  },
  'handed back': {
    complete: ['lease_lost', 'pending'],
    fail: ['pending', 'pending'],
    renew: ['lost', 'pending'],
    release: ['pending', 'pending'],
    cancel: ['cancelled', 'cancelled'],
  },
  completed: {
    complete: ['completed', 'completed'],
    fail: ['lease_lost', 'completed'],
    renew: ['lost', 'completed'],
    release: ['lease_lost', 'completed'],
    cancel: ['final', 'completed'],
  },
  cancelled: {
    complete: ['cancelled', 'cancelled'],
    fail: ['cancelled', 'cancelled'],
    renew: ['cancelled', 'cancelled'],
    release: ['lease_lost', 'cancelled'],
    cancel: ['final', 'cancelled'],
  },
  'reaped, then cancelled': {
    complete: ['cancelled', 'cancelled'],
    fail: ['cancelled', 'cancelled'],
    renew: ['cancelled', 'cancelled'],
    release: ['lease_lost', 'cancelled'],
    cancel: ['final', 'cancelled'],
  },
  'dead of a permanent error': {
    complete: ['lease_lost', 'dead_letter'],
    fail: ['dead_letter', 'dead_letter'],
    renew: ['lost', 'dead_letter'],
    release: ['lease_lost', 'dead_letter'],
    cancel: ['final', 'dead_letter'],
  },
  'crash-looped': {
    complete: ['completed', 'completed'],
    fail: ['lease_lost', 'dead_letter'],
    renew: ['reaped', 'dead_letter'],
    release: ['lease_lost', 'dead_letter'],
    cancel: ['final', 'dead_letter'],
  },
  'crash-looped, then revived': {
    complete: ['lease_lost', 'pending'],
    fail: ['lease_lost', 'pending'],
    renew: ['lost', 'pending'],
    release: ['lease_lost', 'pending'],
    cancel: ['cancelled', 'cancelled'],
  },
  'crash-looped, revived, claimed by another': {
    complete: ['lease_lost', 'processing'],
    fail: ['lease_lost', 'processing'],
    renew: ['lost', 'processing'],
    release: ['lease_lost', 'processing'],
    cancel: ['cancelled', 'cancelled'],
  },
  purged: {
    complete: ['missing', null],
    fail: ['missing', null],
    renew: ['missing', null],
    release: ['missing', null],
    cancel: ['missing', null],
  },
};

async function say({ scheduler }: Bench, verb: Verb, { id, worker, fence }: GivenRun): Promise<string> {
  switch (verb) {
    case 'complete':
      return scheduler.complete(worker, id, fence, '"the late result"');
    case 'fail':
      return scheduler.fail(worker, id, fence, { class: 'transient', delayMs: 60_000 });
    case 'renew':
      return scheduler.renew(worker, id, fence);
    case 'release':
      return scheduler.release(worker, id, fence);
    case 'cancel':
      return (await scheduler.queue.cancel(id)).word;
  }
}

describe('the table of docs/guarantees.md', () => {
  it('says what this file proves', () => {
    const page = readFileSync(new URL('../../../../docs/guarantees.md', import.meta.url), 'utf8');
    for (const [situation, verbs] of Object.entries(TABLE)) {
      const cells = VERBS.map((verb) => `\`${verbs[verb][0]}\`, ${verbs[verb][1] ?? 'gone'}`);
      expect(page).toContain(`| ${situation} | ${cells.join(' | ')} |`);
    }
  });
});

describe.each([true, false])('P2: one result, lock keys %s', (lockKeys) => {
  const rows = (Object.keys(CASES) as (keyof typeof CASES)[]).flatMap((name) =>
    VERBS.map((verb) => [verb, name, ...TABLE[name][verb]] as const),
  );

  it.each(rows)('%s of a run that is %s: %s, and the task is %s', async (verb, name, word, state) => {
    const bench = await suite.open({ lockKeys });
    const run = await CASES[name](bench);
    const before = await bench.scheduler.world();
    expect(await say(bench, verb, run)).toBe(word);
    expect(await bench.scheduler.state(run.id)).toBe(state);
    const after = await bench.scheduler.world();
    const accepted = verb === 'cancel' ? word === 'cancelled' : word === 'completed' && name !== 'completed';
    if (verb !== 'cancel' && !accepted && !['open run'].includes(name)) expect(after).toEqual(before);
    // Said once more it changes nothing, and no second result ever replaces the first.
    await say(bench, verb === 'renew' ? 'complete' : verb, run);
    const again = await bench.scheduler.world();
    if (verb !== 'renew') expect(again).toEqual(after);
    const results = Object.values(again.results);
    expect(results.length).toBeLessThanOrEqual(1);
    if (name === 'completed') expect(results).toEqual(['"done"']);
  });
});

it('P2: of two holders of a task, the one that claimed last gives the result', async () => {
  const { scheduler, given } = await suite.open();
  const first = await given.reaped();
  const second = await given.claimed(first.id, 'w2');
  expect(await scheduler.complete('w1', first.id, first.fence, '"first"')).toBe('lease_lost');
  expect(await scheduler.complete('w2', first.id, second.fence, '"second"')).toBe('completed');
  expect(await scheduler.complete('w1', first.id, first.fence, '"first"')).toBe('lease_lost');
  expect((await scheduler.inspector.result(first.id))?.value).toBe('"second"');
});

it('P2: a worker process that slept past its lease is told so, its handler aborted, its result refused', async () => {
  const { scheduler } = await suite.open({ shards: 8, settings: { leaseMs: 400 } });
  const { url } = suite.redis.server;
  const journal = await workshop.journal();
  const sleeper = await workshop.process(scheduler, url, { chores: false });
  const { id } = await scheduler.queue.submit('wait', { file: journal.file });
  await journal.until('begin');
  sleeper.signal('SIGSTOP');
  await until('its lease has gone by', async () => (await scheduler.lock(id)).value === null);
  await scheduler.reap();
  const other = await new Given(scheduler).claimed(id, 'w2');
  expect(other.fence).toBe(2);
  sleeper.signal('SIGCONT');
  await journal.until('end');
  await until('its run is over', () => Promise.resolve(sleeper.of('lock released').length === 1));
  expect(sleeper.of('lock released')[0]).toMatchObject({ outcome: 'lease_lost', fence: 1 });
  expect(await scheduler.complete('w2', id, 2, '"second"')).toBe('completed');
  expect((await scheduler.inspector.result(id))?.value).toBe('"second"');
});

it('P2: an exclusive handler is stopped before its lease can have run out, another goes on and its result is taken', async () => {
  const { scheduler } = await suite.open({ settings: { leaseMs: 900 } });
  const stoppedAfter = new Map<string, number>();
  const finish = new Map<string, () => void>();
  const from = new Map<string, number>();
  const work: Handler = (context) =>
    new Promise((resolve, reject) => {
      from.set(context.type, performance.now());
      finish.set(context.type, () => resolve('finished'));
      context.signal.addEventListener('abort', () => {
        stoppedAfter.set(context.type, performance.now() - Number(from.get(context.type)));
        reject(context.signal.reason as Error);
      });
    });
  const setup = { handlers: { only: work, shared: work }, slots: 2, exclusive: ['only'] };
  const { worker } = await workshop.worker(scheduler, suite.redis.server.url, setup);
  const [only, shared] = await Promise.all(['only', 'shared'].map((type) => scheduler.queue.submit(type, null)));
  await until('both run', () => Promise.resolve(worker.busy === 2 && from.size === 2));
  suite.redis.server.pause();
  const frozen = performance.now();
  await until('it is stopped', () => Promise.resolve(stoppedAfter.has('only')));
  expect(performance.now() - frozen).toBeLessThan(900);
  await until('the lease has gone by', () => Promise.resolve(performance.now() - frozen > 1_000));
  expect([...stoppedAfter.keys()]).toEqual(['only']);
  from.delete('only');
  suite.redis.server.resume();
  await until('it is handed back', async () => (await scheduler.get(only?.id ?? '')).fence >= 2);
  // Redis knows of the next run before its handler has begun.
  await until('it runs again', () => Promise.resolve(from.has('only')));
  finish.get('shared')?.();
  finish.get('only')?.();
  await until('both are done', async () => (await scheduler.inspector.counts()).completed === 2);
  expect(await scheduler.get(shared?.id ?? '')).toMatchObject({ fence: 1, crashes: 0, attempts: 0 });
  expect(await scheduler.get(only?.id ?? '')).toMatchObject({ crashes: 0, attempts: 0 });
});
