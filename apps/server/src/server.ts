import { createServer, type Server as HttpServer } from 'node:http';
import path from 'node:path';
import { createBlobStore } from '@galley/blobs';
import { GalleyError, GLM_OCR_QUEUE, OCR_QUEUE } from '@galley/contract';
import { type Connection, connectRedis, createChores, type Lifecycle, Operations } from '@galley/core';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { Callbacks } from './callbacks/callbacks.ts';
import type { Config } from './config.ts';
import { createBlobJanitor } from './documents/blob-janitor.ts';
import { HostGuard } from './http/hosts.ts';
import { dismissStrangers, openLiveSocket } from './live/live-socket.ts';
import { LiveStream } from './live/live-stream.ts';
import { AlertThresholdStore } from './queue/alert-thresholds.ts';
import { Queues } from './queue/queues.ts';
import { RedisPolicy } from './queue/redis-policy.ts';
import { Snapshots } from './queue/snapshots.ts';
import { requireRedisVersion } from './redis/redis-version.ts';
import { RedisWatch, redisAway } from './redis/redis-watch.ts';
import type { Services } from './services.ts';
import { Audit } from './session/audit.ts';
import { Authenticator } from './session/authenticator.ts';
import { Callers } from './session/callers.ts';
import { TokenSource } from './session/token-source.ts';
import { createUploadJanitor, openUploadStore } from './uploads/upload-store.ts';

export interface GalleyServer {
  /** As a person types it, without a slash at its end. */
  readonly address: string;
  readonly port: number;
  /** Settles when the queues are open; rejects with a sentence where this Redis cannot be used. */
  readonly opened: Promise<void>;
  /** Readiness red, sockets closed, requests under way finished, chores ended. May be called twice. */
  stop(): Promise<void>;
}

/** Slow clients may not hold a connection without sending their request. */
const HEADERS_TIMEOUT_MS = 30_000;
/** An upload of the largest file over a slow line takes long. */
const REQUEST_TIMEOUT_MS = 3_600_000;
const STOP_LIMIT_MS = 9_000;
const IDLE_SWEEP_MS = 50;

/** Says once that Redis is away and once that it is back, not at each try to reach it. */
function openConnection(config: Config, logger: Logger): Connection {
  let saidAway = false;
  const connection = connectRedis(config.redisUrl, {
    onError: (error) => {
      if (saidAway) return;
      saidAway = true;
      logger.warn({ err: error }, 'Redis cannot be reached; it is tried again until it is back');
    },
  });
  connection.onAvailability((up) => {
    if (up && saidAway) logger.info({}, 'Redis is back');
    if (up) saidAway = false;
  });
  return connection;
}

async function listen(http: HttpServer, { host, port }: Config): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, resolve);
  }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GalleyError(
      'invalid_request',
      `${host}:${port} cannot be listened on (${reason}). Choose another with GALLEY_HOST and GALLEY_PORT.`,
      { cause },
    );
  });
  const address = http.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function closeHttp(http: HttpServer, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => http.closeAllConnections(), limitMs);
    // A connection whose last request has just been answered would be kept for the next, which will not come.
    const sweep = setInterval(() => http.closeIdleConnections(), IDLE_SWEEP_MS);
    http.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
  });
}

/** Starts the server. It answers at once, with 503 until Redis is there and the queues are open. */
export async function startServer(config: Config, logger: Logger): Promise<GalleyServer> {
  const uploads = await openUploadStore(config.dataDirectory);
  const tokens = await TokenSource.open(config, logger);
  const connection = openConnection(config, logger);
  const ownQueues = config.hasGlmOcr ? [OCR_QUEUE, GLM_OCR_QUEUE] : [OCR_QUEUE];
  const queues = new Queues(connection, ownQueues, {
    ...(config.shards === undefined ? {} : { shards: config.shards }),
    ...(config.order === undefined ? {} : { order: config.order }),
    onDisagreement: (sentence) => logger.warn({}, sentence),
    settings: {
      leaseMs: config.leaseMs,
      resultMs: config.resultMs,
      depthLimit: config.depthLimit,
      retentionMs: config.retentionMs,
      crashBudget: config.crashBudget,
      timelines: true,
    },
  });
  let phase: 'opening' | 'serving' | 'stopping' = 'opening';
  const redis = new RedisWatch(connection);
  const policy = new RedisPolicy(connection, logger);
  const thresholds = new AlertThresholdStore(connection);
  const authenticator = new Authenticator(connection, tokens);
  const services: Services = {
    config,
    logger,
    connection,
    redis,
    queues,
    blobs: createBlobStore(path.join(config.dataDirectory, 'blobs'), config.s3),
    uploads,
    operations: new Operations(connection, logger),
    policy,
    thresholds,
    snapshots: new Snapshots(connection, policy, thresholds),
    authenticator,
    callers: new Callers(authenticator, redis),
    audit: new Audit(connection),
    callbacks: new Callbacks({ connection, queues, logger, enabled: config.sendsCallbacks }),
    notReady: () => {
      if (phase === 'stopping') return new GalleyError('shutting_down', 'the server is stopping', { retryAfterMs: 1_000 });
      if (!redis.isUp()) return redisAway();
      return phase === 'opening' ? new GalleyError('redis_unavailable', 'the queues are being opened', { retryAfterMs: 1_000 }) : null;
    },
  };
  const guard = new HostGuard(config.host, config.allowedHosts);
  const http = createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS }, createApp(services, guard));
  const { io, live } = openLiveSocket(http, services, guard);
  const stream = new LiveStream(services, live);
  tokens.onChange(() => void dismissStrangers(live, services));
  tokens.start();
  redis.start();
  const port = await listen(http, config).catch(async (error: unknown) => {
    await tokens.stop();
    await redis.stop();
    await connection.close();
    throw error;
  });

  const loops: Lifecycle[] = [];
  const open = async (): Promise<void> => {
    const version = await requireRedisVersion(connection);
    await queues.open();
    if (phase !== 'opening') return;
    const own = await Promise.all(ownQueues.map(async (name) => (await queues.get(name)).queue));
    // Only what this server knows the settings of: the workers of other queues keep those.
    loops.push(
      createChores({ connection, queues: own, logger }),
      createBlobJanitor({ ...services, resultMs: config.resultMs }),
      services.callbacks,
      createUploadJanitor(uploads, connection, logger),
      stream,
    );
    for (const loop of loops) loop.start();
    phase = 'serving';
    logger.info({ redis: version, queues: queues.all().map(({ queue }) => queue.name) }, 'ready');
  };
  const opened = open();
  // Whoever started the server hears of it through `opened`; a stop while it opens is not an error of its own.
  opened.catch(() => undefined);

  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    phase = 'stopping';
    // Sockets first: browsers come back when another server takes over. Then requests, then what they stand on.
    await tokens.stop();
    live.disconnectSockets(true);
    await closeHttp(http, Math.min(config.graceMs, STOP_LIMIT_MS));
    await io.close();
    const ended = Promise.allSettled([services.operations.stop(), ...loops.map((loop) => loop.stop())]);
    const outcomes = await redis.during(() => ended).catch(() => null);
    if (outcomes === null) logger.warn({}, 'Redis is away, so what the loops had sent is not waited for');
    for (const outcome of outcomes ?? [])
      if (outcome.status === 'rejected') logger.warn({ err: outcome.reason }, 'a loop ended in an error');
    await redis.stop();
    await connection.close();
  };
  const name = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  return {
    address: `http://${name.includes(':') ? `[${name}]` : name}:${port}`,
    port,
    opened,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}
