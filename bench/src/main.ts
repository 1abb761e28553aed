import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { BenchRedis, type SlowScript } from './bench-redis.ts';
import { endOnSignals } from './end-on-signals.ts';
import { measureDepth } from './measures/depth.ts';
import { measureDrain } from './measures/drain.ts';
import { measureEnqueue } from './measures/enqueue.ts';
import { measureIdle } from './measures/idle.ts';
import { measureLatency } from './measures/latency.ts';
import { type Measure, measureAlone } from './measures/measure.ts';
import { measureMemory } from './measures/memory.ts';
import { measureOperations } from './measures/operations.ts';
import { measureOvertaking } from './measures/overtaking.ts';
import { type MeasureName, type Options, readOptions } from './options.ts';
import { type Circumstances, markdown } from './report/markdown.ts';
import { slowFindings } from './report/slow-scripts.ts';
import type { Findings } from './report/verdict.ts';

const MEASURES: Readonly<Record<MeasureName, Measure>> = {
  drain: measureDrain,
  enqueue: measureEnqueue,
  latency: measureLatency,
  memory: measureMemory,
  depth: measureDepth,
  overtaking: measureOvertaking,
  idle: measureIdle,
  operations: measureOperations,
};

const RESULTS = new URL('../RESULTS.md', import.meta.url);

function log(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function versionOf(name: string): Promise<string> {
  const text = await readFile(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8');
  return `${name} ${/"version": "(.+?)"/.exec(text)?.[1] ?? 'unknown'}`;
}

async function circumstances(options: Options, loadBefore: number[]): Promise<Circumstances> {
  const redis = await BenchRedis.open();
  const redisVersion = await redis.version();
  await redis.close();
  const packages = await Promise.all(['bullmq', 'bee-queue', 'ioredis'].map(versionOf));
  const load = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(', ');
  const [cpu] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, one machine for all, unix socket`,
    load: `load average (1, 5, 15 min) ${load(loadBefore)} before the run and ${load(loadavg())} after it; the run itself keeps about 3 busy`,
    versions: `Node ${process.version}, Redis ${redisVersion} (nothing written to disk), ${packages.join(', ')}`,
    settings: `${options.rounds} rounds, ${options.processes} worker processes for each system, 8 shards${options.quick ? ', **quick: a fifth of the tasks**' : ''}`,
  };
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const loadBefore = loadavg();
  const all: Findings[] = [];
  const slow: SlowScript[] = [];
  for (const name of options.only) {
    const startedAt = performance.now();
    log(`${name}:`);
    const result = await measureAlone(MEASURES[name], options, log);
    all.push(result.findings);
    slow.push(...result.slow);
    log(`  (${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`);
    // After each, so that a run that is interrupted has not been for nothing.
    if (options.write) await writeFile(RESULTS, markdown(await circumstances(options, loadBefore), [...all, slowFindings(slow)]));
  }
  log(markdown(await circumstances(options, loadBefore), [...all, slowFindings(slow)]));
}

endOnSignals();

await main();
