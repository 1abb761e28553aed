import path from 'node:path';
import { type Environment, readSettings } from '@galley/contract';
import * as z from 'zod/mini';

/** What the environment tells the command line; its flags go before. */
export interface CliConfig {
  /** Undefined: Galley's own Redis, in the data directory. */
  readonly redisUrl: string | undefined;
  /** Absolute. */
  readonly dataDirectory: string;
}

const schema = z.object({ GALLEY_REDIS_URL: z.optional(z.string()), GALLEY_DATA_DIR: z.optional(z.string()) });
/** Left out, it is the repository's, as it is for `npm start`. */
const DEFAULT_DATA_DIRECTORY = path.resolve(import.meta.dirname, '../../../data');

/** @throws GalleyError `invalid_request` with a sentence that names each setting at fault */
export function parseConfig(environment: Environment): CliConfig {
  const values = readSettings(environment, schema);
  return {
    redisUrl: values.GALLEY_REDIS_URL,
    dataDirectory: values.GALLEY_DATA_DIR === undefined ? DEFAULT_DATA_DIRECTORY : path.resolve(values.GALLEY_DATA_DIR),
  };
}

export function readConfig(): CliConfig {
  return parseConfig(process.env);
}
