import { type Connection, connectRedis, startTemporaryRedisServer, type TemporaryRedisServer } from '@galley/core';
import { scriptNames } from './script-names.ts';

/** Scripts over this are noted. */
const SLOW_US = 3_000;

export interface SlowScript {
  /** Null: a peer's. */
  readonly script: string | null;
  readonly ms: number;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A Redis of one measure's own, with what it costs and its slowest scripts. */
export class BenchRedis {
  readonly socketPath: string;
  private readonly server: TemporaryRedisServer;
  private readonly connection: Connection;

  private constructor(server: TemporaryRedisServer, connection: Connection) {
    this.server = server;
    this.socketPath = server.socketPath;
    this.connection = connection;
  }

  static async open(): Promise<BenchRedis> {
    const server = await startTemporaryRedisServer();
    const connection = connectRedis(server.url);
    await connection.client.config('SET', 'slowlog-log-slower-than', SLOW_US, 'slowlog-max-len', 4_096);
    return new BenchRedis(server, connection);
  }

  get pid(): number {
    return this.server.pid;
  }

  async version(): Promise<string> {
    return this.infoField('server', 'redis_version');
  }

  /** Microseconds of CPU that the server has used. */
  async cpuUs(): Promise<number> {
    const user = Number(await this.infoField('cpu', 'used_cpu_user'));
    const system = Number(await this.infoField('cpu', 'used_cpu_sys'));
    return Math.round((user + system) * 1_000_000);
  }

  async usedBytes(): Promise<number> {
    return Number(await this.infoField('memory', 'used_memory'));
  }

  /** The most that has been in use since `resetStatistics`. */
  async peakBytes(): Promise<number> {
    return Number(await this.infoField('memory', 'used_memory_peak'));
  }

  /** Forgets the peak and which scripts were slow. */
  async resetStatistics(): Promise<void> {
    await this.connection.client.config('RESETSTAT');
    await this.connection.client.slowlog('RESET');
  }

  async flush(): Promise<void> {
    await this.connection.client.flushall('SYNC');
  }

  /** Scripts that took over 3 ms, since the start. */
  async slowScripts(): Promise<SlowScript[]> {
    const names = await scriptNames();
    const entries: unknown = await this.connection.client.call('SLOWLOG', 'GET', '-1');
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown): SlowScript[] => {
      const [, , microseconds, words] = list(entry);
      const [command, sha] = list(words);
      if (!/^eval(sha)?$/i.test(String(command))) return [];
      return [{ script: names.get(String(sha)) ?? null, ms: Number(microseconds) / 1_000 }];
    });
  }

  async close(): Promise<void> {
    await this.connection.close();
    await this.server.stop();
  }

  private async infoField(section: string, field: string): Promise<string> {
    const text = await this.connection.client.info(section);
    const match = new RegExp(`^${field}:(.+?)\\r?$`, 'm').exec(text);
    if (match?.[1] === undefined) throw new Error(`INFO ${section} has no ${field}`);
    return match[1];
  }
}
