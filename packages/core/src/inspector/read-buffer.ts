import type { ShardLayout } from '../queue/layout.ts';
import { type Connection, type PreparedCall, prepareCall } from '../redis/connection.ts';
import { parseRank, type Rank, rankScript } from '../scripts/rank.ts';
import { parseRead, type ReadRow, readScript } from '../scripts/read.ts';

/** Rows of one call; whole results are larger, so fewer of them travel together. */
const ROWS_PER_CALL = 100;
const RESULTS_PER_CALL = 16;
/** Of a result, for its head. */
export const RESULT_HEAD_BYTES = 192;

/** How much of a task's result is wanted with it. */
export type ResultPart = 'none' | 'head' | 'whole';

const RESULT_BYTES = { none: 0, head: RESULT_HEAD_BYTES, whole: -1 } as const satisfies Record<ResultPart, number>;

interface Waiting<Row, Answer> {
  readonly row: Row;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** One kind of call: who waits for it, by shard, and how it is made and read. */
class Line<Row, Answer> {
  private readonly waiting = new Map<ShardLayout, Waiting<Row, Answer>[]>();
  private readonly rowsPerCall: number;
  private readonly prepare: (shard: ShardLayout, rows: readonly Row[]) => PreparedCall;
  private readonly parse: (words: readonly Buffer[]) => readonly Answer[];

  constructor(
    rowsPerCall: number,
    prepare: (shard: ShardLayout, rows: readonly Row[]) => PreparedCall,
    parse: (words: readonly Buffer[]) => readonly Answer[],
  ) {
    this.rowsPerCall = rowsPerCall;
    this.prepare = prepare;
    this.parse = parse;
  }

  add(shard: ShardLayout, row: Row): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const list = this.waiting.get(shard);
      if (list === undefined) this.waiting.set(shard, [{ row, resolve, reject }]);
      else list.push({ row, resolve, reject });
    });
  }

  /** Every call that is due, and what becomes of its answer. */
  take(): { readonly call: PreparedCall; readonly settle: (words: Buffer[] | Error) => void }[] {
    const calls: { call: PreparedCall; settle: (words: Buffer[] | Error) => void }[] = [];
    for (const [shard, list] of this.waiting) {
      for (let from = 0; from < list.length; from += this.rowsPerCall) {
        const part = list.slice(from, from + this.rowsPerCall);
        const rows = part.map(({ row }) => row);
        calls.push({ call: this.prepare(shard, rows), settle: (words) => this.settle(part, words) });
      }
    }
    this.waiting.clear();
    return calls;
  }

  private settle(part: readonly Waiting<Row, Answer>[], words: Buffer[] | Error): void {
    try {
      if (words instanceof Error) throw words;
      const answers = this.parse(words);
      part.forEach(({ resolve, reject }, index) => {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('a read answered for fewer tasks than it was given'));
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of part) reject(error);
    }
  }
}

/**
 * Reads asked for in the same turn of the event loop, by whichever requests, travel in one round trip and in one call per shard: a
 * command costs its client more than a row does (FACTS).
 */
export class ReadBuffer {
  private readonly connection: Connection;
  private readonly tasks: Readonly<Record<ResultPart, Line<string, ReadRow>>>;
  private readonly ranks: Line<{ readonly score: string; readonly id: string }, Rank | null>;
  private scheduled = false;

  constructor(connection: Connection) {
    this.connection = connection;
    const read = (part: ResultPart): Line<string, ReadRow> =>
      new Line(
        part === 'whole' ? RESULTS_PER_CALL : ROWS_PER_CALL,
        ({ keys, sequenceAt }, ids) =>
          prepareCall(
            readScript,
            keys,
            { sequence_at: sequenceAt, result_bytes: RESULT_BYTES[part] },
            ids.map((id) => ({ id })),
          ),
        parseRead,
      );
    this.tasks = { none: read('none'), head: read('head'), whole: read('whole') };
    this.ranks = new Line(ROWS_PER_CALL, ({ keys }, rows) => prepareCall(rankScript, keys, { limit: ROWS_PER_CALL }, rows), parseRank);
  }

  /** What stands in Redis for an id of the shard. */
  task(shard: ShardLayout, id: string, result: ResultPart): Promise<ReadRow> {
    this.schedule();
    return this.tasks[result].add(shard, id);
  }

  /** How many of a shard stand before a task of this score; `id` where the task is this shard's own. */
  rank(shard: ShardLayout, score: number, id: string | null): Promise<Rank | null> {
    this.schedule();
    return this.ranks.add(shard, { score: String(score), id: id ?? '' });
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    // Not a microtask: what other connections ask for in this turn of the loop is to come along.
    setImmediate(() => {
      this.scheduled = false;
      void this.flush();
    });
  }

  private async flush(): Promise<void> {
    const due = [...Object.values(this.tasks).flatMap((line) => line.take()), ...this.ranks.take()];
    const calls = due.map(({ call }) => call);
    const fail = (cause: unknown): void => {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      for (const { settle } of due) settle(error);
    };
    await this.connection.roundTrip(calls, []).then((trip) => {
      due.forEach(({ settle }, index) => settle(trip.calls[index] ?? new Error('a round trip answered for fewer calls than it was given')));
    }, fail);
  }
}
