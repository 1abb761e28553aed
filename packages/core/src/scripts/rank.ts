import { defineScript } from '../redis/script.ts';

export const rankScript = defineScript({ name: 'rank', keys: ['pending'], arguments: { limit: 'number' }, rows: ['score', 'id'] });

/** How many of a shard stand before a task. */
export interface Rank {
  readonly better: number;
  /** Of the same score: of the task's own shard those before it, of another all. */
  readonly same: number;
}

/** For each row how many stand before it; null where the task is not in line. */
export function parseRank(words: readonly Buffer[]): (Rank | null)[] {
  const [first, ...rest] = words.map(String);
  if (first !== 'ranked') throw new Error(`script rank answered "${first}", which its declaration does not know`);
  return rest.map((word) => {
    if (word === 'absent') return null;
    const [, better, same] = /^(\d+) (\d+)$/.exec(word) ?? [];
    if (better === undefined || same === undefined) throw new Error(`script rank answered "${word}" where two numbers belong`);
    return { better: Number(better), same: Number(same) };
  });
}
