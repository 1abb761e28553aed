import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../../../apps/server/dist/main.js', import.meta.url));
const BARE = fileURLToPath(new URL('./bare-server.js', import.meta.url));
/** The kernel counts CPU in these. */
const TICKS_PER_SECOND = 100;
const READY_LIMIT_MS = 20_000;

/** A program of its own process that is measured over HTTP. */
export interface Program {
  readonly base: string;
  /** Microseconds of CPU that it has used, in steps of 10,000. */
  cpuUs(): Promise<number>;
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
}

async function cpuUsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in parentheses, may hold spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000_000;
}

async function residentBytesOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1_024;
}

function programOf(child: ChildProcess, base: string): Program {
  const pid = child.pid ?? 0;
  const killAtExit = (): boolean => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  return {
    base,
    cpuUs: () => cpuUsOf(pid),
    residentBytes: () => residentBytesOf(pid),
    stop: async () => {
      process.off('exit', killAtExit);
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The first line of standard output that `pick` makes something of. */
async function firstLine(child: ChildProcess, pick: (line: string) => string | null): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('the program has no output');
  const late = setTimeout(() => child.kill('SIGKILL'), READY_LIMIT_MS);
  for await (const line of createInterface({ input: stdout })) {
    const picked = pick(line);
    if (picked === null) continue;
    clearTimeout(late);
    stdout.resume();
    return picked;
  }
  throw new Error('a program of the benchmark ended before it was ready');
}

function field(line: string, name: string): unknown {
  const value: unknown = JSON.parse(line);
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

export async function startBare(socketPath: string): Promise<Program> {
  const child = spawn(process.execPath, [BARE, socketPath], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await firstLine(child, (line) => String(field(line, 'port')));
  return programOf(child, `http://127.0.0.1:${port}`);
}

/** One server process, as it ships, but for limits that a benchmark is meant to pass. */
export async function startServer(redisUrl: string, dataDirectory: string): Promise<Program> {
  const settings = {
    GALLEY_REDIS_URL: redisUrl,
    GALLEY_DATA_DIR: dataDirectory,
    GALLEY_PORT: '0',
    GALLEY_RATE_LIMIT: '10000000',
    GALLEY_DEPTH_LIMIT: '0',
    GALLEY_LOG_LEVEL: 'info',
  };
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [SERVER], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH, NODE_ENV: 'production', ...settings },
  });
  let address = '';
  await firstLine(child, (line) => {
    if (field(line, 'msg') === 'listening') address = String(field(line, 'address'));
    return field(line, 'msg') === 'ready' ? 'ready' : null;
  });
  return programOf(child, address);
}
