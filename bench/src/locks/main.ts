import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTemporaryRedisServer } from '@galley/core';
import { endOnSignals } from '../end-on-signals.ts';
import { table } from '../report/markdown.ts';
import { atLeast, atMost, figure, type Verdict, withRange } from '../report/verdict.ts';
import { ratios, spread } from '../statistics.ts';
import { type ContentionFigures, measureContention, measureUncontended, type UncontendedFigures } from './contend.ts';
import { GALLEY, LOCK_SYSTEMS, type LockSystem, POLLING } from './systems.ts';

const RESULTS = fileURLToPath(new URL('../../RESULTS-locks.md', import.meta.url));
const CONTENDERS = [1, 8, 64];
const SHARDS = [1, 16];
const HOLD_MS = 2;

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, 'no-write': { type: 'boolean', default: false } } });
const plan = values.quick ? { rounds: 2, seconds: 1, times: 1_000 } : { rounds: 5, seconds: 3, times: 5_000 };

interface Case {
  readonly system: LockSystem;
  readonly contenders: number;
  readonly shards: number;
  readonly figures: ContentionFigures[];
}

function log(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Alone = ReadonlyMap<LockSystem, UncontendedFigures[]>;

async function measure(socketPath: string): Promise<{ alone: Alone; cases: Case[] }> {
  const alone = new Map<LockSystem, UncontendedFigures[]>(LOCK_SYSTEMS.map((system) => [system, []]));
  const cases = CONTENDERS.flatMap((contenders) =>
    SHARDS.flatMap((shards) => LOCK_SYSTEMS.map((system): Case => ({ system, contenders, shards, figures: [] }))),
  );
  for (let round = 1; round <= plan.rounds; round++) {
    for (const [system, figures] of await measureUncontended(LOCK_SYSTEMS, socketPath, plan.times)) {
      alone.get(system)?.push(figures);
      log(`round ${round}, ${system.title}, alone: ${figure(figures.perSecond)}/s, ${figure(figures.cpuMicroseconds)} µs of CPU`);
    }
    for (const { system, contenders, shards, figures } of cases) {
      const found = await measureContention(system, socketPath, { contenders, shards, holdMs: HOLD_MS, seconds: plan.seconds });
      figures.push(found);
      const where = `${contenders} on ${shards === 1 ? 'one name' : `${shards} shards`}`;
      log(`round ${round}, ${system.title}, ${where}: ${figure(found.perSecond)}/s, hand-over p50 ${figure(found.handOverP50)} ms`);
    }
  }
  return { alone, cases };
}

const ratesOf = (figures: readonly UncontendedFigures[] = []): number[] => figures.map((one) => one.perSecond);

function verdicts(alone: Alone, cases: readonly Case[]): Verdict[] {
  const of = (system: LockSystem, contenders: number, shards: number, read: (one: ContentionFigures) => number): number[] =>
    (cases.find((one) => one.system === system && one.contenders === contenders && one.shards === shards)?.figures ?? []).map(read);
  const rate = (one: ContentionFigures): number => one.perSecond;
  const handOver = (one: ContentionFigures): number => one.handOverP50;
  const times = { column: 'both', unit: '×' } as const;
  return [
    atLeast(
      { ...times, measure: 'acquire and release, nobody else: rate against the bare two commands', floor: 0.9 },
      ratios(ratesOf(alone.get(GALLEY)), ratesOf(alone.get(POLLING))),
    ),
    ...[8, 64].map((contenders) =>
      atMost(
        { ...times, measure: `hand-over p50, ${contenders} on one name: share of polling every 50 ms`, floor: 0.2 },
        ratios(of(GALLEY, contenders, 1, handOver), of(POLLING, contenders, 1, handOver)),
      ),
    ),
    ...[8, 64].map((contenders) =>
      atLeast(
        { ...times, measure: `rate of ${contenders} on 16 shards against one name`, floor: 1.5 },
        ratios(of(GALLEY, contenders, 16, rate), of(GALLEY, contenders, 1, rate)),
      ),
    ),
  ];
}

function report(alone: Alone, cases: readonly Case[], loads: readonly number[][]): string {
  const load = (averages: readonly number[] = []): string => averages.map((value) => value.toFixed(1)).join(', ');
  const range = (figures: readonly number[]): string => withRange(spread(figures), '');
  return `${[
    '# Benchmarks of the locks',
    '',
    'Written by `npm run bench:locks`: medians of interleaved rounds, ranges in brackets; a ratio is taken round by round. Every contender has a',
    `connection of its own; where several contend, each holds the lock for ${HOLD_MS} ms and, if others wait for it, stands aside until one of them has it. That no two held one lock at once was checked throughout.`,
    '',
    `- date: ${new Date().toISOString().slice(0, 10)}`,
    `- machine: ${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown'}, contenders in one process, Redis beside it, unix socket`,
    `- load average (1, 5, 15 min): ${load(loads[0])} before and ${load(loads[1])} after`,
    `- versions: Node ${process.version}; ${plan.rounds} rounds of ${plan.seconds} s${values.quick ? ', **quick**' : ''}`,
    '',
    ...table(
      ['measure', 'floor', 'measured', 'verdict'],
      verdicts(alone, cases).map(({ measure: what, floor, measured, passed }) => [what, floor, measured, passed ? 'pass' : '**missed**']),
    ),
    '',
    '## Nobody else wants it',
    '',
    'The bare two commands are `SET key value PX NX` and, by EVALSHA, `if GET == value then DEL`: what any lock in Redis needs, without a',
    'fence, a line, a time limit or a holder’s trust. All have the same kind of connection (ioredis, unix socket) and await each command before',
    'the next, in short slices in turn. CPU is that of the client.',
    '',
    ...table(
      ['system', 'acquire and release a second', 'CPU for both, µs'],
      [...alone].map(([system, figures]) => [system.title, range(ratesOf(figures)), range(figures.map((one) => one.cpuMicroseconds))]),
    ),
    '',
    '## Contended',
    '',
    'Live keys: how many lock keys there were in Redis at one time, the median of many looks and the most. It is the proof of how much really ran side by side.',
    '',
    ...table(
      ['contenders', 'on', 'system', 'taken a second', 'hand-over p50, ms', 'p99, ms', 'live keys', 'most'],
      cases.map(({ system, contenders, shards, figures }) => [
        String(contenders),
        shards === 1 ? 'one name' : `${shards} shards`,
        system.title,
        range(figures.map((one) => one.perSecond)),
        ...(contenders === 1 ? ['–', '–'] : [range(figures.map((one) => one.handOverP50)), range(figures.map((one) => one.handOverP99))]),
        figure(spread(figures.map((one) => one.liveKeys)).median),
        String(Math.max(...figures.map((one) => one.mostLiveKeys))),
      ]),
    ),
  ].join('\n')}\n`;
}

endOnSignals();
const loadBefore = os.loadavg();
const server = await startTemporaryRedisServer();
try {
  const { alone, cases } = await measure(server.socketPath);
  const text = report(alone, cases, [loadBefore, os.loadavg()]);
  log(text);
  if (!values['no-write']) await writeFile(RESULTS, text);
} finally {
  await server.stop();
}
