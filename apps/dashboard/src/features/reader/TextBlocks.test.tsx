// @vitest-environment jsdom
import type { PageResult, PageState } from '@galley/contract';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Overlay } from './Overlay.tsx';
import { TextBlocks } from './TextBlocks.tsx';
import { freshDocument, setView, useView } from './view.ts';
import { Warnings } from './Warnings.tsx';
import { shownWarnings } from './warnings.model.ts';

const polygon = (top: number): [number, number][] => [
  [10, top],
  [190, top],
  [190, top + 20],
  [10, top + 20],
];
const page: PageResult = {
  page: 1,
  width: 200,
  height: 300,
  angle: 0,
  source: 'image',
  engine: 'onnx',
  markdown: '',
  blocks: [
    {
      id: 1,
      type: 'text',
      bbox: [10, 10, 190, 60],
      text: 'The equipment must be con- nected to an outlet',
      lines: [
        { text: 'The equipment must always be con-', confidence: 0.99, polygon: polygon(10) },
        { text: 'nected to an outlet', confidence: 0.71, polygon: polygon(35) },
      ],
    },
    {
      id: 2,
      type: 'table',
      bbox: [10, 100, 190, 150],
      text: '',
      rows: [
        ['Item', 'Amount'],
        ['2311', '27.60'],
      ],
      lines: [],
    },
  ],
};

beforeEach(freshDocument);
afterEach(cleanup);

describe('the text of a page', () => {
  it('sets running text anew and marks the line that is to be checked', () => {
    const { container } = render(<TextBlocks page={page} />);
    expect(container.querySelector('p')?.textContent).toBe('The equipment must always be connected to an outlet');
    expect([...container.querySelectorAll('.doubt')].map((mark) => mark.textContent)).toEqual(['nected to an outlet']);
    expect(screen.getByText('27.60').className).toBe('is-number');
  });

  it('lights the same target on both sides on hover, and pins it by a click', () => {
    const { container } = render(
      <>
        <TextBlocks page={page} />
        <Overlay page={page} scale={1} tabs />
      </>,
    );
    const row = container.querySelector('tr[data-key="b2r2"]');
    const box = container.querySelector('[data-target="b2r2"]');
    if (row === null || box === null) throw new Error('the row has a box');
    fireEvent.pointerEnter(box);
    expect(row.classList.contains('is-lit')).toBe(true);
    fireEvent.pointerLeave(box);
    expect(row.classList.contains('is-lit')).toBe(false);
    fireEvent.click(row);
    expect(useView.getState().pinned).toEqual({ key: 'b2r2', from: 'text' });
    expect(box.classList.contains('is-lit')).toBe(true);
  });

  it('marks what is searched for', () => {
    setView({ query: 'OUTLET' });
    const { container } = render(<TextBlocks page={page} />);
    expect([...container.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['outlet']);
  });
});

describe('what there is to know about a reading', () => {
  const failed: PageState = {
    page: 2,
    status: 'dead_letter',
    task_id: 'ocr-02-00000009g0c4-a1t8zd.00002',
    error: { code: 'page_too_large', message: 'The limit is 100.0 million pixels.' },
  };

  it('tells what the page warns of and then what the document does, each once, and no failure that is told elsewhere', () => {
    const ofDocument = [
      'The picture is animated; the first of its 4 frames was read.',
      'The end of page 1 may be missing.',
      'Page 2 could not be read (page_too_large): The limit is 100.0 million pixels.',
    ];
    const told = shownWarnings({ ...page, warnings: ['The end of page 1 may be missing.'] }, [failed], ofDocument);
    render(<Warnings warnings={told} />);
    const list = screen.getByRole('region', { name: 'What to know about this reading' }).querySelector('ul');
    expect([...(list?.children ?? [])].map((item) => item.textContent)).toEqual([
      'The end of page 1 may be missing.',
      'The picture is animated; the first of its 4 frames was read.',
    ]);
    expect(list?.lang).toBe('en');
  });

  it('takes no room where there is nothing to tell', () => {
    const { container } = render(<Warnings warnings={shownWarnings(undefined, [], [])} />);
    expect(container.childElementCount).toBe(0);
  });
});
