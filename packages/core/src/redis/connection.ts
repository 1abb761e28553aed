import { GalleyError } from '@galley/contract';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { LineWatch, type LineWatchOptions } from './line-watch.ts';
import { type Script, type ScriptValue, scriptParameters } from './script.ts';

export type RedisClient = Redis | Cluster;

/** A flat or nested reply; scripts answer in strings. */
export type Reply = string | number | null | Reply[];

export interface Connection {
  readonly client: RedisClient;
  readonly isCluster: boolean;
  /** A client of its own for subscriptions; the caller closes it. */
  subscriber(): RedisClient;
  /** Whether commands can be sent now. */
  isUp(): boolean;
  /** `listener` hears true when Redis comes and false when it goes. Returns how to stop listening. */
  onAvailability(listener: (up: boolean) => void): () => void;
  run<Key extends string, Argument extends string, Row extends string>(
    script: Script<Key, Argument, Row>,
    keys: Readonly<Record<Key, string>>,
    values: Readonly<Record<Argument, ScriptValue>>,
    rows?: readonly Readonly<Record<Row, ScriptValue>>[],
  ): Promise<string[]>;
  /**
   * Script calls and reads of the best of sorted sets in one round trip per node. Answers are bytes: a script's words, or
   * members and scores in turn. A call that failed is answered by its error, so that it does not take the others' answers down.
   */
  roundTrip(calls: readonly PreparedCall[], heads: readonly HeadRead[]): Promise<RoundTrip>;
  /** The scores of the first members of sorted sets, null where one is empty, and Redis's time, in one round trip per node. */
  firstScores(keys: readonly string[]): Promise<FirstScores>;
  close(): Promise<void>;
}

export interface RoundTrip {
  readonly calls: readonly (Buffer[] | Error)[];
  readonly heads: string[][] | Error;
}

export interface FirstScores {
  /** Milliseconds; read before the sets are. */
  readonly at: number;
  readonly scores: readonly (number | null)[];
}

/** A script call made ready by `prepareCall`. */
export interface PreparedCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly values: readonly ScriptValue[];
}

/** The best `count` members of a sorted set, with scores. */
export interface HeadRead {
  readonly key: string;
  readonly count: number;
}

export function prepareCall<Key extends string, Argument extends string, Row extends string>(
  script: Script<Key, Argument, Row>,
  keys: Readonly<Record<Key, string>>,
  values: Readonly<Record<Argument, ScriptValue>>,
  rows?: readonly Readonly<Record<Row, ScriptValue>>[],
): PreparedCall {
  return { script, ...scriptParameters(script, keys, values, rows) };
}

const LONGEST_RECONNECT_MS = 500;

const CLIENT_OPTIONS = {
  // Waiting commands are sent again when Redis is back: every script that must not run twice carries a request id.
  maxRetriesPerRequest: null,
  enableReadyCheck: true,
  connectTimeout: 5_000,
  keepAlive: 5_000,
  retryStrategy: (attempt: number) => Math.min(LONGEST_RECONNECT_MS, 20 * 2 ** Math.min(attempt, 6)),
} satisfies RedisOptions;

/**
 * While a master's place is empty, until its replica takes it, the rest of a cluster answers MOVED to it, CLUSTERDOWN, or nothing.
 * Commands wait for it as they do for a single server, for a minute at most, instead of failing after some tries.
 */
const CLUSTER_WAITING = { maxRedirections: 600, retryDelayOnMoved: 20, retryDelayOnFailover: 100, retryDelayOnClusterDown: 100 };

/** URL's own error is not passed on: it carries the whole address, password included. */
function isRedisAddress(address: string): boolean {
  return /^rediss?:\/\//.test(address) && URL.canParse(address) && new URL(address).hostname !== '';
}

/** `unix:/path/redis.sock`, `redis://…`, `rediss://…`, or a comma-separated list of the latter two, which is a cluster. */
function openClient(url: string): RedisClient {
  const unix = /^(?:redis\+)?unix:(?:\/\/)?(\/.+)$/.exec(url);
  if (unix?.[1] !== undefined) return new Redis({ ...CLIENT_OPTIONS, path: unix[1] });
  const addresses = url.split(',').map((address) => address.trim());
  for (const address of addresses) {
    if (!isRedisAddress(address)) {
      throw new GalleyError(
        'invalid_request',
        // Whatever stands before the last @ may be a password, however the rest is written.
        `"${address.replace(/^.*@/, '***@')}" is no Redis address: use redis://host:6379, rediss://…, unix:/path, or a comma-separated list for a cluster`,
      );
    }
  }
  const [first] = addresses;
  if (addresses.length === 1 && first !== undefined) return new Redis(first, CLIENT_OPTIONS);
  const nodes = addresses.map((address) => new URL(address));
  const secure = nodes.some((node) => node.protocol === 'rediss:');
  return new Cluster(
    nodes.map((node) => ({ host: node.hostname, port: Number(node.port || 6379) })),
    {
      ...CLUSTER_WAITING,
      clusterRetryStrategy: CLIENT_OPTIONS.retryStrategy,
      redisOptions: {
        ...CLIENT_OPTIONS,
        ...(nodes[0]?.username ? { username: decodeURIComponent(nodes[0].username) } : {}),
        ...(nodes[0]?.password ? { password: decodeURIComponent(nodes[0].password) } : {}),
        ...(secure ? { tls: {} } : {}),
      },
    },
  );
}

/** A script whose answer is one word may leave the list away. */
function words(script: string, reply: unknown): unknown[] {
  if (typeof reply === 'string') return [reply];
  if (!Array.isArray(reply)) throw new Error(`script ${script} answered ${typeof reply} instead of words`);
  return reply;
}

