/**
 * Calls `onStop` when this process should stop: on SIGTERM, SIGINT, and when the launcher at the other end of the IPC channel is gone.
 * The first request is patient, every further signal is not.
 */
export function listenForStop(onStop: (request: { readonly reason: string; readonly hurried: boolean }) => void): void {
  let requests = 0;
  const request = (reason: string): void => onStop({ reason, hurried: requests++ > 0 });
  process.on('SIGTERM', () => request('SIGTERM'));
  process.on('SIGINT', () => request('SIGINT'));
  process.once('disconnect', () => {
    // A launcher that stops in order signals first and may be gone before we are: that is no reason to hurry.
    if (requests === 0) request('the launcher is gone');
  });
  // Listening must not keep the process alive once all else has ended.
  process.channel?.unref();
  // Null instead of undefined: there was a channel, and it closed while this program was loading.
  if (process.channel === null) request('the launcher is gone');
}
