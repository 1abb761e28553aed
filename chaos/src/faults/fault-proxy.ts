import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly redis: Socket;
  /** The next reply is cut off in its middle. */
  cutInReply: boolean;
}

interface Door {
  readonly server: Server;
  readonly pairs: Set<Pair>;
  stalled: boolean;
}

/**
 * Stands between processes and Redis, a door for each process, and hurts their connections on demand: cuts them, cuts them in
 * the middle of a reply, or keeps them open and silent.
 */
export class FaultProxy {
  private readonly socketPath: string;
  private readonly doors = new Map<string, Door>();

  /** `socketPath`: where Redis listens. */
  constructor(socketPath: string) {
    this.socketPath = socketPath;
  }

  /** Opens a door on loopback; the address is one that `connectRedis` takes. */
  async open(name: string): Promise<string> {
    const server = createServer((client) => this.admit(door, client));
    const door: Door = { server, pairs: new Set(), stalled: false };
    this.doors.set(name, door);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy was given no port');
    return `redis://127.0.0.1:${address.port}`;
  }

  /** Ends every connection of the door at once. */
  cut(name: string): void {
    for (const pair of this.door(name).pairs) end(pair);
  }

  /** The next reply on any connection of the door goes through by half, and then the connection is cut. */
  cutInReply(name: string): void {
    for (const pair of this.door(name).pairs) pair.cutInReply = true;
  }

  /** Connections stay open and nothing comes through, new ones included. */
  stall(name: string): void {
    const door = this.door(name);
    door.stalled = true;
    for (const { client, redis } of door.pairs) {
      client.pause();
      redis.pause();
    }
  }

  /** Lets through again what was held, in its order. */
  resume(name: string): void {
    const door = this.door(name);
    door.stalled = false;
    for (const { client, redis } of door.pairs) {
      client.resume();
      redis.resume();
    }
  }

  async close(): Promise<void> {
    for (const door of this.doors.values()) {
      for (const pair of door.pairs) end(pair);
      door.server.close();
      await once(door.server, 'close');
    }
    this.doors.clear();
  }

  private door(name: string): Door {
    const door = this.doors.get(name);
    if (door === undefined) throw new Error(`the proxy has no door for ${name}`);
    return door;
  }

  private admit(door: Door, client: Socket): void {
    const redis = createConnection(this.socketPath);
    const pair: Pair = { client, redis, cutInReply: false };
    door.pairs.add(pair);
    client.setNoDelay(true);
    client.on('data', (bytes) => forward(bytes, client, redis));
    redis.on('data', (bytes) => {
      if (pair.cutInReply) client.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => end(pair));
      else forward(bytes, redis, client);
    });
    for (const socket of [client, redis]) {
      // Redis away or the other side gone: both show as a close, which is what the other end gets to see.
      socket.on('error', () => end(pair));
      socket.on('close', () => {
        end(pair);
        door.pairs.delete(pair);
      });
    }
    if (door.stalled) {
      client.pause();
      redis.pause();
    }
  }
}

/** Passes bytes on and holds the sender while the receiver is full. */
function forward(bytes: Buffer, from: Socket, to: Socket): void {
  if (to.destroyed || to.write(bytes)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

function end({ client, redis }: Pair): void {
  client.destroy();
  redis.destroy();
}
