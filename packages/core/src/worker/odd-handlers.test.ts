import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../rules/message.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { HANDLERS_URL, threads, Workshop } from '../testing/workers.ts';
import { type Executor, inProcess } from './executor.ts';
import { done, fanOut, type Handlers } from './handler.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

/** One of each way to go wrong: the code that its task dies of, with no retry and no second crash; null where it is completed. */
const ODD: readonly (readonly [type: string, code: string | null, payload?: Json])[] = [
  ['returnFunction', 'payload_invalid'],
  ['returnBigint', 'payload_invalid'],
  ['returnCircle', 'payload_invalid'],
  ['returnHuge', 'payload_too_large'],
  ['returnTwice', null],
  ['countWithFunction', 'payload_invalid'],
  ['countWithSymbol', 'payload_invalid'],
  ['countHalves', 'payload_invalid'],
  ['keepForNoTime', 'invalid_request'],
  ['fanOutIntoNothing', 'payload_invalid'],
  ['fanOutIntoBigint', 'payload_invalid'],
  ['fanOutIntoNoTime', 'invalid_request'],
  ['throwUndefined', 'unknown_error'],
  ['throwLong', 'unknown_error'],
  ['throwHostile', 'unknown_error'],
];
/** What only threads survive, or can do. */
const ODD_IN_THREADS: typeof ODD = [
  ['throwAside', 'crash_loop', null],
  ['throwAside', 'crash_loop', 10_000_000],
  ['postGarbage', null],
];

/** The same, with outcomes of the class that this process's worker knows: those files take theirs from the built package. */
async function handlersHere(): Promise<Handlers> {
  const { handlers }: { handlers: Handlers } = await import(HANDLERS_URL);
  const odd = (value: unknown): never => value as never;
  return {
    ...handlers,
    countWithFunction: () => Promise.resolve(done('ok', { counters: { pages: odd(() => 3) } })),
    countWithSymbol: () => Promise.resolve(done('ok', { counters: { pages: odd(Symbol('three')) } })),
    countHalves: () => Promise.resolve(done('ok', { counters: { pages: 1.5 } })),
    keepForNoTime: () => Promise.resolve(done('ok', { resultMs: 0 })),
    fanOutIntoNothing: () => Promise.resolve(fanOut(odd(undefined))),
    fanOutIntoBigint: () => Promise.resolve(fanOut([{ type: 'page', payload: odd(10n) }])),
    fanOutIntoNoTime: () => Promise.resolve(fanOut([{ type: 'page', payload: null, timeoutMs: -1 }])),
  };
}

describe('a worker of one slot', () => {
  it.each([
    ['in a thread', () => Promise.resolve(threads(1)), [...ODD, ...ODD_IN_THREADS]],
    ['in its own process', async () => inProcess(await handlersHere()), ODD],
  ] as const)('outlives every odd handler %s, and each task ends with its code and in bounded words', async (_, open, odd) => {
    const executor: Executor = await open();
    const { scheduler } = await suite.open({ settings: { crashBudget: 1, maxRetries: 0 } });
    const ids: string[] = [];
    for (const [type, , payload = null] of odd) ids.push((await scheduler.queue.submit(type, payload)).id);
    const { id: last } = await scheduler.queue.submit('work', { value: 'still here' });
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { executor });
    await until('the last is done', async () => (await scheduler.state(last)) === 'completed');
    const ended = await scheduler.inspector.getMany(ids);
    const codes = ended.map((task) => (task?.state === 'completed' ? null : (task?.errors.at(-1)?.code ?? task?.state)));
    expect(odd.map(([type], index) => [type, codes[index]])).toEqual(odd.map(([type, code]) => [type, code]));
    for (const task of ended) expect(JSON.stringify(task?.errors).length).toBeLessThan(15_000);
    const twice = ids[odd.findIndex(([type]) => type === 'returnTwice')] ?? '';
    expect(await scheduler.inspector.result(twice)).toMatchObject({ value: '"first"' });
    expect(worker.busy).toBe(0);
  });
});

describe('progress', () => {
  it('told ten thousand times at once leaves the thread a few times, the last of it too, and what is no number not at all', async () => {
    const executor = threads(1);
    await executor.start();
    const abort = new AbortController();
    const heard: number[] = [];
    const delivery = { queue: 'q', type: 'flood', payload: null, priority: 100, fence: 1, attempt: 1, crashes: 0, children: null };
    const execution = executor.execute({ id: 'q-00-000000000001-aaaaaa', ...delivery }, abort, (fraction) => heard.push(fraction));
    try {
      await until('the last is heard', () => Promise.resolve(heard.at(-1) === 0.5));
      expect(heard.length).toBeLessThan(50);
      expect(heard.every((fraction) => fraction > 0 && fraction <= 0.5)).toBe(true);
    } finally {
      abort.abort();
      await execution;
      await executor.stop();
    }
  });
});
