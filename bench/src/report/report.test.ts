import { expect, test } from 'vitest';
import { markdown, table } from './markdown.ts';
import { slowFindings } from './slow-scripts.ts';
import { atLeast, atMost, withRange } from './verdict.ts';

const value = { median: 4, low: 3, high: 5 };

test('a floor is passed at its own value', () => {
  expect(atLeast({ measure: 'm', column: 'both', floor: 4, unit: '×' }, value)).toMatchObject({ passed: true, margin: 0 });
  expect(atMost({ measure: 'm', column: 'both', floor: 4, unit: '×' }, value)).toMatchObject({ passed: true, margin: 0 });
});

test('a missed floor says how far off it is', () => {
  const { passed, margin } = atLeast({ measure: 'm', column: 'with', floor: 5, unit: '×' }, value);
  expect(passed).toBe(false);
  expect(margin).toBeCloseTo(-20);
});

test('figures carry their range', () => {
  expect(withRange({ median: 12.345, low: 1, high: 123.4 }, ' ms')).toBe('12.3 ms (1.00–123)');
});

test('tables are Markdown', () => {
  expect(table(['a', 'b'], [['1', '2']])).toEqual(['| a | b |', '| --- | --- |', '| 1 | 2 |']);
});

test('the longest script is held against its bound', () => {
  const { verdicts } = slowFindings([
    { script: 'claim', ms: 3.5 },
    { script: 'submit', ms: 6 },
    { script: null, ms: 9 },
  ]);
  expect(verdicts[0]).toMatchObject({ measured: '6.00 ms (6.00–6.00)', passed: false });
});

test('the page names every floor with its verdict', () => {
  const page = markdown({ date: 'd', machine: 'm', load: 'l', versions: 'v', settings: 's' }, [
    { verdicts: [atLeast({ measure: 'drain', column: 'with', floor: 5, unit: '×' }, value)], sections: [{ title: 'More', lines: ['x'] }] },
  ]);
  expect(page).toContain('| drain | lock keys, results | ≥ 5× | 4.00× (3.00–5.00) | **missed (−20 %)** |');
  expect(page).toContain('## More');
});
