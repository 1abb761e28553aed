/**
 * What a `Retry-After` header asks for, in milliseconds from now; undefined where it is absent or says nothing.
 * It names seconds, or a date. `now`: milliseconds since 1970.
 */
export function retryAfterMs(header: string | undefined, now: () => number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now());
}
