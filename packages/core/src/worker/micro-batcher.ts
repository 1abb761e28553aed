interface Entry<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends what was added in the same turn of the event loop in one call per group, without delaying a lone one. */
export class MicroBatcher<Item, Answer> {
  private readonly limit: number;
  private readonly groupOf: (item: Item) => string;
  private readonly send: (items: readonly Item[]) => Promise<readonly Answer[]>;
  private groups = new Map<string, Entry<Item, Answer>[]>();

  constructor(limit: number, groupOf: (item: Item) => string, send: (items: readonly Item[]) => Promise<readonly Answer[]>) {
    this.limit = limit;
    this.groupOf = groupOf;
    this.send = send;
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.groups.size === 0) setImmediate(() => this.flush());
      const name = this.groupOf(item);
      const group = this.groups.get(name);
      if (group === undefined) this.groups.set(name, [{ item, resolve, reject }]);
      else group.push({ item, resolve, reject });
    });
  }

  private flush(): void {
    const groups = this.groups;
    this.groups = new Map();
    for (const group of groups.values()) {
      for (let from = 0; from < group.length; from += this.limit) void this.sendBatch(group.slice(from, from + this.limit));
    }
  }

  private async sendBatch(batch: readonly Entry<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.send(batch.map((entry) => entry.item));
      batch.forEach((entry, index) => {
        const answer = answers[index];
        if (answer === undefined) entry.reject(new Error('fewer answers than were asked for'));
        else entry.resolve(answer);
      });
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    }
  }
}
