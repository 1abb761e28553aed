import { describeFailure } from '../failure.mjs';

/**
 * How a step went. A step that runs tests counts them; any other counts as one.
 * @typedef {object} StepAnswer
 * @property {number} passed
 * @property {number} failed
 * @property {number} [skipped]
 * @property {string} output shown when it failed
 *
 * @typedef {object} Step
 * @property {string} name
 * @property {string} title what it checks
 * @property {() => Promise<StepAnswer>} run a rejection is a failure of one, and its message is shown
 */

/**
 * Runs steps one after another, all of them whatever fails, and prints a line for each.
 * @param {readonly Step[]} steps
 * @param {(line: string) => void} say
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>} over all of them
 */
export async function runSteps(steps, say) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const step of steps) {
    const startedAt = performance.now();
    const answer = await step
      .run()
      .catch((/** @type {unknown} */ error) => ({ passed: 0, failed: 1, skipped: 0, output: describeFailure(error) }));
    const seconds = (performance.now() - startedAt) / 1000;
    total.passed += answer.passed;
    total.failed += answer.failed;
    total.skipped += answer.skipped ?? 0;
    if (answer.failed > 0) say(answer.output.trimEnd());
    say(describeStep(step, answer, seconds));
  }
  return total;
}

/**
 * @param {Step} step
 * @param {StepAnswer} answer
 * @param {number} seconds
 */
function describeStep({ name, title }, { passed, failed, skipped = 0 }, seconds) {
  const word = failed > 0 ? 'FAILED' : 'ok';
  const counts = passed + failed + skipped > 1 ? ` (${describeCounts({ passed, failed, skipped })})` : '';
  return `${word.padEnd(6)} ${name.padEnd(8)} ${title}${counts}, ${seconds.toFixed(1)} s`;
}

/**
 * @param {{ passed: number, failed: number, skipped: number }} counts
 * @returns {string} tests that did not run are named, so that they are not taken for proof
 */
export function describeCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
