import { rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTemporaryRedisServer } from '@galley/core';
import { benchDirectory, endOnSignals } from '../end-on-signals.ts';
import { batches, type Figure, memory, type Plan, reads, scrapes, submits } from './measures.ts';
import { startBare, startServer } from './programs.ts';
import { completedDocument, fill } from './seed.ts';
import { uploads } from './uploads.ts';

const RESULTS = fileURLToPath(new URL('../../RESULTS-api.md', import.meta.url));
const FULL: Plan = { rounds: 5, seconds: 10, memorySeconds: 600, files: 5_000, depth: 1_000_000 };
const QUICK: Plan = { rounds: 2, seconds: 3, memorySeconds: 30, files: 500, depth: 1_000_000 };

function table(figures: readonly Figure[]): string {
  const rows = figures.map(
    ({ name, floor, value, unit, met, detail }) =>
      `| ${name} | ${floor} | ${value.toFixed(unit === '×' ? 2 : 1)} ${unit} | ${met ? 'pass' : '**missed**'} | ${detail} |`,
  );
  return ['| measure | floor | measured | verdict | |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

async function pendingTask(base: string): Promise<string> {
  const answer = await fetch(`${base}/api/v1/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ image_url: 'https://pictures.example/pending.png', priority: 'urgent' }),
  });
  const body: unknown = await answer.json();
  return String(typeof body === 'object' && body !== null ? Reflect.get(body, 'task_id') : '');
}

async function measure(plan: Plan): Promise<Figure[]> {
  const directory = await benchDirectory('galley-bench-api-');
  const redis = await startTemporaryRedisServer();
  const [server, bare] = [await startServer(redis.url, directory), await startBare(redis.socketPath)];
  try {
    const figures: Figure[] = [];
    const completed = await completedDocument(redis.url);
    const pending = await pendingTask(server.base);
    figures.push(...(await reads(server, bare, { pending, completed }, plan)));
    figures.push(...(await submits(server, bare, plan)));
    figures.push(await batches(server));
    figures.push(await memory(server, plan, 300));
    figures.push(await uploads(server, plan.files));
    await fill(redis.url, plan.depth);
    figures.push(await scrapes(server, plan.depth));
    return figures;
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
    await redis.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

endOnSignals();
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, 'no-write': { type: 'boolean', default: false } } });
const plan = values.quick ? QUICK : FULL;
const loadBefore = os.loadavg();
const figures = await measure(plan);
const load = (averages: readonly number[]): string => averages.map((value) => value.toFixed(1)).join(', ');
const text = `# Benchmarks of the HTTP API

Written by \`npm run bench:api\`: autocannon over 50 connections on loopback, one server process as it ships, and beside it, round by round,
a bare Express route that does one Redis command. Medians of the rounds; a ratio is taken round by round.

- machine: ${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown'}, load generator, servers and Redis on one machine
- load average (1, 5, 15 min): ${load(loadBefore)} before and ${load(os.loadavg())} after
- versions: Node ${process.version}; ${plan.rounds} rounds of ${plan.seconds} s${values.quick ? ', **quick**' : ''}

${table(figures)}
`;
console.log(text);
if (!values['no-write']) await writeFile(RESULTS, text);
