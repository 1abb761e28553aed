/**
 * The values so far, as soon as they are enough, or all are there, or the time is over (milliseconds). Null for one that has not come, or
 * has failed.
 */
export function settle<Value>(
  promises: readonly Promise<Value | null>[],
  { limitMs, enough }: { limitMs?: number; enough?: (soFar: readonly (Value | null)[]) => boolean },
): Promise<(Value | null)[]> {
  return new Promise((resolve) => {
    const values: (Value | null)[] = promises.map(() => null);
    let left = promises.length;
    const end = (): void => {
      clearTimeout(timer);
      resolve([...values]);
    };
    const timer = limitMs === undefined ? undefined : setTimeout(end, limitMs);
    const come = (): void => {
      left--;
      if (left === 0 || enough?.(values) === true) end();
    };
    for (const [index, promise] of promises.entries()) {
      promise.then((value) => {
        values[index] = value;
        come();
      }, come);
    }
  });
}
