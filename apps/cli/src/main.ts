import { GalleyError } from '@galley/contract';
import { readConfig } from './config.ts';
import { verifyCommand } from './verify/command.ts';

interface Command {
  readonly about: string;
  /** Resolves with the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  verify: {
    about: 'watch a running system and check that it works in parallel and soundly',
    run: (args) => verifyCommand(args, readConfig()),
  },
};

const USAGE = [
  'Use it like this: galley <command> [options]',
  '',
  ...Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`),
  '',
  'galley <command> --help says more.',
  '',
].join('\n');

/** What a person can mend ends in one sentence; what nobody foresaw keeps its stack. */
function inWords(error: unknown): string {
  if (error instanceof GalleyError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** With `--json` a program reads, and it reads standard output: how it failed stands there too, with a stable code. */
function tellFailure(error: unknown, asJson: boolean): void {
  if (!asJson || !(error instanceof GalleyError)) process.stderr.write(`${inWords(error)}\n`);
  if (!asJson) return;
  const told =
    error instanceof GalleyError ? error : new GalleyError('internal_error', error instanceof Error ? error.message : String(error));
  process.stdout.write(`${JSON.stringify({ error: { code: told.code, detail: told.message } }, null, 2)}\n`);
}

/** Runs one command; resolves with the exit code, 0 or 1. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(USAGE);
    return name === undefined ? 1 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (command === undefined) throw new GalleyError('invalid_request', `galley has no command "${name}".\n${USAGE}`);
    return await command.run(rest);
  } catch (error) {
    tellFailure(error, rest.includes('--json'));
    return 1;
  }
}
