import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket as NetSocket } from 'node:net';
import { type QueueSnapshot, queueSnapshotSchema, TASK_STATES } from '@galley/contract';
import { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LiveNamespace, LiveServer } from './live-socket.ts';
import { QueueRooms, ROOM_SIZE } from './queue-rooms.ts';

let http: HttpServer;
let server: LiveServer;
let live: LiveNamespace;
let rooms: QueueRooms;
const clients: Socket[] = [];
const connections: NetSocket[] = [];

beforeEach(async () => {
  http = createServer();
  http.on('connection', (socket) => connections.push(socket));
  server = new Server(http, { serveClient: false, perMessageDeflate: false });
  live = server.of('/live');
  rooms = new QueueRooms(live);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
});
afterEach(async () => {
  rooms.stop();
  for (const client of clients.splice(0)) client.disconnect();
  connections.length = 0;
  await server.close();
});

async function connect(queue: string): Promise<Socket> {
  const joined = new Promise<void>((resolve) => {
    live.once('connection', (client) => void rooms.join(client, queue).then(resolve));
  });
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}/live`;
  const client = io(address, { transports: ['websocket'], reconnection: false, forceNew: true });
  clients.push(client);
  await joined;
  return client;
}

/** Number `pages.pending` tells it apart; `detail` makes it as long as one with many alerts. */
function snapshot(number: number, detail = ''): QueueSnapshot {
  const at = '2026-11-30T12:00:00.000Z';
  return queueSnapshotSchema.parse({
    at,
    queue: 'ocr',
    paused: false,
    order: 'strict',
    lock_keys: true,
    counts: Object.fromEntries(TASK_STATES.map((state) => [state, 0])),
    pending_by_band: { urgent: 0, high: 0, normal: 0, bulk: 0 },
    pages: { pending: number, per_minute: 0 },
    shards: [],
    rates: { completed_per_minute: 0, failed_per_minute: 0, submitted_per_minute: 0 },
    wait_ms: { p50: null, p95: null, p99: null },
    run_ms: { p50: null, p95: null, p99: null },
    workers: { count: 0, slots: 0, busy: 0 },
    alerts: [{ code: 'no_workers', since: at, detail }],
  });
}

function numbersOf(client: Socket): number[] {
  const numbers: number[] = [];
  client.on('snapshot', (message: QueueSnapshot) => numbers.push(message.pages.pending));
  return numbers;
}

const until = async (client: Socket, number: number): Promise<void> => {
  await new Promise<void>((resolve) => {
    client.on('snapshot', (message: QueueSnapshot) => {
      if (message.pages.pending === number) resolve();
    });
  });
};

test('a client that does not read is passed over, nothing is kept for it, and it goes on with the newest', async () => {
  const quick = await connect('ocr');
  const slow = await connect('ocr');
  const [quickNumbers, slowNumbers] = [numbersOf(quick), numbersOf(slow)];
  const socket = connections.at(-1);
  // Not the sockets of this process's kernel alone, but the client: it stops reading.
  const raw: unknown = Reflect.get(Reflect.get(slow.io.engine.transport, 'ws') as object, '_socket');
  (raw as NetSocket).pause();
  const detail = 'x'.repeat(200_000);
  let sent = 0;
  // As many as fill what the kernel takes, several times over: some 80 MB.
  while (sent < 400) {
    sent++;
    const reached = until(quick, sent);
    rooms.tellSnapshot('ocr', snapshot(sent, detail));
    await reached;
  }
  expect(socket?.writableLength ?? 0).toBeLessThan(1_000_000);
  (raw as NetSocket).resume();
  // Told again until it can take one, as the next second does.
  const newest = until(slow, 1_000);
  const again = setInterval(() => rooms.tellSnapshot('ocr', snapshot(1_000)), 20);
  await newest;
  clearInterval(again);
  expect(quickNumbers.filter((number) => number <= 400)).toHaveLength(400);
  expect(slowNumbers.length).toBeLessThan(200);
  expect(slowNumbers.at(-1)).toBe(1_000);
});

test('rooms hold a hundred, and all of them are told, each queue its own', async () => {
  const rooms2 = new QueueRooms(live);
  const told: Promise<void>[] = [];
  for (let count = 0; count < ROOM_SIZE + 5; count++) told.push(until(await connect('ocr'), 7));
  const other = await connect('glm-ocr');
  const otherNumbers = numbersOf(other);
  expect([...live.adapter.rooms].filter(([room]) => room.startsWith('queue ocr')).map(([, members]) => members.size)).toEqual([
    ROOM_SIZE,
    5,
  ]);
  expect([rooms2.isFollowed('ocr'), rooms2.isFollowed('glm-ocr'), rooms2.isFollowed('oc')]).toEqual([true, true, false]);
  rooms.tellSnapshot('ocr', snapshot(7));
  await Promise.all(told);
  const own = until(other, 8);
  rooms.tellSnapshot('glm-ocr', snapshot(8));
  await own;
  expect(otherNumbers).toEqual([8]);
});
