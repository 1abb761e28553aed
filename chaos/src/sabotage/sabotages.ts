/** A change to the text of one script: `find` must stand in it exactly once. */
export interface Alteration {
  /** Below `scripts/`, such as `claim.lua`. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

/**
 * Broken rules, one each, by which the checker proves that it can fail. They are put into the scripts as a process of a
 * chaos run reads them (preload.ts); nothing of this is in the packages that ship. Runs that keep timelines, as these do, do not
 * take the scripts' quick paths.
 */
export const SABOTAGES = {
  /** P2: a result is taken from whoever brings it, however late. */
  'no-fence-check': [{ file: 'complete.lua', find: 'if holds(task, worker, fence) then', put: 'if task[STATE] ~= CANCELLED then' }],
  /** P1: some submits are answered and nothing is stored. */
  'lost-task': [
    {
      file: 'submit.lua',
      find: 'local function create(at, sequence)',
      put: 'local function create(at, sequence)\n  if sequence % 7 == 3 then return id_of(sequence, ARGV[at + row_suffix]) end',
    },
  ],
  /** P2: a task that has been given away now and then stays in line. */
  'double-claim': [
    {
      file: 'plain/claim.lua',
      find: "popped = redis.call('ZPOPMIN', pending, math.min(limit, available)) end",
      put: "popped = redis.call('ZPOPMIN', pending, math.min(limit, available)) end\n  if popped[1] and now % 3 > 0 then redis.call('ZADD', pending, popped[2], popped[1]) end",
    },
    { file: 'claim.lua', find: 'if task[STATE] ~= PENDING then', put: 'if task[STATE] ~= PENDING and task[STATE] ~= PROCESSING then' },
  ],
  /** P2: a lease is entered shorter than was granted, so that it is reaped while its holder rightly trusts it. */
  'short-lease': [{ file: 'claim.lua', find: "string.format('%.0f', now + lease_ms)", put: "string.format('%.0f', now + 250)" }],
  /** P3: who comes back from a retry goes to the end of the line. */
  'lost-place': [
    { file: 'promote.lua', find: 'put_in_line(task, task[SINCE])', put: 'task[SCORE] = task[SCORE] + 1000 put_in_line(task, task[SINCE])' },
  ],
  /** P6: crashes are counted and nothing comes of it before its time is long over. */
  'no-crash-budget': [{ file: 'fail.lua', find: 'task[CRASHES] >= task[CRASH_BUDGET]', put: 'task[CRASHES] >= task[CRASH_BUDGET] + 2' }],
  /** P9: a cancel leaves the lease behind, and the reaper puts the task back in line. */
  'resurrected-cancel': [
    { file: 'cancel.lua', find: '  leave_place(task)\n', put: '  if was ~= PROCESSING then leave_place(task) end\n' },
    { file: 'reap.lua', find: 'if not task or task[STATE] ~= PROCESSING then', put: 'if not task then' },
  ],
  /** P12: locks are for ever. */
  'lock-without-ttl': [{ file: 'claim.lua', find: "'#' .. task[FENCE], 'PXAT', expiry)", put: "'#' .. task[FENCE])" }],
} as const satisfies Readonly<Record<string, readonly Alteration[]>>;

export type SabotageName = keyof typeof SABOTAGES;

export function isSabotage(name: string): name is SabotageName {
  return Object.hasOwn(SABOTAGES, name);
}

/** The script's text as the sabotage has it. Throws where the script has changed and no longer holds what is to be altered. */
export function alter(file: string, text: string, alterations: readonly Alteration[]): string {
  return alterations
    .filter((alteration) => alteration.file === file)
    .reduce((altered, { find, put }) => {
      const parts = altered.split(find);
      if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times what the sabotage is to alter: ${find}`);
      return parts.join(put);
    }, text);
}
