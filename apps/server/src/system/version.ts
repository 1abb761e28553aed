import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** The version of this build. */
export const VERSION = z.object({ version: z.string() }).parse(manifest).version;
