import { defineScript } from '../redis/script.ts';

export const rankScript = defineScript({ name: 'rank', keys: ['pending'], arguments: { limit: 'number' }, rows: ['score', 'id'] });

/** For each row how many stand before it; null where the task is not in line. */
export function parseRank(words: readonly Buffer[]): (number | null)[] {
  const [first, ...rest] = words.map(String);
  if (first !== 'ranked') throw new Error(`script rank answered "${first}", which its declaration does not know`);
  return rest.map((word) => {
    if (word === 'absent') return null;
    const rank = Number(word);
    if (word === '' || !Number.isInteger(rank)) throw new Error(`script rank answered "${word}" where a number belongs`);
    return rank;
  });
}
