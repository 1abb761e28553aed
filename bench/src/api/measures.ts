import { median } from '../statistics.ts';
import { fire, type Request, type Shot } from './load.ts';
import type { Program } from './programs.ts';

export interface Figure {
  readonly name: string;
  /** In words, as the issue of the benchmark puts it. */
  readonly floor: string;
  readonly value: number;
  readonly unit: string;
  readonly met: boolean;
  readonly detail: string;
}

export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  readonly memorySeconds: number;
  /** Uploaded by one client. */
  readonly files: number;
  readonly depth: number;
}

const BARE_POST: Request = { method: 'POST', path: '/bare', body: (count) => `{"image_url":"https://pictures.example/${count}.png"}` };
const BARE_GET: Request = { method: 'GET', path: '/bare' };
const SUBMIT: Request = { ...BARE_POST, path: '/api/v1/tasks' };
const BATCH_TASKS = 10_000;
const BATCHES = 3;
const SCRAPES = 10;
/** A scrape within a second of another is answered from the same figures. */
const SCRAPE_PAUSE_MS = 1_100;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

interface Compared {
  readonly ours: Shot;
  readonly bare: Shot;
}

async function alternate(server: Program, bare: Program, ours: Request, theirs: Request, plan: Plan): Promise<Compared[]> {
  const rounds: Compared[] = [];
  // One that is not counted, for both to be compiled and connected.
  for (let round = 0; round <= plan.rounds; round++) {
    const pair = { bare: await fire(bare, theirs, plan.seconds), ours: await fire(server, ours, plan.seconds) };
    if (round > 0) rounds.push(pair);
  }
  return rounds;
}

function ratioFigure(name: string, floor: number, rounds: readonly Compared[]): Figure {
  const value = median(rounds.map(({ ours, bare }) => ours.rate / bare.rate));
  const of = (pick: (compared: Compared) => number): string => median(rounds.map(pick)).toFixed(0);
  const detail = `${of(({ ours }) => ours.rate)}/s against ${of(({ bare }) => bare.rate)}/s; ${of(({ ours }) => ours.cpuUsPerRequest)} µs against ${of(({ bare }) => bare.cpuUsPerRequest)} µs of CPU`;
  return { name, floor: `≥ ${floor}× the bare route`, value, unit: '×', met: value >= floor, detail };
}

/** Single submits: their rate, and their p99 at half of it. */
export async function submits(server: Program, bare: Program, plan: Plan): Promise<Figure[]> {
  const rounds = await alternate(server, bare, SUBMIT, BARE_POST, plan);
  const half = (pick: (compared: Compared) => Shot): number => Math.round(median(rounds.map((round) => pick(round).rate)) / 2);
  const halves: Compared[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    halves.push({
      bare: await fire(
        bare,
        BARE_POST,
        plan.seconds,
        half((compared) => compared.bare),
      ),
      ours: await fire(
        server,
        SUBMIT,
        plan.seconds,
        half((compared) => compared.ours),
      ),
    });
  }
  const value = median(halves.map(({ ours, bare: theirs }) => ours.p99Ms / Math.max(1, theirs.p99Ms)));
  const p99 = (pick: (compared: Compared) => Shot): string => median(halves.map((compared) => pick(compared).p99Ms)).toFixed(0);
  const detail = `${p99((compared) => compared.ours)} ms against ${p99((compared) => compared.bare)} ms`;
  return [
    ratioFigure('single submit', 0.4, rounds),
    { name: 'p99 of a submit at half its rate', floor: "≤ 4× the bare route's", value, unit: '×', met: value <= 4, detail },
  ];
}

export async function reads(
  server: Program,
  bare: Program,
  ids: { readonly pending: string; readonly completed: string },
  plan: Plan,
): Promise<Figure[]> {
  const paths = [
    ['status of a pending task', `/api/v1/tasks/${ids.pending}`],
    ['status of a completed document', `/api/v1/tasks/${ids.completed}`],
    ['result as Markdown', `/api/v1/tasks/${ids.completed}/result?format=markdown`],
    ['result as JSON', `/api/v1/tasks/${ids.completed}/result`],
  ] as const;
  const figures: Figure[] = [];
  for (const [name, path] of paths)
    figures.push(ratioFigure(name, 0.6, await alternate(server, bare, { method: 'GET', path }, BARE_GET, plan)));
  return figures;
}

export async function batches(server: Program): Promise<Figure> {
  const costs: number[] = [];
  for (let batch = 0; batch <= BATCHES; batch++) {
    const tasks = Array.from({ length: BATCH_TASKS }, (_, index) => ({ image_url: `https://pictures.example/${batch}/${index}.png` }));
    const before = await server.cpuUs();
    const answer = await fetch(`${server.base}/api/v1/tasks/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tasks }),
    });
    const text = await answer.text();
    if (answer.status !== 202) throw new Error(`a batch was answered with ${answer.status}: ${text.slice(0, 300)}`);
    if (batch > 0) costs.push(((await server.cpuUs()) - before) / BATCH_TASKS);
  }
  const value = median(costs);
  return {
    name: 'a batch of 10,000 submits',
    floor: '≤ 40 µs of CPU per task',
    value,
    unit: 'µs',
    met: value <= 40,
    detail: `${BATCHES} batches`,
  };
}

/** The server's CPU for a scrape over a deep queue, less what it uses in the same time without. */
export async function scrapes(server: Program, depth: number): Promise<Figure> {
  const spend = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await server.cpuUs();
    for (let count = 0; count < SCRAPES; count++) {
      await work();
      await pause(SCRAPE_PAUSE_MS);
    }
    return (await server.cpuUs()) - before;
  };
  const idle = await spend(() => Promise.resolve());
  const waits: number[] = [];
  const busy = await spend(async () => {
    const from = performance.now();
    await (await fetch(`${server.base}/metrics`)).arrayBuffer();
    waits.push(performance.now() - from);
  });
  const value = Math.max(0, busy - idle) / SCRAPES / 1_000;
  const detail = `answered in ${median(waits).toFixed(1)} ms`;
  return { name: `a scrape with ${depth.toLocaleString('en')} tasks`, floor: '< 20 ms of CPU', value, unit: 'ms', met: value < 20, detail };
}

/** Resident memory of the server under steady submits: the last third against the second. */
export async function memory(server: Program, plan: Plan, ratePerSecond: number): Promise<Figure> {
  const samples: number[] = [];
  const sampler = setInterval(() => {
    server.residentBytes().then(
      (bytes) => samples.push(bytes),
      () => undefined,
    );
  }, 500);
  await fire(server, SUBMIT, plan.memorySeconds, ratePerSecond);
  clearInterval(sampler);
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [median(samples.slice(third, 2 * third)), median(samples.slice(2 * third))];
  const value = last / middle;
  const detail = `${(middle / 1e6).toFixed(0)} MB, then ${(last / 1e6).toFixed(0)} MB, over ${plan.memorySeconds} s at ${ratePerSecond}/s`;
  return {
    name: 'memory under steady submits',
    floor: '≤ 1.1× from the second third to the last',
    value,
    unit: '×',
    met: value <= 1.1,
    detail,
  };
}