function bytes(script: string, reply: unknown): Buffer[] {
  return words(script, reply).map((word) => (Buffer.isBuffer(word) ? word : Buffer.from(String(word))));
}

function settled<Value>(promise: Promise<Value>): Promise<Value | Error> {
  return promise.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
}

async function sendBuffers(client: RedisClient, { script, keys, values }: PreparedCall): Promise<Buffer[]> {
  const reply = await client.callBuffer('evalsha', script.sha, keys.length, ...keys, ...values).catch((error: unknown) => {
    if (isNoScript(error)) return client.callBuffer('eval', script.source, keys.length, ...keys, ...values);
    throw error;
  });
  return bytes(script.name, reply);
}

/** A pipeline must stay on one node, so a cluster gets plain concurrent calls, which share each node's connection. */
async function clusterRoundTrip(client: RedisClient, calls: readonly PreparedCall[], heads: readonly HeadRead[]): Promise<RoundTrip> {
  const [answers, read] = await Promise.all([
    Promise.all(calls.map((call) => settled(sendBuffers(client, call)))),
    settled(Promise.all(heads.map(({ key, count }) => client.zrange(key, '0', String(count - 1), 'WITHSCORES')))),
  ]);
  return { calls: answers, heads: read };
}

async function singleRoundTrip(client: Redis, calls: readonly PreparedCall[], heads: readonly HeadRead[]): Promise<RoundTrip> {
  const pipeline = client.pipeline();
  for (const { script, keys, values } of calls) pipeline.callBuffer('evalsha', script.sha, keys.length, ...keys, ...values);
  for (const { key, count } of heads) pipeline.zrange(key, '0', String(count - 1), 'WITHSCORES');
  const replies = (await pipeline.exec()) ?? [];
  const answers = await Promise.all(
    calls.map(async (call, index): Promise<Buffer[] | Error> => {
      const [error, reply] = replies[index] ?? [new Error('a pipeline answered for fewer commands than it was given'), null];
      if (error === null) return bytes(call.script.name, reply);
      // Sent again under its own request id, a call whose reply was lost gets its first answer.
      return isNoScript(error) || isReplyLost(error) ? settled(sendBuffers(client, call)) : error;
    }),
  );
  const read: string[][] = [];
  for (const [error, reply] of replies.slice(calls.length)) {
    if (error !== null) return { calls: answers, heads: error };
    read.push(Array.isArray(reply) ? reply.map(String) : []);
  }
  return { calls: answers, heads: read };
}

async function clusterFirstScores(client: RedisClient, keys: readonly string[]): Promise<FirstScores> {
  const at = timeOf(await client.time());
  const heads = await Promise.all(keys.map((key) => client.zrange(key, '0', '0', 'WITHSCORES')));
  return { at, scores: heads.map(scoreOf) };
}

async function singleFirstScores(client: Redis, keys: readonly string[]): Promise<FirstScores> {
  const pipeline = client.pipeline().time();
  for (const key of keys) pipeline.zrange(key, '0', '0', 'WITHSCORES');
  const [time, ...heads] = ((await pipeline.exec()) ?? []).map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
  return { at: timeOf(time), scores: heads.map(scoreOf) };
}

function timeOf(reply: unknown): number {
  const [seconds, microseconds] = words('TIME', reply);
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

function scoreOf(head: unknown): number | null {
  const [, score] = words('ZRANGE', head);
  return score === undefined ? null : Number(score);
}

/** ioredis sends commands again after a lost connection, but not those of a pipeline of which some replies had come. */
function isReplyLost(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/**
 * Opens a connection. Commands wait while Redis is away and are sent when it is back.
 * `onError`: hears each connection error; ioredis goes on trying by itself. `watch`: how soon a line that is open and dead is given up.
 */
export function connectRedis(url: string, options: { onError?: (error: Error) => void; watch?: LineWatchOptions } = {}): Connection {
  const client = openClient(url);
  const watch = new LineWatch(options.watch);
  watch.add(client);
  const listeners = new Set<(up: boolean) => void>();
  let up = false;
  let closing = false;
  const say = (next: boolean): void => {
    if (up === next) return;
    up = next;
    for (const listener of listeners) listener(next);
  };
  client.on('ready', () => say(true));
  client.on('close', () => say(false));
  client.on('error', (error: Error) => options.onError?.(error));
  // After a failover a client can end for good although nobody closed it.
  client.on('end', () => {
    say(false);
    if (!closing) client.connect().catch((error: Error) => options.onError?.(error));
  });

  return {
    client,
    isCluster: client instanceof Cluster,
    subscriber: () => {
      const subscriber = openClient(url);
      subscriber.on('error', (error: Error) => options.onError?.(error));
      watch.add(subscriber);
      return subscriber;
    },
    isUp: () => up,
    onAvailability: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    run(script, keys, values, rows) {
      const parameters = scriptParameters(script, keys, values, rows);
      const send = (command: 'evalsha' | 'eval', body: string): Promise<unknown> =>
        client.call(command, body, parameters.keys.length, ...parameters.keys, ...parameters.values);
      const read = (reply: unknown): string[] => words(script.name, reply).map((word) => (typeof word === 'string' ? word : String(word)));
      return send('evalsha', script.sha).then(read, (error: unknown) => {
        if (isNoScript(error)) return send('eval', script.source).then(read);
        throw error;
      });
    },
    firstScores: (keys) => (client instanceof Redis ? singleFirstScores(client, keys) : clusterFirstScores(client, keys)),
    roundTrip: (calls, heads) => (client instanceof Redis ? singleRoundTrip(client, calls, heads) : clusterRoundTrip(client, calls, heads)),
    async close() {
      closing = true;
      watch.stop();
      listeners.clear();
      client.disconnect();
    },
  };
}
