import { execFile } from 'node:child_process';
import { PlainFailure } from '../failure.mjs';

const LIMIT_MS = 60_000;
/** A program says all its faults in one line; each sentence about a setting begins with the setting's name. */
const NEXT_FAULT = /(?<=\.) (?=GALLEY_[A-Z_]+ is )/;

/**
 * Asks the programs, before anything is started, whether they can run as they are set up.
 * @param {object} options
 * @param {readonly string[]} options.programs paths of scripts that take `--check`: they end with 0, or with their faults on standard error
 * @param {Readonly<Record<string, string | undefined>>} options.environment all of it
 * @param {string} options.cwd
 * @param {AbortSignal} options.signal ends the asking
 * @throws {PlainFailure} with a line for every fault
 */
export async function checkSettings({ programs, environment, cwd, signal }) {
  const answers = await Promise.all(programs.map((program) => askProgram(program, { env: environment, cwd, signal })));
  const faults = withoutRepetitions(answers.flat());
  if (faults.length > 0) throw new PlainFailure(faults.join('\n'));
}

/**
 * @param {string} program
 * @param {{ env: Readonly<Record<string, string | undefined>>, cwd: string, signal: AbortSignal }} options
 * @returns {Promise<string[]>} its faults
 */
function askProgram(program, { env, cwd, signal }) {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, '--check'], { env: { ...env }, cwd, signal, timeout: LIMIT_MS }, (error, _stdout, stderr) => {
      if (error === null) resolve([]);
      else resolve((stderr.trim() || `${program} could not check its settings: ${error.message}`).split(NEXT_FAULT));
    });
  });
}

/**
 * Server and worker read many settings both, and may put the same fault in different words.
 * @param {readonly string[]} faults
 */
function withoutRepetitions(faults) {
  const bySetting = new Map(faults.toReversed().map((fault) => [/^GALLEY_[A-Z_]+(?= is )/.exec(fault)?.[0] ?? fault, fault]));
  return [...bySetting.values()].toReversed();
}
