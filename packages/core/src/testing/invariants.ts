import { bandOf, PRIORITY_BANDS, TASK_STATES } from '@galley/contract';
import type { ShardLayout } from '../queue/layout.ts';
import { decodeMessage } from '../rules/message.ts';
import { RECORD_FLAGS, type TaskRecord } from '../rules/record.ts';
import type { TestScheduler } from './scheduler.ts';
import { placeOf, type ShardWorld } from './world.ts';

const isChild = (id: string): boolean => id.includes('.');
const has = (record: TaskRecord, flag: number): boolean => (record.flags & flag) !== 0;

/** What each record's state asks for, and nothing besides: one place, one lease, one score. */
function* placeFaults(world: ShardWorld): Generator<string> {
  const places = {
    pending: Object.keys(world.pending),
    processing: world.processing,
    due: Object.keys(world.due),
    dead: world.dead,
    finished: world.finished,
    parked: Object.keys(world.parked),
  };
  for (const [place, ids] of Object.entries(places)) {
    for (const id of ids) if (world.records[id] === undefined) yield `${id} stands in ${place} without a record`;
  }
  for (const [id, record] of Object.entries(world.records)) {
    const own = placeOf(record, isChild(id));
    const found = Object.entries(places).flatMap(([place, ids]) => (ids.includes(id) ? [place] : []));
    const wanted = own === null ? [] : [own];
    if (found.join() !== wanted.join()) yield `${id} is ${record.state} and stands in "${found.join()}" instead of "${wanted.join()}"`;
    if (world.messages[id] === undefined) yield `${id} has no message`;
    const score = world.pending[id] ?? world.parked[id];
    if (score !== undefined && score !== record.score) yield `${id} waits at ${score} and its own score is ${record.score}`;
    const dueAt = world.due[id];
    if (dueAt !== undefined && dueAt > 1 && Math.floor(dueAt) !== record.since)
      yield `${id} is due at ${dueAt} and its record says ${record.since}`;
    if (has(record, RECORD_FLAGS.runOpen) && !['processing', 'pending', 'dead_letter'].includes(record.state))
      yield `${id} is ${record.state} with an open run`;
    if (record.state === 'processing' && !has(record, RECORD_FLAGS.runOpen)) yield `${id} is processing without an open run`;
  }
  for (const id of Object.keys(world.messages)) if (world.records[id] === undefined) yield `${id} left a message behind`;
  for (const id of Object.keys(world.errors)) if (world.records[id] === undefined) yield `${id} left errors behind`;
  for (const id of Object.keys(world.results)) if (world.records[id] === undefined) yield `${id} left a result behind`;
}

function expectedCounts(world: ShardWorld): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (field: string): void => {
    counts[field] = (counts[field] ?? 0) + 1;
  };
  for (const [id, { state }] of Object.entries(world.records)) {
    add(state);
    if (isChild(id)) add(`child:${state}`);
  }
  for (const [tag, ids] of Object.entries(world.tags)) {
    if (tag.startsWith('code:') && ids.length > 0) counts[`dead:${tag.slice('code:'.length)}`] = ids.length;
  }
  return counts;
}

function* countFaults(world: ShardWorld): Generator<string> {
  const expected = expectedCounts(world);
  for (const field of new Set([...Object.keys(expected), ...Object.keys(world.counts)])) {
    const [counted, held] = [world.counts[field] ?? 0, expected[field] ?? 0];
    if (counted !== held) yield `counts says ${field} ${counted} and there are ${held}`;
  }
  const coded = Object.entries(world.tags).flatMap(([tag, ids]) => (tag.startsWith('code:') ? ids : []));
  if (coded.toSorted().join() !== world.dead.toSorted().join())
    yield `dead letters are ${world.dead.join()} and those by code ${coded.join()}`;
  for (const [field, value] of Object.entries(world.totals)) if (value < 0) yield `total ${field} fell to ${value}`;
}

