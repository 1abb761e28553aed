import type { ClientEventName, LiveDeadLetters, LiveOperation, LiveTask, QueueSnapshot, ServerEventName } from '@galley/contract';
import type { Socket } from 'socket.io-client';
import type * as socketModule from './socket.ts';

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

const RETRY_DELAYS_MS = [500, 1_000, 2_000, 3_000, 5_000] as const;
const SERVER_EVENT_NAMES = ['snapshot', 'task', 'dead_letters', 'operation'] as const satisfies ServerEventName[];

/** The parts of the wire that are fetched once the page has been drawn: socket.io and the contract's schemas. */
type SocketParts = typeof socketModule;

class SocketWire implements LiveWire {
  /** Null until its parts have come; whatever was asked for until then is asked when it connects. */
  private socket: Socket | null = null;
  private readonly options: LiveWireOptions;
  private readonly watchers = new Map<string, number>();
  private queue: string | null = null;
  private failures = 0;
  private timer: number | undefined;
  private stopped = true;

  constructor(options: LiveWireOptions) {
    this.options = options;
  }

  start(): void {
    this.stopped = false;
    this.options.onStatus({ kind: 'connecting' });
    void this.open();
  }

  stop(): void {
    this.stopped = true;
    window.clearTimeout(this.timer);
    this.socket?.disconnect();
  }

  follow(queue: string): void {
    this.queue = queue;
    this.tell('follow', { queue });
  }

  watch(taskId: string): () => void {
    const count = this.watchers.get(taskId) ?? 0;
    this.watchers.set(taskId, count + 1);
    if (count === 0) this.tell('watch', { task_id: taskId });
    let active = true;
    return () => {
      if (active) this.unwatch(taskId);
      active = false;
    };
  }

  retryNow(): void {
    window.clearTimeout(this.timer);
    if (this.stopped) return;
    if (this.socket?.connected === true) this.socket.disconnect();
    window.clearTimeout(this.timer);
    this.options.onStatus({ kind: 'connecting' });
    void this.open();
  }

  private async open(): Promise<void> {
    if (this.socket === null) {
      try {
        this.listen(await import('./socket.ts'));
      } catch {
        // The server went while the page was loading: that is one more way of being away.
        this.away();
        return;
      }
    }
    if (!this.stopped) this.socket?.connect();
  }

  private listen({ createSocket, parseServerEvent }: SocketParts): void {
    if (this.socket !== null) return;
    const socket = createSocket();
    socket.on('connect', () => this.connected());
    socket.on('disconnect', () => this.away());
    socket.on('connect_error', () => this.away());
    for (const name of SERVER_EVENT_NAMES) {
      socket.on(name, (payload: unknown) => this.receive(name, parseServerEvent(name, payload)));
    }
    this.socket = socket;
  }

  private tell(event: ClientEventName, payload: Readonly<Record<string, string>>): void {
    if (this.socket?.connected === true) this.socket.emit(event, payload);
  }

  private unwatch(taskId: string): void {
    const count = (this.watchers.get(taskId) ?? 0) - 1;
    if (count > 0) {
      this.watchers.set(taskId, count);
      return;
    }
    this.watchers.delete(taskId);
    this.tell('unwatch', { task_id: taskId });
  }

  private connected(): void {
    if (this.queue !== null) this.tell('follow', { queue: this.queue });
    for (const taskId of this.watchers.keys()) this.tell('watch', { task_id: taskId });
    this.options.onStatus({ kind: 'connected' });
  }

  private away(): void {
    if (this.stopped) return;
    const delay = RETRY_DELAYS_MS[Math.min(this.failures, RETRY_DELAYS_MS.length - 1)] ?? 5_000;
    this.failures += 1;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.open(), delay);
    this.options.onStatus({ kind: 'away', nextTryAt: Date.now() + delay });
  }

  private receive(name: (typeof SERVER_EVENT_NAMES)[number], event: LiveEvent | null): void {
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
