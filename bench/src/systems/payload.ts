import type { Payload } from './system.ts';

export const PAYLOAD_BYTES = 200;

/** Milliseconds of the machine's monotonic clock, comparable between processes. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** A payload of 200 bytes of JSON that says when it was made. */
export function payloadNow(): Payload {
  const at = monotonicMs();
  const bare = JSON.stringify({ at, filler: '' }).length;
  return { at, filler: 'x'.repeat(PAYLOAD_BYTES - bare) };
}

/** For systems whose handlers are not told to stop. */
export function noSignal(): null {
  return null;
}
