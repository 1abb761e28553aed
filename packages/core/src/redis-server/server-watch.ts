import type { ChildProcess } from 'node:child_process';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isLiving, type ProcessIdentity } from './process-identity.ts';
import { requestShutdown } from './server-client.ts';
import { untilExit } from './server-process.ts';

const LOOK_AGAIN_MS = 100;
const POLL_MS = 10;
const SHUTDOWN_LIMIT_MS = 15_000;
const TERMINATE_LIMIT_MS = 5_000;

/** Resolves when a server of our own has ended, with what is known of its end. */
export async function untilChildEnds(child: ChildProcess): Promise<string> {
  const { code, signal } = await untilExit(child);
  return `Redis (process ${child.pid}) ended unexpectedly: ${signal === null ? `exit code ${code}` : signal}.`;
}

/** Resolves when an adopted server has ended. Only a parent is told of a process's end, so a connection is held and its closing waited for. */
export async function untilAdoptedEnds(socketPath: string, identity: ProcessIdentity): Promise<string> {
  while (await isLiving(identity)) {
    const socket = net.connect(socketPath);
    // A refused connection is followed by `close` as well, which is all that matters here.
    socket.on('error', () => undefined);
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    await delay(LOOK_AGAIN_MS);
  }
  return `Redis (process ${identity.pid}) ended unexpectedly.`;
}

/** Asks a server to end; insists by signals when it does not. Resolves when its process is gone. */
export async function endServer(socketPath: string, identity: ProcessIdentity): Promise<void> {
  await requestShutdown(socketPath);
  if (await isGoneWithin(identity, SHUTDOWN_LIMIT_MS)) return;
  signal(identity.pid, 'SIGTERM');
  if (await isGoneWithin(identity, TERMINATE_LIMIT_MS)) return;
  signal(identity.pid, 'SIGKILL');
  await isGoneWithin(identity, TERMINATE_LIMIT_MS);
}

async function isGoneWithin(identity: ProcessIdentity, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (await isLiving(identity)) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}
