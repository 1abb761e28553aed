import { randomBytes } from 'node:crypto';

/** How many answers Redis keeps per connection and shard, and so how many requests may be under way at once. */
const SLOTS = 8;
export const REPLAY_MS = 120_000;

export interface RequestSlot {
  readonly slot: number;
  readonly requestId: string;
}

/**
 * Request ids for scripts that must not run twice after a lost reply (DESIGN §3). A slot is held from sending until the
 * answer, so an answer that may still be asked for is never overwritten.
 */
export class RequestSlots {
  /** Names this connection in replay keys; unique per process and start. */
  readonly client: string;
  private readonly free = Array.from({ length: SLOTS }, (_, slot) => slot);
  private readonly waiting: ((slot: number) => void)[] = [];
  private counter = 0;

  constructor(client: string = randomBytes(9).toString('base64url')) {
    this.client = client;
  }

  async use<Answer>(request: (slot: RequestSlot) => Promise<Answer>): Promise<Answer> {
    const slot = this.free.pop() ?? (await new Promise<number>((resolve) => this.waiting.push(resolve)));
    try {
      return await request({ slot, requestId: String(++this.counter) });
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free.push(slot);
      else next(slot);
    }
  }
}
