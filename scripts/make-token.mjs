import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { PlainFailure, runMain } from './lib/failure.mjs';
import { makeToken, TOKEN_ROLES } from './lib/token.mjs';

const DEFAULT_FILE = path.resolve(import.meta.dirname, '../data/tokens');
const USAGE = `node scripts/make-token.mjs --user <name> --role <${TOKEN_ROLES.join('|')}> [--file <path, ${DEFAULT_FILE} when left out>]`;

/** Adds a token to the file that GALLEY_TOKENS_FILE names, and prints it this once: the file holds its hash alone. */
await runMain(async () => {
  const { user, role, file } = readArguments();
  const { token, line } = makeToken({ user, role });
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // Readable by the container's user, who is somebody else outside of it.
  await appendFile(file, `${line}\n`, { mode: 0o644 });
  console.log(
    `The token of ${user} (${role}), shown only now:\n${token}\nIts hash was added to ${file}; a server that was started with GALLEY_TOKENS_FILE naming it reads it within seconds.`,
  );
});

function readArguments() {
  try {
    const {
      user,
      role,
      file = DEFAULT_FILE,
    } = parseArgs({
      options: { user: { type: 'string' }, role: { type: 'string' }, file: { type: 'string' } },
    }).values;
    if (user === undefined || role === undefined) throw new Error('--user and --role are needed.');
    return { user, role, file: path.resolve(file) };
  } catch (error) {
    throw new PlainFailure(`${error instanceof Error ? error.message : String(error)}\nUse it like this: ${USAGE}`);
  }
}
