// @vitest-environment jsdom
import { cleanup, fireEvent, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';

import { useStore } from '../store/store.ts';
import { type Overlay, useFrameKeys } from './useFrameKeys.ts';

afterEach(cleanup);

function Page({ opened }: { opened: (overlay: Overlay) => void }): ReactNode {
  useFrameKeys(opened);
  return <input aria-label="field" />;
}

describe('keys of the frame', () => {
  it('goes to a page by two keys, and opens the palette and the list', () => {
    const opened: Overlay[] = [];
    const { getByLabelText } = render(<Page opened={(overlay) => opened.push(overlay)} />);
    fireEvent.keyDown(window, { key: 'g' });
    fireEvent.keyDown(window, { key: 't' });
    expect(window.location.pathname).toBe('/tasks');
    fireEvent.keyDown(window, { key: '?', shiftKey: true });
    fireEvent.keyDown(getByLabelText('field'), { key: 'k', ctrlKey: true, bubbles: true });
    expect(opened).toEqual(['keys', 'palette']);
  });

  it('brings one to the filter of the page by /, and to the palette where there is none', () => {
    const opened: Overlay[] = [];
    const { getByLabelText, rerender } = render(<Page opened={(overlay) => opened.push(overlay)} />);
    fireEvent.keyDown(window, { key: '/' });
    expect(opened).toEqual(['palette']);
    rerender(
      <>
        <Page opened={(overlay) => opened.push(overlay)} />
        <input aria-label="filter" data-filter-field />
      </>,
    );
    fireEvent.keyDown(window, { key: '/' });
    expect(document.activeElement).toBe(getByLabelText('filter'));
    expect(opened).toEqual(['palette']);
  });

  it('leaves single keys to a field, and to a person who switched them off', () => {
    const opened: Overlay[] = [];
    const { getByLabelText } = render(<Page opened={(overlay) => opened.push(overlay)} />);
    fireEvent.keyDown(getByLabelText('field'), { key: '?', bubbles: true });
    useStore.getState().preferred({ singleKeys: false });
    fireEvent.keyDown(window, { key: '?' });
    expect(opened).toEqual([]);
    useStore.getState().preferred({ singleKeys: true });
  });
});
