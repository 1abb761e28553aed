import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';

/** One run as its worker's log tells it. Times in milliseconds of the worker's clock. */
export interface LoggedRun {
  readonly task: string;
  readonly fence: number;
  readonly worker: string;
  readonly shard: string;
  readonly start: number;
  /** Null where the log knows no end: it goes on, or its worker died. */
  readonly end: number | null;
  /** Whether its worker said that it had lost the lease. */
  readonly lost: boolean;
}

const EVENTS = ['lock acquired', 'lock released', 'lease lost'] as const;
const milliseconds = z.pipe(
  z.iso.datetime(),
  z.transform((text: string) => Date.parse(text)),
);
const lineSchema = z.object({
  event: z.enum(EVENTS),
  task: z.string(),
  fence: z.int(),
  worker: z.string(),
  shard: z.string(),
  start: milliseconds,
  end: z.optional(milliseconds),
});

/** Workers' logs as the launcher names them; the older one of each goes first. */
const LOG_NAME = /^worker-.*\.log(\.1)?$/;

/** The run that a line speaks of; null where it is about something else or not whole. */
export function readLine(line: string): LoggedRun | null {
  // Most lines are about something else, and parsing is the dear part.
  if (!EVENTS.some((event) => line.includes(`"${event}"`))) return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The last line of a log that is being written may be half a line.
    return null;
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) return null;
  const { event, end = null, ...run } = parsed.data;
  return { ...run, end, lost: event === 'lease lost' };
}

/** One entry for each run, whichever of its lines are there. */
export function runsOf(lines: Iterable<string>): LoggedRun[] {
  const runs = new Map<string, LoggedRun>();
  for (const line of lines) {
    const run = readLine(line);
    if (run === null) continue;
    const key = `${run.task} ${run.fence} ${run.worker}`;
    const known = runs.get(key);
    runs.set(key, { ...run, end: run.end ?? known?.end ?? null, lost: run.lost || (known?.lost ?? false) });
  }
  return [...runs.values()];
}

/** Every run that workers' logs in a directory tell of; null where there are no such logs. */
export async function readRunLogs(directory: string): Promise<LoggedRun[] | null> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => LOG_NAME.test(name));
  if (names.length === 0) return null;
  const texts = await Promise.all(names.map((name) => readFile(path.join(directory, name), 'utf8')));
  return runsOf(texts.flatMap((text) => text.split('\n')));
}
