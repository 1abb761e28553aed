import { useRef } from 'react';
import { type Hold, heldScale, type Scale } from './scale.model.ts';

/** The scale of an axis, held still by the rule of `heldScale`. `key`: another range or queue begins anew. */
export function useHeldScale(key: string, most: number, now: number, scaleOf: (most: number) => Scale): Scale {
  const held = useRef<{ key: string; hold: Hold } | null>(null);
  const before = held.current?.key === key ? held.current.hold : null;
  const hold = heldScale(before, most, now, scaleOf);
  held.current = { key, hold };
  return hold.scale;
}
