import type { Block, Line, PageResult } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import {
  certaintyOf,
  doubtfulKeys,
  figuresOf,
  flows,
  joint,
  kindCounts,
  languageOf,
  numberColumns,
  tableRowBoxes,
  targetBox,
} from './page.model.ts';
import { cutAt, findMatches } from './search.model.ts';
import { baseScale, keptScroll, scaleOf, stepped, turned, wheeled } from './zoom.model.ts';

const line = (text: string, left: number, top: number, right: number, confidence = 0.99): Line => ({
  text,
  confidence,
  polygon: [
    [left, top],
    [right, top],
    [right, top + 20],
    [left, top + 20],
  ],
});
const paragraph: Block = {
  id: 1,
  type: 'text',
  bbox: [100, 100, 500, 170],
  text: 'a b c',
  lines: [
    line('The first line runs on and on', 100, 100, 495),
    line('to the second, which has a doubt', 100, 125, 490, 0.71),
    line('and ends.', 100, 150, 200),
  ],
};
const address: Block = { ...paragraph, id: 2, lines: [line('Northwind Ltd.', 100, 200, 220), line('14 Quayside Road', 100, 225, 500)] };
const table: Block = {
  id: 3,
  type: 'table',
  bbox: [100, 300, 500, 360],
  text: '',
  rows: [
    ['Item', 'Qty'],
    ['2311', '3'],
  ],
  lines: [line('Qty', 400, 303, 450), line('Item', 110, 302, 180), line('2311', 110, 332, 180, 0.5), line('3', 400, 333, 420)],
};
const page: PageResult = {
  page: 2,
  width: 600,
  height: 800,
  angle: 0,
  source: 'image',
  engine: 'onnx',
  blocks: [paragraph, address, table],
  markdown: '',
};

describe('page model', () => {
  it('tells running text from lines that stand for themselves', () => {
    const sums: Block = { ...paragraph, lines: [line('Subtotal 2,065.40', 100, 100, 500), line('VAT 20% 413.08', 100, 125, 500)] };
    const rightward: Block = {
      ...paragraph,
      lines: [line('Invoice number NW-2024-00817-A', 100, 100, 500), line('Due: 08 Nov 2024', 350, 125, 500)],
    };
    expect([flows(paragraph), flows(address), flows(sums), flows(rightward)]).toEqual([true, false, false, false]);
    expect([joint('runs', 'on'), joint('识别', '结果'), joint('recog-', 'nise'), joint('npm', '安装')]).toEqual([' ', '', '', ' ']);
  });
  it('finds the rows of a table by its lines, and by equal parts where they do not fit', () => {
    expect(tableRowBoxes(table)).toEqual([
      [100, 300, 500, 327.5],
      [100, 327.5, 500, 360],
    ]);
    expect(tableRowBoxes({ ...table, lines: [] })[1]).toEqual([100, 330, 500, 360]);
  });
  it('names what is to be checked, a table’s cell by its row', () => {
    expect(doubtfulKeys(page)).toEqual(['b1l2', 'b3r2']);
    expect(targetBox(page, 'b1l2')).toEqual([100, 125, 490, 145]);
    expect(targetBox(page, 'b9')).toBeNull();
  });
  it('counts', () => {
    expect(figuresOf(page)).toMatchObject({ blocks: 3, lines: 9 });
    expect(figuresOf({ ...page, blocks: [] }).confidence).toBeNull();
    expect(kindCounts(page)).toEqual([
      { kind: 'text', count: 2 },
      { kind: 'table', count: 1 },
    ]);
    expect([0.95, 0.8, 0.79].map(certaintyOf)).toEqual(['high', 'middle', 'low']);
  });
  it('sets columns of numbers right', () => {
    expect([
      ...numberColumns([
        ['Item', 'Name', 'Amount'],
        ['1', 'x', '1,014.00'],
        ['2', 'y', '−3 %'],
      ]),
    ]).toEqual([2]);
  });
  it('knows Chinese', () => {
    expect([languageOf('OCR（光学）'), languageOf('plain')]).toEqual(['zh-CN', undefined]);
  });
});

describe('search', () => {
  it('finds lines and rows without regard to case and width', () => {
    expect(findMatches([page], ' FIRST ')).toEqual([{ page: 2, key: 'b1l1' }]);
    expect(findMatches([page], '2311')).toEqual([{ page: 2, key: 'b3r2' }]);
    expect(findMatches([page], '')).toEqual([]);
  });
  it('cuts a text where it is found', () => {
    expect(cutAt('Total total', 'total').map(({ text, hit }) => [text, hit])).toEqual([
      ['Total', true],
      [' ', false],
      ['total', true],
    ]);
  });
});

describe('zoom', () => {
  const scan = { width: 1654, height: 2338 };
  it('takes a scan for a sheet and a small picture for itself', () => {
    expect(baseScale(scan) * scan.width).toBeCloseTo(794, 0);
    expect(baseScale({ width: 500, height: 300 })).toBe(1);
  });
  it('fits the width or the page, also when turned', () => {
    const stage = { width: 794 + 88, height: 600 };
    expect(scaleOf('width', scan, 0, stage)).toBeCloseTo(1, 2);
    expect(scaleOf('page', scan, 0, stage)).toBeLessThan(0.5);
    expect(scaleOf('width', scan, 90, stage)).toBeLessThan(0.75);
    expect(turned(scan, 270)).toEqual({ width: 2338, height: 1654 });
    expect(scaleOf(1.5, scan, 0, stage)).toBe(1.5);
  });
  it('steps to round numbers and keeps the point under the pointer', () => {
    expect([stepped(0.86, 1), stepped(0.86, -1), stepped(1, 1), stepped(8, 1)]).toEqual([0.9, 0.75, 1.1, 8]);
    expect(wheeled(1, -100)).toBeGreaterThan(1);
    expect(keptScroll(100, 50, 1, 2)).toBe(250);
  });
});
