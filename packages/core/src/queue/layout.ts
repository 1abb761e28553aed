import { GalleyError, ORDER_POLICIES, type OrderPolicy, QUEUE_NAME } from '@galley/contract';
import calculateSlot from 'cluster-key-slot';
import type { Connection } from '../redis/connection.ts';
import { queueKey, queuesKey, type ShardKeys, shardKeys, shardTag } from '../redis/keys.ts';
import { idHead, parseTaskId } from '../rules/ids.ts';
import { initialRoutingTable, routingBucket, shardName } from '../rules/routing.ts';

export const DEFAULT_SHARDS = 8;
const FORMAT_VERSION = 1;
const CLUSTER_SLOTS = 16_384;

/** What is fixed when a queue is created, and stored in Redis; every process uses the stored one. */
export interface QueueDefinition {
  readonly format: number;
  readonly shards: number;
  /** One per shard; put into its hash tag to spread shards over a cluster. */
  readonly suffixes: readonly string[];
  /** Routing bucket → index of the shard. */
  readonly routing: readonly number[];
  readonly order: OrderPolicy;
  readonly lockKeys: boolean;
}

export interface ShardLayout {
  readonly name: string;
  readonly index: number;
  readonly keys: ShardKeys;
  readonly idHead: string;
  /** Where, counted from 1, an id's sequence begins. */
  readonly sequenceAt: number;
}

export interface QueueLayout extends QueueDefinition {
  readonly queue: string;
  readonly shardList: readonly ShardLayout[];
  shardOfKey(key: string): ShardLayout;
  /** The shard an id names; null where the id is not of this queue. */
  shardOf(id: string): ShardLayout | null;
}

export interface CreateQueueOptions {
  readonly shards?: number;
  readonly order?: OrderPolicy;
  readonly lockKeys?: boolean;
  /** Hears a sentence when the stored definition differs from what was asked for. */
  readonly onDisagreement?: (sentence: string) => void;
}

/** The shard's hash tag should fall in its own equal part of the slots, so that masters get equal numbers of shards. */
function spreadingSuffix(queue: string, shard: string, index: number, shards: number): string {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const suffix = attempt === 0 ? '' : `.${attempt.toString(36)}`;
    if (Math.floor((calculateSlot(shardTag(queue, shard, suffix)) * shards) / CLUSTER_SLOTS) === index) return suffix;
  }
  return '';
}

function newDefinition(queue: string, options: CreateQueueOptions, isCluster: boolean): QueueDefinition {
  const shards = options.shards ?? DEFAULT_SHARDS;
  if (!Number.isInteger(shards) || shards < 1 || shards > ROUTABLE_SHARDS) {
    throw new GalleyError('invalid_request', `a queue has 1 to ${ROUTABLE_SHARDS} shards, not ${shards}`);
  }
  const order = options.order ?? 'strict';
  if (!ORDER_POLICIES.includes(order))
    throw new GalleyError('invalid_request', `"${String(order)}" is no order: a queue is one of ${ORDER_POLICIES.join(', ')}`);
  return {
    format: FORMAT_VERSION,
    shards,
    suffixes: Array.from({ length: shards }, (_, index) =>
      isCluster ? spreadingSuffix(queue, shardName(index, shards), index, shards) : '',
    ),
    routing: initialRoutingTable(shards),
    order,
    lockKeys: options.lockKeys ?? true,
  };
}

const ROUTABLE_SHARDS = 1_024;

function readDefinition(queue: string, stored: string): QueueDefinition {
  const value: unknown = JSON.parse(stored);
  const definition = value as QueueDefinition;
  const sound =
    typeof value === 'object' &&
    value !== null &&
    definition.format === FORMAT_VERSION &&
    Number.isInteger(definition.shards) &&
    Array.isArray(definition.suffixes) &&
    Array.isArray(definition.routing) &&
    ORDER_POLICIES.includes(definition.order);
  if (!sound)
    throw new GalleyError('internal_error', `queue ${queue} is stored in a format that this build does not know: upgrade this process`);
  return definition;
}

function layoutOf(queue: string, definition: QueueDefinition): QueueLayout {
  const shardList = Array.from({ length: definition.shards }, (_, index): ShardLayout => {
    const name = shardName(index, definition.shards);
    const head = idHead(queue, name);
    return { name, index, keys: shardKeys(queue, name, definition.suffixes[index] ?? ''), idHead: head, sequenceAt: head.length + 1 };
  });
  const byName = new Map(shardList.map((shard) => [shard.name, shard]));
  const [first] = shardList;
  if (first === undefined) throw new GalleyError('internal_error', `queue ${queue} is stored without shards`);
  return {
    ...definition,
    queue,
    shardList,
    shardOfKey: (key) => shardList[definition.routing[routingBucket(key)] ?? 0] ?? first,
    shardOf: (id) => {
      const parsed = parseTaskId(id);
      return parsed === null || parsed.queue !== queue ? null : (byName.get(parsed.shard) ?? null);
    },
  };
}

/** Creates the queue, or reads how it was created. Two processes racing get the same definition. */
export async function openLayout(connection: Connection, queue: string, options: CreateQueueOptions = {}): Promise<QueueLayout> {
  if (!QUEUE_NAME.test(queue)) {
    throw new GalleyError('invalid_request', `"${queue}" is no queue name: use lower-case letters, digits and dashes, at most 32`);
  }
  const key = queueKey(queue);
  const wanted = newDefinition(queue, options, connection.isCluster);
  await connection.client.hsetnx(key, 'definition', JSON.stringify(wanted));
  await connection.client.sadd(queuesKey, queue);
  const stored = await connection.client.hget(key, 'definition');
  if (stored === null) throw new GalleyError('internal_error', `queue ${queue} vanished while it was opened`);
  const definition = readDefinition(queue, stored);
  for (const field of ['shards', 'order', 'lockKeys'] as const) {
    if (options[field] !== undefined && options[field] !== definition[field]) {
      options.onDisagreement?.(
        `queue ${queue} was created with ${field} ${definition[field]}, which is used; ${options[field]} was asked for`,
      );
    }
  }
  return layoutOf(queue, definition);
}

/** The layout of a queue that exists; null where none does. */
export async function findLayout(connection: Connection, queue: string): Promise<QueueLayout | null> {
  const stored = await connection.client.hget(queueKey(queue), 'definition');
  return stored === null ? null : layoutOf(queue, readDefinition(queue, stored));
}

export async function queueNames(connection: Connection): Promise<string[]> {
  return (await connection.client.smembers(queuesKey)).sort();
}
