import path from 'node:path';
import { parseArgs } from 'node:util';
import { GalleyError } from '@galley/contract';
import type { CliConfig } from '../config.ts';

export interface VerifyArguments {
  readonly seconds: number;
  /** Undefined: Galley's own, found in the data directory. */
  readonly redisUrl: string | undefined;
  readonly dataDirectory: string;
  /** Where workers' logs lie, absolute. */
  readonly logDirectory: string;
  /** Empty: every queue there is. */
  readonly queues: readonly string[];
  /** Undefined: as the workers say. */
  readonly leaseMs: number | undefined;
  readonly trial: boolean;
  readonly json: boolean;
}

export const VERIFY_USAGE = `galley verify [options]

Watches a running system for some seconds while it works and checks what an operator would check by hand: lock keys against running
tasks, the TTL of every lock key, that shards take turns (MONITOR), that no two runs of a task overlap (the workers' logs), and how much
faster several workers do the same load than one (a short trial on a queue of its own, which is removed afterwards).

  --seconds <n>     how long to watch, 1 to 3600 (10)
  --queue <name>    watch this queue only; may be repeated
  --redis <url>     address of Redis (GALLEY_REDIS_URL, else Galley's own in the data directory)
  --data-dir <dir>  data directory of npm start (GALLEY_DATA_DIR, else ./data of this repository)
  --logs <dir>      where the workers' logs lie (logs in the data directory)
  --lease-ms <n>    the lease that TTLs are held against (as the workers say)
  --no-trial        leave the trial out and write nothing to Redis
  --json            print the findings as JSON, and what kept it from any as { error: { code, detail } }
  -h, --help        print this

Ends with 0 when the system was seen to work in parallel and soundly, and with 1 otherwise.
`;

function wholeNumber(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new GalleyError('invalid_request', `${name} is "${text}"; it takes a whole number from ${least} to ${most}.`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string' },
        queue: { type: 'string', multiple: true },
        redis: { type: 'string' },
        'data-dir': { type: 'string' },
        logs: { type: 'string' },
        'lease-ms': { type: 'string' },
        'no-trial': { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new GalleyError('invalid_request', `${detail}\n${VERIFY_USAGE}`, { cause });
  }
}

/**
 * Null where only help is asked for.
 * @throws GalleyError `invalid_request` with a sentence that names the option and what it takes
 */
export function parseVerifyArguments(args: readonly string[], config: CliConfig): VerifyArguments | null {
  const values = parse(args);
  if (values.help === true) return null;
  const dataDirectory = values['data-dir'] === undefined ? config.dataDirectory : path.resolve(values['data-dir']);
  // A data directory that was named on the command line is meant with its own Redis.
  const fromEnvironment = values['data-dir'] === undefined ? config.redisUrl : undefined;
  return {
    seconds: wholeNumber('--seconds', values.seconds, 1, 3_600) ?? 10,
    redisUrl: values.redis ?? fromEnvironment,
    dataDirectory,
    logDirectory: path.resolve(values.logs ?? path.join(dataDirectory, 'logs')),
    queues: values.queue ?? [],
    leaseMs: wholeNumber('--lease-ms', values['lease-ms'], 1, 86_400_000),
    trial: values['no-trial'] !== true,
    json: values.json === true,
  };
}
