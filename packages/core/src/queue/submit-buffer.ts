import type { Connection } from '../redis/connection.ts';
import { replayKey } from '../redis/keys.ts';
import { codedError } from '../redis/refusals.ts';
import { type DuplicateOf, parseSubmit, type SubmitReply, type SubmitRow, submitScript } from '../scripts/submit.ts';
import { DepthLimit } from './depth-limit.ts';
import type { QueueLayout, ShardLayout } from './layout.ts';
import { REPLAY_MS, RequestSlots } from './request-slots.ts';
import { type QueueSettings, timelineMs } from './settings.ts';

/** A script over 500 tasks stalls Redis for milliseconds (FACTS). */
const BATCH_TASKS = 500;
const BATCH_BYTES = 1_000_000;
/** The new task's id, or the task that was there; null where it came without the turn that it needs. `at`: Redis's time. */
export interface SubmitAnswer {
  readonly task: string | DuplicateOf | null;
  readonly at: number;
}

interface Waiting {
  readonly row: SubmitRow;
  readonly resolve: (answer: SubmitAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Adds made in the same tick travel in one call per shard: the client is the cost, not the server (FACTS). */
export class SubmitBuffer {
  private readonly waiting = new Map<ShardLayout, Waiting[]>();
  private readonly slots = new Map<ShardLayout, RequestSlots>();
  private scheduled = false;

  private readonly connection: Connection;
  private readonly settings: QueueSettings;
  private readonly clockWeight: number;
  private readonly depthLimit: DepthLimit;

  constructor(connection: Connection, layout: QueueLayout, settings: QueueSettings, clockWeight: number) {
    this.connection = connection;
    this.settings = settings;
    this.clockWeight = clockWeight;
    this.depthLimit = new DepthLimit(connection, layout, settings.depthLimit);
  }

  add(shard: ShardLayout, row: SubmitRow): Promise<SubmitAnswer> {
    return new Promise((resolve, reject) => {
      const list = this.waiting.get(shard);
      if (list === undefined) this.waiting.set(shard, [{ row, resolve, reject }]);
      else list.push({ row, resolve, reject });
      if (!this.scheduled) {
        this.scheduled = true;
        queueMicrotask(() => this.flush());
      }
    });
  }

  private flush(): void {
    this.scheduled = false;
    const all = [...this.waiting];
    this.waiting.clear();
    for (const [shard, list] of all) {
      for (const batch of batches(list)) {
        this.send(shard, batch).catch((error: unknown) => {
          for (const entry of batch) entry.reject(codedError(error));
        });
      }
    }
  }

  private async send(shard: ShardLayout, batch: readonly Waiting[]): Promise<void> {
    const full = settle(batch, await this.call(shard, batch, this.depthLimit.part));
    if (full.length === 0) return;
    const still = settle(full, await this.depthLimit.withRoom(shard, (most) => this.call(shard, full, most)));
    for (const entry of still) entry.reject(this.depthLimit.full());
  }

  /** `mostWaiting`: how many tasks may wait in the shard; -1 for no limit. */
  private async call(shard: ShardLayout, batch: readonly Waiting[], mostWaiting: number): Promise<SubmitReply> {
    let slots = this.slots.get(shard);
    if (slots === undefined) this.slots.set(shard, (slots = new RequestSlots()));
    const { client } = slots;
    const words = await slots.use(({ slot, requestId }) =>
      this.connection.run(
        submitScript,
        { ...shard.keys, replay: replayKey(shard.keys.base, client, slot) },
        {
          sequence_at: shard.sequenceAt,
          id_head: shard.idHead,
          request_id: requestId,
          replay_ms: REPLAY_MS,
          depth_limit: mostWaiting,
          clock_weight: this.clockWeight,
          timeline_ms: timelineMs(this.settings),
        },
        batch.map((entry) => entry.row),
      ),
    );
    return parseSubmit(words, batch.length);
  }
}

/** Answers all but those that the shard had no room for, which it returns. */
function settle(batch: readonly Waiting[], { at, rows }: SubmitReply): Waiting[] {
  return batch.filter((entry, index) => {
    const row = rows[index];
    if (row === undefined) entry.reject(new Error('script submit answered for fewer tasks than it was given'));
    else if (typeof row === 'string' || 'id' in row) entry.resolve({ task: row, at });
    else if (row.refused === 'turn_needed') entry.resolve({ task: null, at });
    else return true;
    return false;
  });
}

function* batches(list: readonly Waiting[]): Generator<Waiting[]> {
  let batch: Waiting[] = [];
  let bytes = 0;
  for (const entry of list) {
    const size = entry.row.message.length;
    if (batch.length >= BATCH_TASKS || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
