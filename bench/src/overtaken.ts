/** What Redis's event feed said, in the order of its scripts. */
export interface LineEvent {
  readonly verb: 'submitted' | 'claimed';
  readonly taskIds: readonly string[];
}

export interface Overtaking {
  /** Claims in all; a claim is one round trip of a worker, over however many shards. */
  readonly claims: number;
  readonly overtakingClaims: number;
  /** Each overtaken task with the last worse task that was started before it. */
  readonly overtaken: ReadonlyMap<string, string>;
}

/**
 * Replays who was in line when each claim was made. A claim overtakes when it takes a task although a better one stays in
 * line. `claimOf`: a name for the claim that took a task.
 */
export function findOvertaken(
  events: readonly LineEvent[],
  priorityOf: (id: string) => number,
  claimOf: (id: string) => string,
): Overtaking {
  const line = new Map<number, Set<string>>();
  const members = new Map<string, string[]>();
  for (const { verb, taskIds } of events) {
    if (verb !== 'claimed') continue;
    for (const id of taskIds) {
      const list = members.get(claimOf(id));
      if (list === undefined) members.set(claimOf(id), [id]);
      else list.push(id);
    }
  }
  const done = new Set<string>();
  const overtaken = new Map<string, string>();
  let overtakingClaims = 0;
  for (const { verb, taskIds } of events) {
    if (verb === 'submitted') {
      for (const id of taskIds) {
        const level = line.get(priorityOf(id));
        if (level === undefined) line.set(priorityOf(id), new Set([id]));
        else level.add(id);
      }
      continue;
    }
    for (const id of taskIds) {
      const claim = claimOf(id);
      if (done.has(claim)) continue;
      done.add(claim);
      const taken = members.get(claim) ?? [];
      for (const own of taken) line.get(priorityOf(own))?.delete(own);
      if (noteOvertaken(line, taken, priorityOf, overtaken)) overtakingClaims++;
    }
  }
  return { claims: members.size, overtakingClaims, overtaken };
}

/** True where a better task than the worst of `taken` is still in line. */
function noteOvertaken(
  line: ReadonlyMap<number, ReadonlySet<string>>,
  taken: readonly string[],
  priorityOf: (id: string) => number,
  overtaken: Map<string, string>,
): boolean {
  const [first] = taken;
  if (first === undefined) return false;
  const worst = taken.reduce((worse, id) => (priorityOf(id) > priorityOf(worse) ? id : worse), first);
  let found = false;
  for (const [priority, ids] of line) {
    if (priority >= priorityOf(worst)) continue;
    for (const id of ids) {
      overtaken.set(id, worst);
      found = true;
    }
  }
  return found;
}
