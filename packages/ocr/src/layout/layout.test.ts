import { expect, test } from 'vitest';
import { column, piece, proseLines, SIZE } from '../testing/piece-fixture.ts';
import { layoutPage } from './layout.ts';
import type { DraftBlock, Piece } from './types.ts';

const layout = (pieces: readonly Piece[]): DraftBlock[] => layoutPage(pieces, 0, 1400);
/** The first words of all lines, in reading order. */
const order = (pieces: readonly Piece[]): string[] =>
  layout(pieces).flatMap(({ lines }) => lines.map(({ text }) => text.split(' ')[0] ?? ''));
const names = (name: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${name}${from + index}`);

test('one column is read from the top; a wide gap parts its paragraphs', () => {
  const pieces = [...column(50, 100, 400, proseLines('a', 3)), ...column(50, 210, 400, proseLines('b', 2))];
  expect(order(pieces)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
  expect(layout(pieces).map(({ type, lines }) => [type, lines.length])).toEqual([
    ['text', 3],
    ['text', 2],
  ]);
});

test.each([
  ['on one grid', 26],
  ['each with its own leading', 29],
])('two columns are read one after the other, %s', (_name, leading) => {
  const pieces = [...column(50, 100, 380, proseLines('a', 12)), ...column(460, 100, 380, proseLines('b', 12), leading)];
  expect(order(pieces)).toEqual([...names('a', 1, 12), ...names('b', 1, 12)]);
});

test('three columns below a heading across them', () => {
  const pieces = [
    piece({ x: 60, y: 60, text: 'Heading across all of the columns below it', size: 40 }),
    ...[0, 1, 2].flatMap((at) => column(50 + at * 300, 140, 275, proseLines('abc'[at] ?? '', 10))),
  ];
  expect(order(pieces)).toEqual(['Heading', ...names('a', 1, 10), ...names('b', 1, 10), ...names('c', 1, 10)]);
});

test('a heading between two stories keeps them apart, though it leaves the last gutter free', () => {
  const story = (y: number, first: string, second: string): Piece[] => [
    ...column(50, y, 380, proseLines(first, 6)),
    ...column(460, y, 380, proseLines(second, 6)),
  ];
  const pieces = [...story(100, 'a', 'b'), piece({ x: 50, y: 300, text: 'Second story', size: 36 }), ...story(370, 'c', 'd')];
  expect(order(pieces)).toEqual([...names('a', 1, 6), ...names('b', 1, 6), 'Second', ...names('c', 1, 6), ...names('d', 1, 6)]);
});

test('columns are followed past a caption that stands between them', () => {
  const pieces = [
    ...column(50, 100, 380, proseLines('a', 5)),
    ...column(460, 100, 380, proseLines('b', 5)),
    ...column(50, 230, 300, proseLines('a', 9).slice(5)),
    ...column(540, 230, 300, proseLines('b', 9).slice(5)),
    ...[0, 1, 2].map((at) => piece({ x: 385, y: 235 + at * 26, text: `caption${at + 1}` })),
    ...column(50, 334, 380, proseLines('a', 13).slice(9)),
    ...column(460, 334, 380, proseLines('b', 13).slice(9)),
  ];
  expect(order(pieces)).toEqual([...names('a', 1, 13), ...names('b', 1, 13), 'caption1', 'caption2', 'caption3']);
});

test('a column that begins higher than the one to its left is not torn from its first lines', () => {
  const pieces = [
    ...column(50, 40, 790, proseLines('intro', 2)),
    ...column(460, 140, 380, proseLines('b', 9)),
    ...column(50, 166, 380, proseLines('a', 8)),
  ];
  expect(order(pieces)).toEqual(['intro1', 'intro2', ...names('a', 1, 8), ...names('b', 1, 9)]);
});

test('a table is read row by row and keeps its cells', () => {
  const rows = [
    ['Item', 'Price', 'Total'],
    ['Flour', '3.20', '6.40'],
    ['Rye', '2.75', '8.25'],
    ['Salt', '1.10', '1.10'],
  ];
  const pieces = rows.flatMap((cells, row) => cells.map((text, at) => piece({ x: [50, 300, 500][at] ?? 0, y: 100 + row * 30, text })));
  const [table] = layout(pieces);
  expect(table).toMatchObject({ type: 'table', rows, text: rows.map((cells) => cells.join('\t')).join('\n') });
});

test('cells of several lines stay whole', () => {
  const pieces = [0, 1, 2, 3].flatMap((row) => [
    piece({ x: 50, y: 100 + row * 80, text: `No${row}` }),
    ...column(150, 100 + row * 80, 250, [`left${row} first line of the cell`, `left${row} second line of it`], 24),
    ...column(450, 100 + row * 80, 250, [`right${row} first line of the cell`, `right${row} second line of it`], 24),
  ]);
  const [table, ...others] = layout(pieces);
  expect(others).toEqual([]);
  expect(table?.rows).toHaveLength(4);
  expect(table?.rows?.[2]).toEqual([
    'No2',
    'left2 first line of the cell left2 second line of it',
    'right2 first line of the cell right2 second line of it',
  ]);
});

test('a line that the detector joined across two columns is cut between them', () => {
  const pieces = [...column(50, 100, 380, proseLines('a', 6)), ...column(460, 100, 380, proseLines('b', 6))];
  const joined = piece({
    x: 50,
    y: 256,
    text: `${'a7 and the words that fill a line of it'.padEnd(46)}b7 and the words that fill a line of it`,
    right: 840,
  });
  const below = [
    ...column(50, 282, 380, ['a8 and the words that fill a line of it']),
    ...column(460, 282, 380, ['b8 and the words that fill a line of it']),
  ];
  expect(order([...pieces, joined, ...below])).toEqual([...names('a', 1, 8), ...names('b', 1, 8)]);
});

test('running titles and page numbers are marked, not dropped', () => {
  const pieces = [
    piece({ x: 50, y: 30, text: 'The Ledger' }),
    piece({ x: 700, y: 30, text: 'May 1904' }),
    ...column(50, 120, 790, proseLines('a', 20)),
    piece({ x: 440, y: 1350, text: '- 12 -' }),
  ];
  const blocks = layout(pieces);
  expect(blocks.map(({ type }) => type)).toEqual(['header', 'text', 'footer']);
  expect(blocks[0]?.text).toBe('The Ledger May 1904');
});

test('headings by size and by thickness, lists by their marks', () => {
  const pieces = [
    piece({ x: 50, y: 40, text: 'A large heading', size: 34 }),
    ...column(50, 110, 500, proseLines('a', 3)),
    piece({ x: 50, y: 210, text: 'A bold one', weight: 0.15 }),
    ...column(50, 236, 500, proseLines('b', 3)),
    piece({ x: 50, y: 340, text: '•' }),
    piece({ x: 75, y: 340, text: 'first of the items' }),
    piece({ x: 50, y: 366, text: '•' }),
    piece({ x: 75, y: 366, text: 'second of the items' }),
  ];
  expect(layout(pieces).map(({ type }) => type)).toEqual(['title', 'text', 'title', 'text', 'list']);
  expect(layout(pieces).at(-1)?.text).toBe('first of the items\nsecond of the items');
});

test('a line whose type was measured too large stays in its paragraph when its strokes are as thick as theirs', () => {
  const pieces = [...column(50, 100, 400, proseLines('a', 3)), piece({ x: 50, y: 176, text: 'hours', size: 28, weight: 0.07 })];
  expect(layout(pieces).map(({ type, lines }) => [type, lines.length])).toEqual([['text', 4]]);
});

test('a short line in type hardly larger but stronger heads the paragraph below it', () => {
  const pieces = [
    ...column(50, 100, 400, proseLines('a', 4)),
    piece({ x: 50, y: 218, text: 'Of ships', size: 21.5, weight: 0.11 }),
    ...column(50, 260, 400, proseLines('b', 4)),
  ];
  expect(layout(pieces).map(({ type }) => type)).toEqual(['text', 'title', 'text']);
});

test('a line that ended though the next word had room there ends its paragraph; ragged lines do not', () => {
  const full = proseLines('a', 2);
  const ended = [
    ...column(50, 100, 400, full),
    piece({ x: 50, y: 152, text: 'it ends here.' }),
    piece({ x: 50, y: 178, text: 'So does it' }),
  ];
  expect(layout(ended).map(({ lines }) => lines.length)).toEqual([3, 1]);
  const ragged = [
    ...column(50, 100, 400, full),
    ...column(50, 152, 250, ['round a picture', 'lines are short']),
    ...column(50, 204, 400, full),
  ];
  expect(layout(ragged).map(({ lines }) => lines.length)).toEqual([6]);
});

test('the label of a sum that reaches across two columns of a table does not join them', () => {
  const row = (y: number, cells: readonly (readonly [x: number, text: string])[]): Piece[] =>
    cells.map(([x, text]) => piece({ x, y, text }));
  const pieces = [
    ...row(100, [
      [50, 'Item'],
      [300, 'Qty'],
      [380, 'Each'],
      [500, 'Total'],
    ]),
    ...[1, 2, 3, 4].flatMap((at) =>
      row(100 + at * 40, [
        [50, `Bearing ${at}`],
        [310, String(at)],
        [380, '1.50'],
        [500, '4.50'],
      ]),
    ),
    ...row(310, [
      [302, 'Total in all'],
      [500, '18.00'],
    ]),
  ];
  const [table] = layout(pieces);
  expect(table?.rows?.slice(0, 2)).toEqual([
    ['Item', 'Qty', 'Each', 'Total'],
    ['Bearing 1', '1', '1.50', '4.50'],
  ]);
  expect(table?.rows?.at(-1)?.filter((cell) => cell !== '')).toEqual(['Total in all', '18.00']);
});

test('words broken at the end of a line are whole in the text and as printed in the lines', () => {
  const [block] = layout(column(50, 100, 300, ['the clerk kept the led-', 'ger open on the desk']));
  expect(block?.text).toBe('the clerk kept the ledger open on the desk');
  expect(block?.lines.map(({ text }) => text)).toEqual(['the clerk kept the led-', 'ger open on the desk']);
});

test('text that stands on its side takes no part in the columns', () => {
  const label: Piece = { ...piece({ x: 20, y: 100, text: 'Spine' }), box: [20, 100, 20 + SIZE, 400], sideways: true };
  expect(order([label, ...column(50, 100, 400, proseLines('a', 4))])).toEqual(['a1', 'a2', 'a3', 'a4', 'Spine']);
});

test('no pieces, no blocks', () => {
  expect(layout([])).toEqual([]);
});
