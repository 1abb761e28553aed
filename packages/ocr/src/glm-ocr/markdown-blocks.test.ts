import { expect, test } from 'vitest';
import { htmlTableRows } from './html-table.ts';
import { readMarkdown } from './markdown-blocks.ts';
import { findRepetition } from './repetition.ts';

const said = (text: string): unknown[] => readMarkdown(text).map(({ type, text: words, rows }) => [type, rows ?? words]);

test.each([
  [
    'plain lines stay lines of one paragraph',
    'one\ntwo\n\nthree',
    [
      ['text', 'one\ntwo'],
      ['text', 'three'],
    ],
  ],
  [
    'headings of any depth',
    '# One #\n### Two\nbody',
    [
      ['title', 'One'],
      ['title', 'Two'],
      ['text', 'body'],
    ],
  ],
  [
    'bullets lose their mark, numbers keep it',
    '* a\n• b\n\n1. c\n2) d',
    [
      ['list', 'a\nb'],
      ['list', '1. c\n2) d'],
    ],
  ],
  ['emphasis and escapes are taken off', '**Total** is 3\\*4 __now__', [['text', 'Total is 3*4 now']]],
  ['formulas stay', 'so $a\\_1 * b*c$ and $$\\frac{1}{2}$$', [['text', 'so $a\\_1 * b*c$ and $$\\frac{1}{2}$$']]],
  [
    'rules between parts say nothing',
    'a\n\n---\n\nb\n***',
    [
      ['text', 'a'],
      ['text', 'b'],
    ],
  ],
  [
    'one fence round all of it',
    '```markdown\n# A\n\nb\n```',
    [
      ['title', 'A'],
      ['text', 'b'],
    ],
  ],
  [
    'code keeps its lines',
    'see\n```\n# no title\n| no | table |\n```',
    [
      ['text', 'see'],
      ['text', '# no title\n| no | table |'],
    ],
  ],
  ['a figure has its caption', '![A ship](x.png)', [['figure', 'A ship']]],
  [
    'pipes with an escaped one',
    '| a\\|b | c |\n| --- | :-: |\n| d | |',
    [
      [
        'table',
        [
          ['a|b', 'c'],
          ['d', ''],
        ],
      ],
    ],
  ],
  ['a row of pipes alone is text', '| not a table |', [['text', '| not a table |']]],
  [
    'HTML tables',
    'x\n<table border="1"><tr><th>a</th></tr>\n<tr><td>b</td></tr></table>\ny',
    [
      ['text', 'x'],
      ['table', [['a'], ['b']]],
      ['text', 'y'],
    ],
  ],
  ['a table that the limit of tokens cut', '<table><tr><td>a</td><td>b', [['table', [['a', 'b']]]]],
  ['nothing', ' \n ', []],
])('%s', (_name, markdown, expected) => {
  expect(said(markdown)).toEqual(expected);
});

test('cells over columns and rows leave the places they cover empty', () => {
  const html = '<table><tr><td rowspan="2">a</td><td colspan=2>b &amp; c</td></tr><tr><td>d<br/>e</td><td><b>f</b></td></tr></table>';
  expect(htmlTableRows(html)).toEqual([
    ['a', 'b & c', ''],
    ['', 'd\ne', 'f'],
  ]);
  expect(htmlTableRows(`<tr><td colspan="9999">${'x'}</td></tr>`)[0]).toHaveLength(50);
});

test('hostile Markdown takes no time', () => {
  const begun = performance.now();
  for (const part of ['|', '*', '<t', '<td', '$', '![', '# ', '```\n', '\\', '<table><tr>']) readMarkdown(part.repeat(20_000));
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test.each([
  ['a word', `start${' the'.repeat(60)}`, 'start the', 60],
  ['a word cut short', `start${' the'.repeat(60)} th`, 'start the', 60],
  ['a line', `head\n${'the same line\n'.repeat(20)}`, 'head\nthe same line', 20],
  ['a row of a table', `| n |\n${'| 0.00 | 0.00 |\n'.repeat(30)}`, '| n |\n| 0.00 | 0.00 |', 30],
])('a loop over %s is found', (_name, text, kept, times) => {
  const found = findRepetition(text);
  expect(found?.kept).toBe(kept);
  expect(Math.abs((found?.times ?? 0) - times)).toBeLessThanOrEqual(1);
});

test.each([
  ['running text', 'The harbour master writes each ship into the book, her cargo and the hour of her arrival. '.repeat(2)],
  ['leaders', `Chapter one ${'.'.repeat(200)} 7`],
  ['leaders at the end', `Chapter one ${'. '.repeat(150)}`],
  ['a few equal lines', 'yes\n'.repeat(12)],
  ['nothing', ''],
])('%s is no loop', (_name, text) => {
  expect(findRepetition(text)).toBeNull();
});
