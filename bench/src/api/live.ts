import { rm } from 'node:fs/promises';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { LIVE_NAMESPACE } from '@galley/contract';
import { startTemporaryRedisServer } from '@galley/core';
import { io, type Socket } from 'socket.io-client';
import { benchDirectory, endOnSignals } from '../end-on-signals.ts';
import { type Program, startServer } from './programs.ts';

/**
 * Thousands of dashboards on one server process: the delay of its event loop while all of them are told once a second.
 * The clients live in this process; what they cost is not the server's.
 */
const CONNECT_AT_ONCE = 50;
const FLOOR_MS = 50;

async function connect(base: string, heard: () => void): Promise<Socket> {
  const socket = io(base + LIVE_NAMESPACE, { transports: ['websocket'], reconnection: false, forceNew: true });
  await new Promise((resolve, reject) => {
    socket.once('snapshot', resolve);
    socket.once('connect_error', reject);
  });
  socket.on('snapshot', heard);
  return socket;
}

/** Milliseconds; the server's own measure, which starts anew with each scrape. */
async function loopDelay(server: Program, quantile: 'p50' | 'p99'): Promise<number> {
  const text = await (await fetch(`${server.base}/metrics`)).text();
  return Number(new RegExp(`^nodejs_eventloop_lag_${quantile}_seconds (\\S+)$`, 'm').exec(text)?.[1]) * 1_000;
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

endOnSignals();
const { values } = parseArgs({ options: { clients: { type: 'string', default: '2000' }, seconds: { type: 'string', default: '20' } } });
const [clients, seconds] = [Number(values.clients), Number(values.seconds)];
const directory = await benchDirectory('galley-bench-live-');
const redis = await startTemporaryRedisServer();
const server = await startServer(redis.url, directory);
const sockets: Socket[] = [];
try {
  await loopDelay(server, 'p99');
  await pause(seconds * 500);
  const idle = await loopDelay(server, 'p99');
  let heard = 0;
  for (let from = 0; from < clients; from += CONNECT_AT_ONCE) {
    const size = Math.min(CONNECT_AT_ONCE, clients - from);
    sockets.push(...(await Promise.all(Array.from({ length: size }, () => connect(server.base, () => heard++)))));
  }
  await loopDelay(server, 'p99');
  heard = 0;
  const cpuBefore = await server.cpuUs();
  await pause(seconds * 1_000);
  const cores = ((await server.cpuUs()) - cpuBefore) / (seconds * 1_000_000);
  const p99 = await loopDelay(server, 'p99');
  const perClient = heard / clients / seconds;
  const load = os.loadavg()[0]?.toFixed(1);
  console.log(
    `${clients} dashboards, ${seconds} s, load ${load}: event-loop delay p99 ${p99.toFixed(1)} ms (floor ${FLOOR_MS} ms; ${idle.toFixed(1)} ms with none), ` +
      `${perClient.toFixed(2)} snapshots a second each, ${(cores * 100).toFixed(0)} % of a core, ` +
      `${((await server.residentBytes()) / 1e6).toFixed(0)} MB`,
  );
  process.exitCode = p99 < FLOOR_MS ? 0 : 1;
} finally {
  for (const socket of sockets) socket.disconnect();
  await server.stop();
  await redis.stop();
  await rm(directory, { recursive: true, force: true });
}
