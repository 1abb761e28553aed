import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { readsAs, refusesAll } from '../testing/documents.ts';
import { pngBytes, TestServer } from '../testing/start.ts';

const DEPLOY = fileURLToPath(new URL('../../../../deploy/', import.meta.url));
const isInstalled = ['promtool', 'prometheus'].every((name) => spawnSync(name, ['--version']).status === 0);
if (!isInstalled) console.log('Prometheus is not installed (Debian: prometheus), so its own tests of /metrics are left out.');

const querySchema = z.object({
  data: z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })) }),
});
const rulesSchema = z.object({
  data: z.object({ groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })) }),
});

/** A real Prometheus that scrapes one server every second, with the rules of deploy/. */
class Prometheus {
  private readonly child: ChildProcess;
  private readonly directory: string;
  private readonly base: string;

  private constructor(child: ChildProcess, directory: string, base: string) {
    this.child = child;
    this.directory = directory;
    this.base = base;
  }

  static async start(target: string): Promise<Prometheus> {
    const directory = await mkdtemp('/tmp/galley-prometheus-');
    await copyFile(`${DEPLOY}alerts.yml`, path.join(directory, 'alerts.yml'));
    const scrape = `scrape_configs: [{job_name: galley, static_configs: [{targets: ['${target}']}]}]`;
    const own = `global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [alerts.yml]\n${scrape}\n`;
    await writeFile(path.join(directory, 'prometheus.yml'), own);
    const address = `127.0.0.1:${await freePort()}`;
    const args = [`--config.file=${directory}/prometheus.yml`, `--storage.tsdb.path=${directory}/data`, `--web.listen-address=${address}`];
    const child = spawn('prometheus', [...args, '--log.level=error'], { stdio: 'ignore' });
    return new Prometheus(child, directory, `http://${address}`);
  }

  private async read<Output>(address: string, schema: z.ZodMiniType<Output>): Promise<Output> {
    return schema.parse(await (await fetch(this.base + address)).json());
  }

  /** The newest value of each series, by all of its labels but those of the scrape. */
  async query(expression: string): Promise<Map<string, number>> {
    const { data } = await this.read(`/api/v1/query?query=${encodeURIComponent(expression)}`, querySchema);
    const nameOf = ({ job: _job, instance: _instance, __name__: _name, ...labels }: Record<string, string>): string =>
      Object.values(labels).join(' ');
    return new Map(data.result.map(({ metric, value: [, text] }) => [nameOf(metric), Number(text)]));
  }

  async rules(): Promise<string[]> {
    const { data } = await this.read('/api/v1/rules', rulesSchema);
    return data.groups.flatMap(({ rules }) => rules.map(({ name, health }) => `${name} ${health}`));
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe.runIf(isInstalled)('the metrics, by Prometheus itself', () => {
  let galley: TestServer;
  beforeAll(async () => {
    galley = await TestServer.start();
    const torn = await galley.work(refusesAll);
    await galley.upload([{ name: 'torn.png', bytes: pngBytes('torn') }]);
    await vi.waitFor(async () => expect(JSON.stringify((await galley.call('GET', '/api/v1/dead-letters')).body)).toContain('corrupt'));
    await torn.stop(0);
    await galley.work(readsAs(galley.blobs, 'text'));
    await galley.upload(['a', 'b'].map((name) => ({ name: `${name}.png`, bytes: pngBytes(name) })));
    await vi.waitFor(async () => expect(await textOf()).toMatch(/outcome="completed"} 2/), 10_000);
  });
  afterAll(() => galley.stop());

  const textOf = async (): Promise<string> => String((await galley.call('GET', '/metrics')).body);

  test('are clean to promtool', async () => {
    const verdict = spawnSync('promtool', ['check', 'metrics'], { input: await textOf(), encoding: 'utf8' });
    expect([verdict.status, verdict.stderr, verdict.stdout]).toEqual([0, '', '']);
  });

  test('are scraped, and every rule of deploy/ can be worked out from them', async () => {
    const prometheus = await Prometheus.start(new URL(galley.base).host);
    await vi.waitFor(async () => expect([...(await prometheus.query('up{job="galley"}')).values()]).toEqual([1]), {
      timeout: 15_000,
      interval: 250,
    });
    const text = await textOf();
    const names = new Set([...text.matchAll(/^(galley_[a-z_]+?)(_bucket|_sum|_count)?[{ ]/gm)].map(([, name = '']) => name));
    expect(names.size).toBeGreaterThanOrEqual(11);
    for (const name of names) expect([name, (await prometheus.query(`{__name__=~"${name}(_count)?"}`)).size > 0]).toEqual([name, true]);
    expect(await prometheus.query('galley_tasks{queue="ocr",state=~"completed|dead_letter|pending"}')).toEqual(
      new Map([
        ['ocr completed', 2],
        ['ocr dead_letter', 1],
        ['ocr pending', 0],
      ]),
    );
    await vi.waitFor(async () => {
      const rules = await prometheus.rules();
      expect(rules.length).toBeGreaterThanOrEqual(10);
      expect(rules.filter((rule) => !rule.endsWith(' ok'))).toEqual([]);
    }, 10_000);
    await prometheus.stop();
  });

  test('labels are bounded: no id, name or user is among them', async () => {
    const labels = new Set(
      [...(await textOf()).matchAll(/^galley_[^\n]*\{([^}]*)\}/gm)].flatMap(([, inner = '']) => inner.match(/\w+(?==)/g) ?? []),
    );
    expect([...labels].sort()).toEqual(['engine', 'le', 'outcome', 'queue', 'shard', 'state', 'type']);
  });
});

test('counters do not fall when the server starts again', async () => {
  const galley = await TestServer.start();
  await galley.work(readsAs(galley.blobs, 'text'));
  await galley.upload([{ name: 'a.png', bytes: pngBytes('a') }]);
  const counters = async (server: TestServer): Promise<Map<string, number>> => {
    const text = String((await server.call('GET', '/metrics')).body);
    const lines = [...text.matchAll(/^(galley_(?:tasks_total|pages_total|lock\w+_total|task_\w+_(?:bucket|sum|count))\{[^}]*\}) (\S+)$/gm)];
    return new Map(lines.map(([, series = '', value]) => [series, Number(value)]));
  };
  const completed = 'galley_tasks_total{queue="ocr",type="document",outcome="completed"}';
  await vi.waitFor(async () => expect((await counters(galley)).get(completed)).toBe(1), 10_000);
  const before = await counters(galley);
  const again = await TestServer.beside(galley);
  const after = await counters(again);
  expect(before.size).toBeGreaterThan(60);
  for (const [series, value] of before) expect([series, (after.get(series) ?? -1) >= value]).toEqual([series, true]);
  await again.stop();
  await galley.stop();
});
