import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * A process, told apart from a later one that was given the same pid.
 * `startedAt` is opaque: it is compared, never read.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** The identity of a living process, or null when no process has this pid (a zombie counts as gone). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | null> {
  const startedAt = process.platform === 'linux' ? await startOnLinux(pid) : await startElsewhere(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** Whether this very process still lives. */
export async function isLiving(identity: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(identity.pid);
  return now !== null && now.startedAt === identity.startedAt;
}

/** Reads what `identifyProcess` wrote, from parsed JSON; null when it is something else. */
export function parseIdentity(value: unknown): ProcessIdentity | null {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('startedAt' in value)) return null;
  const { pid, startedAt } = value;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0 || typeof startedAt !== 'string') return null;
  return { pid, startedAt };
}

async function startOnLinux(pid: number): Promise<string | null> {
  try {
    const [stat, bootId] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/sys/kernel/random/boot_id', 'utf8')]);
    // The second field is the program's name in brackets and may hold blanks and brackets; count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const ticksSinceBoot = fields[19];
    if (state === 'Z' || state === 'X' || ticksSinceBoot === undefined) return null;
    // Ticks count from the boot, so without the boot's id a pid could match its namesake from before a reboot.
    return `${bootId.trim()}/${ticksSinceBoot}`;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

async function startElsewhere(pid: number): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    const [state = '', ...start] = stdout.trim().split(/\s+/);
    return state === '' || state.startsWith('Z') ? null : start.join(' ');
  } catch (error) {
    // ps ends with 1 when there is no such process.
    if (error instanceof Error && 'code' in error && error.code === 1) return null;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
}
