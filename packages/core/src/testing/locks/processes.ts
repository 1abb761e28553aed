import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { Locks } from '../../locks/locks.ts';
import { until } from '../scheduler.ts';

const CONTENDER = new URL('../fixtures/lock-contender.mjs', import.meta.url);
const ROUNDS = 8;

/** What a table, a file service or a database column does with fences: the highest it has seen counts, a lower one is refused. */
class FencedTable {
  readonly refused: string[] = [];
  private highest = 0;

  write(who: string, fence: number): void {
    if (fence < this.highest) this.refused.push(who);
    else this.highest = fence;
  }
}

export interface ProcessContention {
  readonly kind: 'redis' | 'rabbitmq';
  readonly url: string;
  /** Of the test's own process. */
  readonly locks: Locks;
  readonly ttlMs: number;
  readonly aliveMs?: number;
}

/**
 * Four processes want one lock: one is killed while it holds it, one while it stands in line, one is frozen past its TTL (or the broker's
 * patience) while it holds it and writes when it wakes, and one works on all the while.
 */
export async function contendInProcesses({ kind, url, locks, ttlMs, aliveMs }: ProcessContention): Promise<void> {
  const directory = await mkdtemp('/tmp/galley-contenders-');
  const log = path.join(directory, 'log');
  const name = 'etl:table';
  const children: ChildProcess[] = [];
  const contender = (title: string, stays: boolean, rounds: number): ChildProcess => {
    const child = fork(CONTENDER, [JSON.stringify({ kind, url, name, ttlMs, aliveMs, rounds, stays, title, log })]);
    children.push(child);
    return child;
  };
  try {
    const held = await locks.acquire(name, { fair: true, ttlMs: 60_000 });
    const [killed, frozen] = [contender('killed', true, 1), contender('frozen', true, 1)];
    const [worker, waiter] = [contender('worker', false, ROUNDS), contender('waiter', false, 1)];
    const ended = once(worker, 'exit');
    killed.once('message', () => killed.kill('SIGKILL'));
    frozen.once('message', () => frozen.kill('SIGSTOP'));
    await until('all wait', async () => (await locks.inspect(name)).waiting === 4, 30_000);
    waiter.kill('SIGKILL');
    await held.release();
    expect(await ended).toEqual([0, null]);

    const word = once(frozen, 'message');
    frozen.send('go on');
    frozen.kill('SIGCONT');
    expect(['expired', 'taken']).toContain((await word)[0]);
    checkLog(await readFile(log, 'utf8'));
  } finally {
    const exits = children.filter((child) => child.exitCode === null && child.signalCode === null).map((child) => once(child, 'exit'));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(exits);
    await rm(directory, { recursive: true, force: true });
  }
}

function checkLog(text: string): void {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const table = new FencedTable();
  const fences: number[] = [];
  const written: Record<string, number> = {};
  for (const [index, [what = '', who = '', fence]] of lines.entries()) {
    table.write(who, Number(fence));
    if (what === 'in') fences.push(Number(fence));
    else {
      written[who] = (written[who] ?? 0) + 1;
      // Nobody else came in between, unless it was frozen.
      if (who !== 'frozen') expect(lines[index - 1]).toEqual(['in', who, fence]);
    }
  }
  expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b));
  expect(written).toEqual({ worker: ROUNDS, frozen: 1 });
  expect(table.refused).toEqual(['frozen']);
}
