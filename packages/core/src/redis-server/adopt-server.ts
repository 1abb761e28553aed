import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { GalleyError } from '@galley/contract';
import { identifyProcess, isLiving } from './process-identity.ts';
import { ping, readServerFacts } from './server-client.ts';
import { defaultSocketPath, readRecord, removeSocket, type ServerRecord } from './server-record.ts';

const ANSWER_LIMIT_MS = 10_000;
const POLL_MS = 50;

/**
 * Finds the living server that a killed launcher left in a directory: where its record says, and where it would be without one.
 * Answers null when there is none; what a dead one left behind is cleared away.
 * @throws GalleyError `redis_unavailable` when a server lives but is not this directory's, or does not answer: a second one over the same
 *   files would destroy them
 */
export async function adoptServer(directory: string): Promise<ServerRecord | null> {
  const record = await readRecord(directory);
  const socketPath = record?.socketPath ?? defaultSocketPath(directory);
  const deadline = performance.now() + ANSWER_LIMIT_MS;
  for (;;) {
    const answer = await ping(socketPath);
    if (answer === 'ready') return await identifyServer(directory, socketPath);
    const lives = answer === 'loading' || (record !== null && (await isLiving(record.process)));
    if (!lives) break;
    if (answer === 'absent' && performance.now() > deadline) throw silentServer(directory, record?.process.pid);
    await delay(POLL_MS);
  }
  if (record !== null) await removeSocket(directory, record.socketPath);
  return null;
}

async function identifyServer(directory: string, socketPath: string): Promise<ServerRecord> {
  const facts = await readServerFacts(socketPath);
  const identity = facts === null ? null : await identifyProcess(facts.pid);
  if (facts === null || identity === null) throw silentServer(directory, facts?.pid);
  if (facts.directory !== directory) {
    const message = `The Redis at ${socketPath} (process ${facts.pid}) keeps its data in ${facts.directory}, not in ${directory}. Stop it first.`;
    throw new GalleyError('redis_unavailable', message);
  }
  return { process: identity, socketPath: await realpath(socketPath) };
}

function silentServer(directory: string, pid: number | undefined): GalleyError {
  const who = pid === undefined ? 'The Redis server' : `The Redis server (process ${pid})`;
  return new GalleyError('redis_unavailable', `${who} of ${directory} runs but does not answer. End that process, then start again.`);
}
