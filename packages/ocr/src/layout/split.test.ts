import { expect, test } from 'vitest';
import { splitPiece } from './split.ts';
import type { Piece } from './types.ts';

/** A piece of type of 20 pixels whose characters stand at the given places. */
function piece(characters: readonly (readonly [text: string, at: number])[]): Piece {
  const [first, last] = [characters[0]?.[1] ?? 0, characters.at(-1)?.[1] ?? 0];
  return {
    text: characters.map(([text]) => text).join(''),
    confidence: 1,
    quad: [
      [first, 0],
      [last, 0],
      [last, 20],
      [first, 20],
    ],
    box: [first - 5, 0, last + 5, 20],
    size: 20,
    weight: null,
    sideways: false,
    glyphs: characters.map(([text, at]) => ({ text, at, space: false })),
  };
}

test('a line drawn between two columns is left out', () => {
  const parts = splitPiece(
    piece([
      ['a', 0],
      ['b', 10],
      ['|', 40],
      ['c', 70],
      ['d', 80],
    ]),
    [25, 55],
  );
  expect(parts?.map(({ text }) => text)).toEqual(['ab', 'cd']);
});

test('letters of that shape within a word are no such line', () => {
  expect(
    splitPiece(
      piece([
        ['h', 0],
        ['e', 10],
        ['l', 18],
        ['l', 24],
        ['s', 32],
      ]),
      [13, 29],
    ),
  ).toBeNull();
});
