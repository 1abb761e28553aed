import type { Connection } from '@galley/core';
import type { Logger } from 'pino';

const CHECKED_EVERY_MS = 60_000;

/** How Redis is set; null where it does not say. */
export interface RedisSettings {
  readonly eviction: string | null;
  readonly appendOnly: string | null;
  readonly appendFsync: string | null;
}

const UNTOLD: RedisSettings = { eviction: null, appendOnly: null, appendFsync: null };

function setting(reply: unknown, name: string): string | null {
  if (Array.isArray(reply)) {
    const at = reply.indexOf(name);
    const value: unknown = at < 0 ? undefined : reply[at + 1];
    return typeof value === 'string' ? value : null;
  }
  if (reply instanceof Map) {
    const value: unknown = reply.get(name);
    return typeof value === 'string' ? value : null;
  }
  if (typeof reply === 'object' && reply !== null) {
    const value: unknown = Reflect.get(reply, name);
    return typeof value === 'string' ? value : null;
  }
  return null;
}

/** What is wrong with how it is set, as sentences. */
function policyFaults({ eviction, appendOnly }: RedisSettings): string[] {
  return [
    eviction !== null && eviction !== 'noeviction'
      ? `maxmemory-policy is ${eviction}, so Redis may throw tasks away: set it to noeviction.`
      : '',
    appendOnly === 'no' ? 'appendonly is off, so a crash of Redis loses tasks: set it to yes.' : '',
  ].filter(Boolean);
}

/** Finds out, once a minute, whether Redis is set so that it keeps what it was given. */
export class RedisPolicy {
  private readonly connection: Connection;
  private readonly logger: Logger;
  private readonly clock: () => number;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private settings = UNTOLD;
  private saidSo = false;

  constructor(connection: Connection, logger: Logger, clock: () => number = () => performance.now()) {
    this.connection = connection;
    this.logger = logger;
    this.clock = clock;
  }

  /** What is wrong with it, in a line; null where nothing is, or where it may not be asked. */
  async faultNow(): Promise<string | null> {
    const faults = policyFaults(await this.settingsNow());
    return faults.length === 0 ? null : faults.join(' ');
  }

  async settingsNow(): Promise<RedisSettings> {
    if (this.clock() - this.checkedAt < CHECKED_EVERY_MS) return this.settings;
    this.checkedAt = this.clock();
    try {
      const [eviction, appendOnly, appendFsync] = await Promise.all(
        ['maxmemory-policy', 'appendonly', 'appendfsync'].map((name) => this.read(name)),
      );
      this.settings = { eviction: eviction ?? null, appendOnly: appendOnly ?? null, appendFsync: appendFsync ?? null };
    } catch (error) {
      // Managed servers may refuse CONFIG; what cannot be known is not alerted.
      if (!this.saidSo) this.logger.info({ err: error }, 'Redis does not say how it is set, so its policy is not watched');
      this.saidSo = true;
      this.settings = UNTOLD;
    }
    return this.settings;
  }

  private async read(name: string): Promise<string | null> {
    const reply: unknown = await this.connection.client.call('config', 'get', name);
    return setting(reply, name);
  }
}
