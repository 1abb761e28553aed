import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { LinePicture } from '../rectify/warp.ts';
import { mendCapitals } from './capitals.ts';
import { mendConfusions, mendQuotes } from './confusions.ts';
import { loadDictionary } from './dictionary.ts';
import { inkProfile } from './ink.ts';
import { cutPoints, type LineReading } from './recogniser.ts';
import { glyphsToText, placeSpaces } from './spaces.ts';
import { measureType } from './type-size.ts';

/** A line picture with dark bars between the given columns, from row 16 to 32. */
function bars(width: number, spans: readonly (readonly [number, number])[], ground = 255): LinePicture {
  const pixels = new Uint8Array(width * 48 * 3).fill(ground);
  for (let row = 16; row < 32; row++) {
    for (const [from, to] of spans) pixels.fill(255 - ground, (row * width + from) * 3, (row * width + to) * 3);
  }
  return { width, height: 48, pixels };
}

/** Letters of 12 pixels, 4 apart; a `_` is a space that the ink shows and the network lost, a blank one that it saw. */
function reading(text: string, wide = 14): LineReading {
  const spans: [number, number][] = [];
  const characters: LineReading['characters'] = [];
  let x = 10;
  for (const character of text) {
    if (character === '_' || character === ' ') {
      if (character === ' ') characters.push({ text: ' ', confidence: 1, step: x + wide / 2 });
      x += wide;
      continue;
    }
    spans.push([x, x + 12]);
    characters.push({ text: character, confidence: 1, step: x + 6 });
    x += 16;
  }
  return { characters, ink: inkProfile(bars(x + 20, spans)), width: x + 20 };
}

const textOf = (line: LineReading): string => glyphsToText(placeSpaces([line])[0] ?? []);

test('a space that the network lost is found in the ink', () => {
  expect(textOf(reading('the_old quay_and the_new'))).toBe('the old quay and the new');
});

test('points within figures stand in wide gaps and are no spaces', () => {
  expect(textOf(reading('1_8_2', 4))).toBe('182');
});

test('no spaces are put between Chinese characters', () => {
  expect(textOf(reading('港口_清晨'))).toBe('港口清晨');
});

test('ink is found on light and on dark ground', () => {
  const spans = [
    [10, 20],
    [40, 50],
  ] as const;
  for (const ground of [255, 0]) {
    expect(inkProfile(bars(60, spans, ground)).gaps).toEqual([
      [0, 10],
      [20, 40],
      [50, 60],
    ]);
  }
});

test('a very long line is cut in gaps, into parts that the network reads well', () => {
  const spans = Array.from({ length: 100 }, (_, index): [number, number] => [index * 30 + 5, index * 30 + 25]);
  const cuts = cutPoints(inkProfile(bars(3_000, spans)), 3_000);
  expect(cuts[0]).toBe(0);
  expect(cuts.at(-1)).toBe(3_000);
  expect(cuts.slice(1, -1).every((cut) => cut % 30 === 0)).toBe(true);
  expect(Math.max(...cuts.slice(1).map((cut, index) => cut - (cuts[index] ?? 0)))).toBeLessThan(1_300);
});

test('type size follows the letters, not the height of the ink', () => {
  const [low, high] = [
    measureType('ono', { rows: [0.4, 0.64], core: [0.4, 0.64], stroke: 0.05 }),
    measureType('hlp', { rows: [0.28, 0.745], core: [0.4, 0.64], stroke: 0.05 }),
  ];
  expect(low.size).toBeCloseTo(high.size, 2);
  expect(low.top).toBeCloseTo(high.top, 2);
  expect(low.weight).toBeCloseTo(high.weight, 2);
});

test.each([
  ['0live', 'Olive'],
  ['IS0', 'ISO'],
  ['A0', 'A0'],
  ['H2O0', 'H2O0'],
  ['100', '100'],
])('%s is taken for %s', (read, meant) => {
  expect(glyphsToText(mendConfusions([...read].map((text, step) => ({ text, step, space: false }))))).toBe(meant);
});

/** A doubtful reading of letters set apart, whose ink is `high` rows tall, or `low` for the letters named so. */
function setApart(text: string, low: string): LineReading {
  const letters = [...text].filter((character) => character !== ' ');
  const places = [...text].flatMap((character, index) => (character === ' ' ? [] : [20 + index * 24]));
  const width = 40 + text.length * 24;
  const pixels = new Uint8Array(width * 48 * 3).fill(255);
  letters.forEach((letter, index) => {
    const at = places[index] ?? 0;
    for (let row = low.includes(letter) ? 20 : 12; row < 36; row++) pixels.fill(0, (row * width + at) * 3, (row * width + at + 14) * 3);
  });
  const characters = letters.map((letter, index) => ({ text: letter, confidence: 0.8, step: (places[index] ?? 0) + 7 }));
  return { characters, ink: inkProfile({ width, height: 48, pixels }), width };
}

test.each([
  // All of one height: capitals, whatever the network made of them.
  ['DAMAGEdDURInG', '', 'DAMAGEDDURING'],
  ['Dubrounk', '', 'DUBROUNK'],
  // Small letters end lower than the tall ones.
  ['Dubrounk', 'uroun', 'Dubrounk'],
  ['McDon', 'con', 'McDon'],
])('%s with low %s is %s', (read, low, meant) => {
  const line = setApart(read, low);
  const glyphs = line.characters.map(({ text, step }) => ({ text, step, space: false }));
  expect(glyphsToText(mendCapitals(glyphs, line))).toBe(meant);
});

test('the quotation marks of a page are of one kind, and none is there twice', () => {
  const lines = ['"This is it,”" he', '“Even "No, not', '“城市”'].map((text) =>
    [...text].flatMap((character, index) => (character === ' ' ? [] : [{ text: character, step: index, space: text[index - 1] === ' ' }])),
  );
  expect(mendQuotes(lines).map(glyphsToText)).toEqual(['"This is it," he', '"Even "No, not', '“城市”']);
});

test('wide forms are read as what they look like, Chinese marks stay', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'galley-dictionary-')), 'keys.txt');
  await writeFile(path, '中\nＡ\n９\n％\nЗ\n，\n：\n');
  expect(await loadDictionary(path)).toEqual(['', '中', 'A', '9', '%', '3', '，', '：', ' ']);
  await writeFile(path, 'Ж\nж\nЗ\n');
  expect(await loadDictionary(path)).toContain('З');
  await rm(dirname(path), { recursive: true });
});
