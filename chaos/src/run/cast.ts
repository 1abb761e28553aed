import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FaultProxy } from '../faults/fault-proxy.ts';
import type { HistoryWriter } from '../history/writer.ts';
import { Member } from '../processes/member.ts';
import type { ProducerOrder, WorkerOrder } from '../processes/orders.ts';
import type { SabotageName } from '../sabotage/sabotages.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { SETTING } from './setting.ts';

/** Everybody who takes part in a run. */
export interface Cast {
  /** Workers, and a server that runs the chores alone. */
  readonly serving: readonly Member[];
  readonly producers: readonly Member[];
  readonly all: ReadonlyMap<string, Member>;
}

export interface CastOptions {
  readonly schedule: Schedule;
  readonly directory: string;
  readonly history: HistoryWriter;
  readonly proxy: FaultProxy;
  readonly sabotage: SabotageName | null;
  readonly timelines: boolean;
  /** Asked when a producer is started. */
  readonly startedAt: () => number;
}

/** Opens a door of the proxy for each member; starts nobody. */
export async function castOf(options: CastOptions): Promise<Cast> {
  const { schedule } = options;
  const workers: Member[] = [];
  for (let number = 1; number <= schedule.workers; number++) {
    // Most workers run their handlers in threads; the last in its own process, as the library allows for handlers that wait.
    const threads = number < schedule.workers || schedule.workers === 1;
    workers.push(await servingMember(options, `worker-${number}`, SETTING.slots, threads));
  }
  const server = await servingMember(options, 'server', 0, false);
  const producers: Member[] = [];
  for (const [index, actions] of schedule.actions.entries())
    producers.push(await producerMember(options, `producer-${index + 1}`, actions));
  const all = [...workers, server, ...producers];
  return { serving: [...workers, server], producers, all: new Map(all.map((member) => [member.name, member])) };
}

function nodeOptionsOf(sabotage: SabotageName | null): string[] {
  if (sabotage === null) return [];
  const preload = new URL('../../dist/sabotage/preload.js', import.meta.url);
  preload.searchParams.set('sabotage', sabotage);
  return ['--import', preload.href];
}

function common({ directory, timelines }: CastOptions, by: string, url: string) {
  const { leaseMs, crashBudget, timeoutMs, maxRetries, queue } = SETTING;
  return { by, url, queue, historyDirectory: directory, settings: { leaseMs, crashBudget, timeoutMs, maxRetries, timelines } };
}

async function servingMember(options: CastOptions, name: string, slots: number, threads: boolean): Promise<Member> {
  const { history, proxy, sabotage } = options;
  const url = await proxy.open(name);
  const { reaperMs, abortGraceMs, graceMs } = SETTING;
  const orderOf = (by: string): WorkerOrder => ({ ...common(options, by, url), slots, threads, reaperMs, abortGraceMs, graceMs });
  return new Member({ name, script: 'worker-process.js', orderOf, nodeOptions: nodeOptionsOf(sabotage), history });
}

async function producerMember(options: CastOptions, name: string, actions: Schedule['actions'][number]): Promise<Member> {
  const { directory, history, proxy, sabotage, startedAt } = options;
  const url = await proxy.open(name);
  const actionsFile = path.join(directory, `${name}.actions.json`);
  await writeFile(actionsFile, JSON.stringify(actions));
  const orderOf = (by: string): ProducerOrder => ({ ...common(options, by, url), startedAt: startedAt(), actionsFile });
  return new Member({ name, script: 'producer-process.js', orderOf, nodeOptions: nodeOptionsOf(sabotage), history });
}
