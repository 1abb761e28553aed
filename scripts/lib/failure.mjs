/** A fault that is told to the person who started Galley as it stands: what happened and what to do. No stack is shown. */
export class PlainFailure extends Error {
  /** @type {string} */
  name = 'PlainFailure';
}

/**
 * What to print of an error at the very end.
 * @param {unknown} error
 */
export function describeFailure(error) {
  if (error instanceof PlainFailure) return error.message;
  if (error instanceof Error && error.name === 'GalleyError') return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Runs a script's main function; a failure is printed and ends the process with 1.
 * @param {() => Promise<void>} main
 */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    console.error(describeFailure(error));
    process.exitCode = 1;
  }
}
