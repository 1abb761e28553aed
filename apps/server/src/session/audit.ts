import { type AuditEntry, type AuditList, auditEntrySchema } from '@galley/contract';
import type { Connection, OperationPlan, Operations } from '@galley/core';
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

  /** Begins an operation, and notes that it began, and how it ended with the number of tasks that it acted on. */
  async begin(operations: Operations, plan: OperationPlan, principal: Principal, detail: string, what: string): Promise<string> {
    const action = `${plan.action} ${what}`;
    await this.note(principal, action, detail);
    return operations.begin({
      ...plan,
      ended: ({ state, done }) => this.note(principal, action, `${state === 'done' ? 'finished' : 'failed'}: ${detail}`, done),
    });
  }

  async list(): Promise<AuditList> {
    const lines = await this.connection.client.lrange(auditKey, 0, KEPT - 1);
    return { entries: lines.map((line) => auditEntrySchema.parse(JSON.parse(line))) };
  }
}
