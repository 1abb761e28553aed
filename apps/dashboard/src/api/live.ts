import {
  CLIENT_EVENTS,
  LIVE_NAMESPACE,
  type LiveDeadLetters,
  type LiveOperation,
  type LiveTask,
  type QueueSnapshot,
  SERVER_EVENTS,
} from '@galley/contract';
import { io, type Socket } from 'socket.io-client';

/** Everything that comes over the wire, parsed. */
export type LiveEvent =
  | { readonly kind: 'snapshot'; readonly snapshot: QueueSnapshot }
  | { readonly kind: 'task'; readonly task: LiveTask }
  | { readonly kind: 'dead_letters'; readonly deadLetters: LiveDeadLetters }
  | { readonly kind: 'operation'; readonly operation: LiveOperation };

export type WireStatus =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  /** `nextTryAt`: this browser's clock, ms since 1970. */
  | { readonly kind: 'away'; readonly nextTryAt: number };

export interface LiveWire {
  /** Opens the connection; it tries again by itself until stopped. */
  start(): void;
  stop(): void;
  /** Chooses the queue whose snapshots come. */
  follow(queue: string): void;
  /** Asks for a task's changes; call what it returns to stop. Watching twice is watching once, until both stop. */
  watch(taskId: string): () => void;
  /** Tries at once instead of at `nextTryAt`; where it seems connected but is silent, drops the connection first. */
  retryNow(): void;
}

export interface LiveWireOptions {
  readonly onEvent: (event: LiveEvent) => void;
  readonly onStatus: (status: WireStatus) => void;
  /** An event that the contract does not allow. */
  readonly onUnexpected: (name: string, detail: string) => void;
}

/** An event of the server, parsed by the contract; null where it does not fit. */
export function parseServerEvent(name: keyof typeof SERVER_EVENTS, payload: unknown): LiveEvent | null {
  switch (name) {
    case 'snapshot': {
      const parsed = SERVER_EVENTS.snapshot.safeParse(payload);
      return parsed.success ? { kind: 'snapshot', snapshot: parsed.data } : null;
    }
    case 'task': {
      const parsed = SERVER_EVENTS.task.safeParse(payload);
      return parsed.success ? { kind: 'task', task: parsed.data } : null;
    }
    case 'dead_letters': {
      const parsed = SERVER_EVENTS.dead_letters.safeParse(payload);
      return parsed.success ? { kind: 'dead_letters', deadLetters: parsed.data } : null;
    }
    case 'operation': {
      const parsed = SERVER_EVENTS.operation.safeParse(payload);
      return parsed.success ? { kind: 'operation', operation: parsed.data } : null;
    }
  }
}

const RETRY_DELAYS_MS = [500, 1_000, 2_000, 3_000, 5_000] as const;
const SERVER_EVENT_NAMES = ['snapshot', 'task', 'dead_letters', 'operation'] as const satisfies (keyof typeof SERVER_EVENTS)[];

class SocketWire implements LiveWire {
  private readonly socket: Socket;
  private readonly options: LiveWireOptions;
  private readonly watchers = new Map<string, number>();
  private queue: string | null = null;
  private failures = 0;
  private timer: number | undefined;
  private stopped = true;

  constructor(options: LiveWireOptions) {
    this.options = options;
    // Its own reconnecting does not tell when the next try is, and a person who waits is told.
    this.socket = io(LIVE_NAMESPACE, {
      autoConnect: false,
      reconnection: false,
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
    });
    this.socket.on('connect', () => this.connected());
    this.socket.on('disconnect', () => this.away());
    this.socket.on('connect_error', () => this.away());
    for (const name of SERVER_EVENT_NAMES) this.socket.on(name, (payload: unknown) => this.receive(name, payload));
  }

  start(): void {
    this.stopped = false;
    this.options.onStatus({ kind: 'connecting' });
    this.socket.connect();
  }

  stop(): void {
    this.stopped = true;
    window.clearTimeout(this.timer);
    this.socket.disconnect();
  }

  follow(queue: string): void {
    this.queue = queue;
    if (this.socket.connected) this.socket.emit('follow', CLIENT_EVENTS.follow.parse({ queue }));
  }

  watch(taskId: string): () => void {
    const count = this.watchers.get(taskId) ?? 0;
    this.watchers.set(taskId, count + 1);
    if (count === 0 && this.socket.connected) this.socket.emit('watch', { task_id: taskId });
    let active = true;
    return () => {
      if (active) this.unwatch(taskId);
      active = false;
    };
  }

  retryNow(): void {
    window.clearTimeout(this.timer);
    if (this.stopped) return;
    if (this.socket.connected) this.socket.disconnect();
    window.clearTimeout(this.timer);
    this.options.onStatus({ kind: 'connecting' });
    this.socket.connect();
  }

  private unwatch(taskId: string): void {
    const count = (this.watchers.get(taskId) ?? 0) - 1;
    if (count > 0) {
      this.watchers.set(taskId, count);
      return;
    }
    this.watchers.delete(taskId);
    if (this.socket.connected) this.socket.emit('unwatch', { task_id: taskId });
  }

  private connected(): void {
    if (this.queue !== null) this.socket.emit('follow', { queue: this.queue });
    for (const taskId of this.watchers.keys()) this.socket.emit('watch', { task_id: taskId });
    this.options.onStatus({ kind: 'connected' });
  }

  private away(): void {
    if (this.stopped) return;
    const delay = RETRY_DELAYS_MS[Math.min(this.failures, RETRY_DELAYS_MS.length - 1)] ?? 5_000;
    this.failures += 1;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.socket.connect(), delay);
    this.options.onStatus({ kind: 'away', nextTryAt: Date.now() + delay });
  }

  private receive(name: (typeof SERVER_EVENT_NAMES)[number], payload: unknown): void {
    const event = parseServerEvent(name, payload);
    if (event === null) this.options.onUnexpected(name, 'it does not fit the contract');
    else {
      // A connection that is dropped again before it told anything is no success.
      this.failures = 0;
      this.options.onEvent(event);
    }
  }
}

/** The one wire from the server to this page. It reconnects by itself and asks again for the queue and the tasks it was asked for. */
export function createLiveWire(options: LiveWireOptions): LiveWire {
  return new SocketWire(options);
}
