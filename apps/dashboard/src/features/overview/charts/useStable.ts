import { useCallback, useLayoutEffect, useRef } from 'react';

/** A function that stays the same and always does what the newest one does: for parts that are drawn only when their data changes. */
export function useStable<Facts extends readonly unknown[], Answer>(newest: (...facts: Facts) => Answer): (...facts: Facts) => Answer {
  const held = useRef(newest);
  useLayoutEffect(() => {
    held.current = newest;
  });
  return useCallback((...facts: Facts) => held.current(...facts), []);
}
