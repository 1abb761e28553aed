import { Chore, type Logger } from '../maintenance/chore.ts';
import type { Connection } from '../redis/connection.ts';
import { unlessAway } from '../redis/unless-away.ts';
import { deregister, register, type WorkerState } from './registry.ts';

/** A busy worker says this often what it does; an idle one, once it has said that it is idle, this seldom. */
const BUSY_MS = 1_000;
const IDLE_MS = 5_000;

export interface HeartbeatOptions {
  readonly connection: Connection;
  readonly logger: Logger;
  readonly workerId: string;
  readonly isBusy: () => boolean;
  readonly state: () => WorkerState;
  /** Read again with each beat. */
  readonly alsoRead: () => Promise<void>;
}

/** Keeps a worker registered, with what it does, from `start` to `stop`. */
export class Heartbeat {
  private readonly options: HeartbeatOptions;
  private readonly chore: Chore;

  constructor(options: HeartbeatOptions) {
    const { connection, logger } = options;
    this.options = options;
    this.chore = new Chore({ name: 'heartbeat', periodMs: BUSY_MS, connection, logger, pass: () => this.beat() });
  }

  async start(): Promise<void> {
    await this.beat();
    this.chore.start();
  }

  /** There is something to tell again. */
  hasten(): void {
    this.chore.hasten();
  }

  /** With Redis away the registration ends by its TTL. */
  async stop(): Promise<void> {
    const { connection, workerId } = this.options;
    await this.chore.stop();
    if (connection.isUp()) await unlessAway(connection, deregister(connection, workerId));
  }

  private async beat(): Promise<false | number> {
    const { connection, isBusy, state, alsoRead } = this.options;
    const busy = isBusy();
    await Promise.all([register(connection, state()), alsoRead()]);
    // What began meanwhile has hastened nothing, for this was no rest yet.
    return busy || isBusy() ? false : IDLE_MS;
  }
}
