import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';

export interface LineWatchOptions {
  /** Milliseconds between two looks at each line. */
  readonly beatMs?: number;
  /** A line that has said nothing over this many beats, though it was asked, is given up. */
  readonly silentBeats?: number;
}

const BEAT_MS = 2_000;
const SILENT_BEATS = 2;

interface Line {
  /** The connection that was looked at; ioredis makes a new one each time it connects. */
  socket: unknown;
  bytesRead: number;
  silent: number;
}

/**
 * Gives up connections that are open and dead: a firewall or a frozen machine says no goodbye, and TCP alone takes many minutes to
 * notice. A line on which nothing has come since the last beat is asked (PING); when nothing comes over several beats its socket is
 * destroyed, and ioredis connects anew and sends again what was not answered. Beats are counted and not time: when this very process
 * stood still, the answers have been waiting for it.
 */
export class LineWatch {
  private readonly silentBeats: number;
  private readonly clients = new Set<RedisClient>();
  private readonly lines = new WeakMap<Redis, Line>();
  private readonly timer: NodeJS.Timeout;

  constructor(options: LineWatchOptions = {}) {
    this.silentBeats = options.silentBeats ?? SILENT_BEATS;
    this.timer = setInterval(() => this.beat(), options.beatMs ?? BEAT_MS);
    this.timer.unref();
  }

  add(client: RedisClient): void {
    this.clients.add(client);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private beat(): void {
    for (const client of this.clients) {
      if (client.status === 'end') this.clients.delete(client);
      for (const node of client instanceof Cluster ? client.nodes('all') : [client]) this.look(node);
    }
  }

  private look(node: Redis): void {
    // Before its first connection there is no socket; between two, ioredis waits by itself.
    const socket = node.stream as Redis['stream'] | undefined;
    const bytesRead = socket?.bytesRead ?? 0;
    const line = this.lines.get(node);
    if (line === undefined || line.socket !== socket || line.bytesRead !== bytesRead) {
      this.lines.set(node, { socket, bytesRead, silent: 0 });
      return;
    }
    if (socket === undefined || socket.destroyed) return;
    line.silent++;
    // What becomes of the question is seen by the bytes that come.
    if (line.silent === 1 && node.status === 'ready') node.ping().catch(() => undefined);
    if (line.silent > this.silentBeats) socket.destroy(new Error(`nothing came from Redis on an open connection, although it was asked`));
  }
}
