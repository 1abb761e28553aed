import { PlainFailure } from '../failure.mjs';

/** One Ctrl-C arrives twice, from the terminal and once more from npm. */
const SAME_PRESS_MS = 700;
const PARENT_POLL_MS = 500;
/** As it was at the start: npm may be killed while dependencies are still being installed. */
const PARENT = process.ppid;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Starts a stack and keeps it until Ctrl-C, SIGTERM, a closed terminal or a fault of its own ends it, then stops it in order.
 * A second signal ends its programs at once.
 * @param {import('./stack.mjs').Stack} stack
 * @param {(line: string) => void} say
 * @param {() => Promise<void>} start
 * @throws the fault that ended it, or that kept it from starting
 */
export async function stopOnSignals(stack, say, start) {
  /** @type {number | null} */
  let signalledAt = null;
  /** @type {() => void} */
  let tellFirst = () => undefined;
  const first = new Promise((/** @type {(value: null) => void} */ resolve) => {
    tellFirst = () => resolve(null);
  });
  const onSignal = () => {
    if (signalledAt !== null) {
      if (performance.now() - signalledAt < SAME_PRESS_MS) return;
      say('Ending at once; unfinished tasks run again after the next start.');
      stack.hurry();
      return;
    }
    signalledAt = performance.now();
    say('Stopping: running tasks are finished or handed back (Ctrl-C again to end at once) ...');
    tellFirst();
    // A start that is under way is cut short by this; how the stopping ends is seen below.
    stack.stop().catch(() => undefined);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  const unwatch = watchParent(onSignal);
  // A terminal that was closed must not keep the rest from being stopped in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    await start();
    const reason = await Promise.race([stack.failed, first]);
    if (reason !== null) throw new PlainFailure(reason);
  } catch (error) {
    if (signalledAt === null) throw error;
  } finally {
    await stack.stop();
    // The signals stay caught: the process ends now, and a late Ctrl-C must not make that look like a fault.
    unwatch();
  }
}

/**
 * Notices that the npm that runs this was killed, which nobody tells its child. Started without npm, the parent is a shell that may well end
 * first, as with nohup, and is not watched.
 * @param {() => void} onGone
 * @returns {() => void} ends the watching
 */
function watchParent(onGone) {
  if (process.env['npm_lifecycle_event'] === undefined) return () => undefined;
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(timer);
    onGone();
  }, PARENT_POLL_MS);
  return () => clearInterval(timer);
}
