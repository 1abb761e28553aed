import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GalleyError } from '@galley/contract';
import { identifyProcess, isLiving, type ProcessIdentity, parseIdentity } from './process-identity.ts';

const LOCK_NAME = 'launcher.lock';
/** A takeover lasts milliseconds; one this old was left by a launcher that died in it. */
const TAKEOVER_STALE_MS = 10_000;

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes this process the one launcher of a directory. A lock whose process is gone is taken over.
 * @throws GalleyError `lock_contention` when a living process holds it
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const lock = path.join(directory, LOCK_NAME);
  const own = await identifyProcess(process.pid);
  if (own === null) throw new GalleyError('internal_error', 'This process cannot be found in the table of processes.');
  const draft = `${lock}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(own)}\n`, { mode: 0o600 });
  try {
    // A link appears whole or not at all, and never over an existing file: nobody reads a half-written lock.
    if (!(await linkNew(draft, lock))) await takeOver(directory, draft, lock);
  } finally {
    await rm(draft, { force: true });
  }
  return { release: () => release(lock, own) };
}

async function takeOver(directory: string, draft: string, lock: string): Promise<void> {
  const guard = `${lock}.takeover`;
  await refuseLivingHolder(directory, lock);
  await enterGuard(directory, guard);
  try {
    // Read again inside the guard: whoever was here before may have become the holder.
    await refuseLivingHolder(directory, lock);
    await rm(lock, { force: true });
    if (!(await linkNew(draft, lock))) throw heldBy(directory, 'another launcher that has just started');
  } finally {
    await rmdir(guard);
  }
}

async function refuseLivingHolder(directory: string, lock: string): Promise<void> {
  const holder = await readHolder(lock);
  if (holder !== null && (await isLiving(holder))) throw heldBy(directory, `process ${holder.pid}`);
}

async function enterGuard(directory: string, guard: string): Promise<void> {
  const age = await stat(guard).then(
    ({ mtimeMs }) => performance.timeOrigin + performance.now() - mtimeMs,
    () => null,
  );
  if (age !== null && age > TAKEOVER_STALE_MS) await rm(guard, { recursive: true, force: true });
  try {
    await mkdir(guard);
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) throw heldBy(directory, 'another launcher that is starting now', cause);
    throw cause;
  }
}

function heldBy(directory: string, holder: string, cause?: unknown): GalleyError {
  const message = `${directory} is in use by ${holder}. Stop that Galley first, or give this one another GALLEY_DATA_DIR.`;
  return new GalleyError('lock_contention', message, { cause });
}

async function readHolder(lock: string): Promise<ProcessIdentity | null> {
  try {
    return parseIdentity(JSON.parse(await readFile(lock, 'utf8')));
  } catch (error) {
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function release(lock: string, own: ProcessIdentity): Promise<void> {
  const holder = await readHolder(lock);
  if (holder?.pid === own.pid && holder.startedAt === own.startedAt) await unlink(lock);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
