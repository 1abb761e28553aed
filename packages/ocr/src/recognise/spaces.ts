import type { LineReading } from './recogniser.ts';

/** The line's text. */
export function placeSpaces(reading: LineReading): string {
  return reading.characters.map(({ text }) => text).join('');
}