function* bandFaults(world: ShardWorld): Generator<string> {
  const held: Record<string, number> = {};
  for (const { state, priority } of Object.values(world.records)) {
    const band = bandOf(priority);
    if (state === 'pending') held[band] = (held[band] ?? 0) + 1;
  }
  for (const band of PRIORITY_BANDS) {
    if ((world.bands[band] ?? 0) !== (held[band] ?? 0))
      yield `counts says ${world.bands[band] ?? 0} ${band} pending and there are ${held[band] ?? 0}`;
  }
}

function* indexFaults(world: ShardWorld): Generator<string> {
  for (const [identity, id] of Object.entries(world.identities)) {
    const message = world.messages[id];
    if (message === undefined) yield `identity ${identity} names ${id}, which is gone`;
    else if (decodeMessage(message).header.identity !== identity) yield `identity ${identity} names ${id}, which has another`;
  }
  for (const [tag, ids] of Object.entries(world.tags)) {
    for (const id of ids) if (world.records[id] === undefined) yield `tag ${tag} names ${id}, which is gone`;
  }
  for (const [id, message] of Object.entries(world.messages)) {
    const record = world.records[id];
    const { header } = decodeMessage(message);
    for (const [kind, value] of Object.entries(header.tags ?? {})) {
      if (!(world.tags[`${kind}:${value}`] ?? []).includes(id)) yield `${id} is missing from its tag ${kind}:${value}`;
    }
    const live = record !== undefined && !['completed', 'cancelled', 'dead_letter'].includes(record.state);
    if (live && header.identity !== undefined && world.identities[header.identity] !== id) yield `${id} lives without its identity`;
  }
}

/** A child that ended counts once on its parent; while any is left the parent waits. */
function* familyFaults(world: ShardWorld): Generator<string> {
  for (const [id, record] of Object.entries(world.records)) {
    const counted = world.children[id];
    if (has(record, RECORD_FLAGS.isParent) !== (counted !== undefined)) yield `${id} and its children's counts disagree on being a parent`;
    if (counted === undefined || record.state !== 'waiting') continue;
    const ended = (counted.completed ?? 0) + (counted.failed ?? 0);
    const own = Object.entries(world.records).filter(([child]) => child.startsWith(`${id}.`));
    const open = own.filter(([, child]) => !['completed', 'cancelled', 'dead_letter'].includes(child.state)).length;
    if (ended + open !== counted.total) yield `${id} waits for ${counted.total} children; ${ended} are counted as ended and ${open} live`;
    if (ended >= (counted.total ?? 0)) yield `${id} waits although its ${ended} children have ended`;
  }
}

async function* leaseFaults(scheduler: TestScheduler, shard: ShardLayout, world: ShardWorld): AsyncGenerator<string> {
  const { client } = scheduler.connection;
  const now = await scheduler.inspector.now();
  for (const [id, value] of Object.entries(world.locks)) {
    const ttl = await client.pttl(shard.keys.locks + id);
    if (ttl === -1) yield `the lock of ${id} has no TTL`;
    const record = world.records[id];
    if (record?.state !== 'processing') yield `${id} is locked and ${record?.state ?? 'gone'}`;
    else if (value !== `${record.worker}#${record.fence}`) yield `the lock of ${id} says ${value}`;
  }
  for (const [id, expiry] of Object.entries(world.leases)) {
    const expectLock = scheduler.queue.layout.lockKeys && expiry > now + 50;
    if (expectLock && world.locks[id] === undefined) yield `${id} has a lease and no lock key`;
  }
}

/** Everything that is wrong with a queue at rest, in sentences; empty for a sound one (DESIGN P1, P12). */
export async function faultsOf(scheduler: TestScheduler): Promise<string[]> {
  const faults: string[] = [];
  for (const shard of scheduler.queue.layout.shardList) {
    const world = await scheduler.world(shard);
    faults.push(...placeFaults(world), ...countFaults(world), ...bandFaults(world), ...indexFaults(world), ...familyFaults(world));
    for await (const fault of leaseFaults(scheduler, shard, world)) faults.push(fault);
    if (Object.keys(world.counts).some((field) => (TASK_STATES as readonly string[]).includes(field) && (world.counts[field] ?? 0) < 0))
      faults.push(`a count fell under 0 in shard ${shard.name}`);
  }
  return faults;
}
