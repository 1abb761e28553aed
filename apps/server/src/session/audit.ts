import { type AuditEntry, type AuditList, auditEntrySchema } from '@galley/contract';
import type { Connection } from '@galley/core';
import { auditKey } from '../redis/keys.ts';
import { isoTime } from '../tasks/task-answer.ts';
import type { Principal } from './principal.ts';

const KEPT = 1_000;

/** What admins did, newest first; the last thousand. */
export class Audit {
  private readonly connection: Connection;
  private readonly now: () => number;

  constructor(connection: Connection, now: () => number = Date.now) {
    this.connection = connection;
    this.now = now;
  }

  async note(principal: Principal, action: string, detail: string, count?: number): Promise<void> {
    const entry: AuditEntry = {
      at: isoTime(this.now()),
      user_id: principal.userId,
      role: principal.role,
      action,
      detail,
      ...(count === undefined ? {} : { count }),
    };
    await this.connection.client.lpush(auditKey, JSON.stringify(entry));
    await this.connection.client.ltrim(auditKey, 0, KEPT - 1);
  }

  async list(): Promise<AuditList> {
    const lines = await this.connection.client.lrange(auditKey, 0, KEPT - 1);
    return { entries: lines.map((line) => auditEntrySchema.parse(JSON.parse(line))) };
  }
}
