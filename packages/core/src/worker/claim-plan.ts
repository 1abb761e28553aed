/** How much one shard is asked for: at most `limit` tasks, none worse than `bound` (null: any). */
export interface ClaimShare {
  readonly shard: number;
  readonly limit: number;
  readonly bound: number | null;
}

/** A script over 100 claims buys nothing more (FACTS). */
const CLAIM_LIMIT = 100;

/**
 * Divides `free` slots over shards so that nothing is claimed while a better task is known elsewhere (DESIGN P4).
 *
 * `heads`: each shard's best scores in order, at most `depth` of them; a full list may hide more behind it, which are no
 * better than its last. The threshold is the score of the n-th best task known, but never past the last score of a full
 * list. What is better than the threshold is claimed wherever it is; what equals it is filled up from one shard after the
 * other, beginning at another one each `turn`, so that ties rotate.
 */
export function divideClaims(heads: readonly (readonly number[])[], free: number, depth: number, turn: number): ClaimShare[] {
  const known = heads.flat().sort((a, b) => a - b);
  if (known.length === 0 || free <= 0) return [];
  let threshold = known[Math.min(free, known.length) - 1] ?? Number.POSITIVE_INFINITY;
  for (const scores of heads) {
    const last = scores.at(-1);
    if (scores.length >= depth && last !== undefined) threshold = Math.min(threshold, last);
  }
  const better = heads.map((scores) => scores.filter((score) => score < threshold).length);
  let left = free - better.reduce((sum, count) => sum + count, 0);
  const shares: ClaimShare[] = [];
  for (let step = 0; step < heads.length; step++) {
    const shard = (turn + step) % heads.length;
    const scores = heads[shard] ?? [];
    const own = better[shard] ?? 0;
    const ties = scores.filter((score) => score === threshold).length;
    // Behind a full list of ties there may be more of the same score.
    const more = ties > 0 && scores.length >= depth ? left : Math.min(ties, left);
    left -= more;
    const limit = Math.min(own + more, CLAIM_LIMIT);
    if (limit > 0) shares.push({ shard, limit, bound: threshold });
  }
  return shares.sort((a, b) => (heads[a.shard]?.[0] ?? 0) - (heads[b.shard]?.[0] ?? 0));
}

/** The rows of one group of shards, the others empty. */
function headsOf(heads: readonly (readonly number[])[], isOwn: (shard: number) => boolean): (readonly number[])[] {
  return heads.map((scores, shard) => (isOwn(shard) ? scores : []));
}

/**
 * The same where some groups of shards (queues with a rate) may start only so many: each of these gets the best of its own, up to
 * what it is `allowed`, and the rest of the slots go to the shards of no such group.
 */
export function divideWithin<Group>(
  heads: readonly (readonly number[])[],
  { groupOf, allowed }: { groupOf: (shard: number) => Group; allowed: ReadonlyMap<Group, number> },
  free: number,
  depth: number,
  turn: number,
): ClaimShare[] {
  const own = [...allowed].flatMap(([group, count]) =>
    divideClaims(
      headsOf(heads, (shard) => groupOf(shard) === group),
      Math.min(count, free),
      depth,
      turn,
    ),
  );
  const left = free - own.reduce((sum, share) => sum + share.limit, 0);
  const others = headsOf(heads, (shard) => !allowed.has(groupOf(shard)));
  return [...own, ...divideClaims(others, left, depth, turn)].sort((a, b) => (heads[a.shard]?.[0] ?? 0) - (heads[b.shard]?.[0] ?? 0));
}

/**
 * How many scores of each shard to read for the next claim: one where a single line filled the last one alone, enough to
 * fill `free` slots from all together where scores differ, or where nothing has been claimed yet.
 */
export function peekDepth(shards: number, free: number, last: readonly ClaimShare[]): number {
  const [first] = last;
  const oneLineFilled = first !== undefined && last.length === 1 && first.limit >= Math.min(free, CLAIM_LIMIT);
  return oneLineFilled ? 1 : Math.min(Math.ceil(free / shards) + 2, CLAIM_LIMIT);
}
