import { randomBytes } from 'node:crypto';
import { type Operation, operationSchema } from '@galley/contract';
import { redisNow } from '../inspector/counts.ts';
import { type Logger, silentLogger } from '../maintenance/chore.ts';
import type { Connection } from '../redis/connection.ts';
import { operationChannel, operationKey } from '../redis/keys.ts';

const KEPT_SECONDS = 86_400;

/** What one bounded step of an operation did; `finished` when nothing of what it began with is left. */
export interface OperationStep {
  readonly done: number;
  readonly skipped: number;
  readonly finished: boolean;
}

export interface OperationPlan {
  readonly action: string;
  /** How many tasks it is over, as far as is known at the start. */
  readonly total: number;
  readonly step: (signal: AbortSignal) => Promise<OperationStep>;
  /** Hears once how it ended. */
  readonly ended?: (operation: Operation) => Promise<void>;
}

/** Long administrative work in bounded steps with progress anyone can read (DESIGN P14). */
export class Operations {
  private readonly connection: Connection;
  private readonly logger: Logger;
  private readonly abort = new AbortController();
  private readonly running = new Set<Promise<void>>();

  constructor(connection: Connection, logger: Logger = silentLogger) {
    this.connection = connection;
    this.logger = logger;
  }

  /** Begins the work and answers at once with the id under which its progress is kept for a day. */
  async begin(plan: OperationPlan): Promise<string> {
    const operation: Operation = {
      operation_id: `operation-${randomBytes(9).toString('base64url')}`,
      action: plan.action,
      state: 'running',
      done: 0,
      total: plan.total,
      skipped: 0,
      created_at: new Date(await redisNow(this.connection)).toISOString(),
    };
    await this.save(operation);
    const work = this.workAndTell(operation, plan).finally(() => this.running.delete(work));
    this.running.add(work);
    return operation.operation_id;
  }

  /** Null where none has this id. */
  async get(operationId: string): Promise<Operation | null> {
    const stored = await this.connection.client.get(operationKey(operationId));
    return stored === null ? null : operationSchema.parse(JSON.parse(stored));
  }

  /** Ends what is under way after its present step. */
  async stop(): Promise<void> {
    this.abort.abort();
    await Promise.all(this.running);
  }

  /** Never rejects. */
  private async workAndTell(first: Operation, plan: OperationPlan): Promise<void> {
    try {
      const last = await this.work(first, plan);
      await plan.ended?.(last);
    } catch (error) {
      this.logger.error({ err: error, operation: first.operation_id }, 'the end of an operation could not be noted');
    }
  }

  private async work(first: Operation, plan: OperationPlan): Promise<Operation> {
    let operation = first;
    try {
      for (;;) {
        const step = await plan.step(this.abort.signal);
        const done = operation.done + step.done;
        const skipped = operation.skipped + step.skipped;
        operation = {
          ...operation,
          done,
          skipped,
          total: Math.max(operation.total, done + skipped),
          state: step.finished ? 'done' : 'running',
        };
        if (this.abort.signal.aborted && !step.finished)
          operation = { ...operation, state: 'failed', error: 'the server stopped; begin it again' };
        await this.save(operation);
        if (operation.state !== 'running') return operation;
      }
    } catch (error) {
      this.logger.error({ err: error, operation: operation.operation_id }, 'an operation failed');
      operation = { ...operation, state: 'failed', error: error instanceof Error ? error.message : String(error) };
      await this.save(operation);
      return operation;
    }
  }

  private async save(operation: Operation): Promise<void> {
    const text = JSON.stringify(operation);
    await this.connection.client.set(operationKey(operation.operation_id), text, 'EX', KEPT_SECONDS);
    await this.connection.client.publish(operationChannel, text);
  }
}
