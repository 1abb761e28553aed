import { access, constants, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { PlainFailure } from './failure.mjs';

/**
 * Makes the data directory and its folder for logs, where they are missing, so that whoever writes there later finds them.
 * @param {string} directory absolute
 * @throws {PlainFailure} at once, naming the setting and what it takes
 */
export async function makeDataDirectory(directory) {
  try {
    await makeDirectory(path.join(directory, 'logs'));
    for (const folder of [directory, path.join(directory, 'logs')]) await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlainFailure(
      `GALLEY_DATA_DIR is "${directory}"; it takes a folder that Galley can make or write to (${reason}). Left out, it is ./data.`,
    );
  }
}

/**
 * Step by step: Node's own recursive mkdir never comes to an end below /proc.
 * @param {string} directory
 * @returns {Promise<void>}
 */
async function makeDirectory(directory) {
  if (await isDirectory(directory)) return;
  await makeDirectory(path.dirname(directory));
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have been faster.
    if (await isDirectory(directory)) return;
    throw error;
  }
}

/**
 * False for what is not there.
 * @param {string} place
 */
async function isDirectory(place) {
  try {
    if ((await stat(place)).isDirectory()) return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (codeOf(error) !== 'ENOTDIR') throw error;
    // A file further up is at fault, and is named by the look at it.
    await isDirectory(path.dirname(place));
    return false;
  }
  throw new Error(`${place} is not a folder`);
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : null;
}
