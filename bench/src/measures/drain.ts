import { table } from '../report/markdown.ts';
import { atLeast, type Column, type Findings, type Section, type Verdict, withRange } from '../report/verdict.ts';
import { ratios, spread } from '../statistics.ts';
import { type Cost, type DrainCase, drainOnce } from './drain-once.ts';
import type { Bench } from './measure.ts';

const SLOTS = [50, 100, 250, 1_000];
const PEER_SLOTS = [1, ...SLOTS];
const TASKS = 50_000;
const TUNING_TASKS = 5_000;
const BASE = { order: 'strict', lockKeys: true, results: true, slots: 100, removeEnded: true } as const;

function galleyCases(label: string, priorities: number, order: 'strict' | 'aging', slots: number): DrainCase[] {
  const own = { ...BASE, system: 'galley', priorities, order, slots } as const;
  return [
    { ...own, name: `Galley, ${label}` },
    { ...own, name: `Galley, ${label}, without lock keys and results`, lockKeys: false, results: false },
  ];
}

/** The settings under which a system empties a short queue fastest. */
async function best(bench: Bench, cases: readonly DrainCase[]): Promise<DrainCase> {
  let fastest: { drain: DrainCase; wall: number } | null = null;
  for (const drain of cases) {
    const { wall } = await drainOnce(bench, drain, bench.options.quick ? TUNING_TASKS / 5 : TUNING_TASKS);
    bench.log(
      `  tuning ${drain.name}: ${drain.slots} at once, ended tasks ${drain.removeEnded ? 'removed' : 'kept'}: ${wall.toFixed(0)} us wall`,
    );
    if (fastest === null || wall < fastest.wall) fastest = { drain, wall };
  }
  if (fastest === null) throw new Error('nothing to choose from');
  return fastest.drain;
}

function settings(base: Omit<DrainCase, 'slots' | 'removeEnded'>, slots: readonly number[], remove: readonly boolean[]): DrainCase[] {
  return remove.flatMap((removeEnded) => slots.map((own) => ({ ...base, slots: own, removeEnded })));
}

type Costs = Map<string, Cost[]>;

function compare(label: string, costs: Costs, peer: string, own: string, column: Column, floors: readonly (number | null)[]): Verdict[] {
  const of = (name: string, part: keyof Cost): number[] => (costs.get(name) ?? []).map((cost) => cost[part]);
  const parts = [
    ['wall', 'wall'],
    ['server', 'server CPU'],
  ] as const;
  return parts.flatMap(([part, words], index) => {
    const floor = floors[index];
    if (floor === null || floor === undefined) return [];
    return [atLeast({ measure: `drain, ${label}: ${words}`, column, floor, unit: '×' }, ratios(of(peer, part), of(own, part)))];
  });
}

function costsSection(count: number, cases: readonly DrainCase[], costs: Costs): Section {
  const rows = cases.map(({ name, slots, system, removeEnded }) => {
    const own = costs.get(name) ?? [];
    const part = (key: keyof Cost): string => withRange(spread(own.map((cost) => cost[key])), '');
    const how = system === 'raw' ? '' : `${slots} at once${system === 'galley' ? '' : `, ended tasks ${removeEnded ? 'removed' : 'kept'}`}`;
    return [name, how, part('wall'), part('server'), part('client')];
  });
  return {
    title: `Draining ${count} no-op tasks, microseconds per task`,
    lines: table(['system', 'settings', 'wall', 'server CPU', 'client CPU (all workers)'], rows),
  };
}

/** Rows 1 to 3: one priority, 100 priorities, aging; with the raw loop as the limit. */
export async function measureDrain(bench: Bench): Promise<Findings> {
  const count = bench.options.quick ? TASKS / 5 : TASKS;
  const bull = await best(bench, settings({ ...BASE, name: 'BullMQ', system: 'bullmq', priorities: 1 }, PEER_SLOTS, [true, false]));
  const bee = await best(
    bench,
    settings({ ...BASE, name: 'bee-queue, no priorities', system: 'bee-queue', priorities: 0 }, PEER_SLOTS, [true]),
  );
  const galley = { ...BASE, system: 'galley' } as const;
  const own = await best(bench, settings({ ...galley, name: 'Galley', priorities: 1 }, SLOTS, [true]));
  const many = await best(bench, settings({ ...galley, name: 'Galley, 100 priorities', priorities: 100 }, SLOTS, [true]));
  const aging = await best(bench, settings({ ...galley, name: 'Galley, aging', priorities: 100, order: 'aging' }, SLOTS, [true]));
  const cases: DrainCase[] = [
    { ...BASE, name: 'raw ZPOPMIN, pipelines of 100', system: 'raw', priorities: 1 },
    bee,
    { ...bull, name: 'BullMQ, no priorities', priorities: 0 },
    { ...bull, name: 'BullMQ, one priority' },
    ...galleyCases('one priority', 1, 'strict', own.slots),
    { ...bull, name: 'BullMQ, 100 priorities', priorities: 100 },
    ...galleyCases('100 priorities', 100, 'strict', many.slots),
    ...galleyCases('aging, 100 priorities', 100, 'aging', aging.slots),
  ];
  const costs: Costs = new Map();
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const drain of cases) {
      const cost = await drainOnce(bench, drain, count);
      costs.set(drain.name, [...(costs.get(drain.name) ?? []), cost]);
      bench.log(
        `  round ${round} ${drain.name}: ${cost.wall.toFixed(1)} us wall, ${cost.server.toFixed(1)} server, ${cost.client.toFixed(1)} client`,
      );
    }
  }
  const rows = (label: string, peer: string, withs: readonly (number | null)[], withouts: readonly (number | null)[]): Verdict[] => [
    ...compare(label, costs, peer, `Galley, ${label}`, 'with', withs),
    ...compare(label, costs, peer, `Galley, ${label}, without lock keys and results`, 'without', withouts),
  ];
  return {
    verdicts: [
      ...rows('one priority', 'BullMQ, one priority', [3.5, 3.2], [5, 5]),
      ...rows('100 priorities', 'BullMQ, 100 priorities', [2.5, 2.8], [3.5, 4]),
      ...rows('aging, 100 priorities', 'BullMQ, 100 priorities', [1.5, null], [2, null]),
    ],
    sections: [costsSection(count, cases, costs)],
  };
}
