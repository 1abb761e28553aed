// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { LanguageProvider } from '../i18n/index.ts';
import { registerDropTarget } from '../registry/index.ts';
import { GlobalDrop } from './GlobalDrop.tsx';

afterEach(cleanup);

const files = { types: ['Files'], items: { length: 214 } };
const page = (
  <LanguageProvider language="en">
    <GlobalDrop />
  </LanguageProvider>
);

describe('GlobalDrop', () => {
  it('says how many files hang over the page, and hands them to the newest target', () => {
    const taken: unknown[] = [];
    const unregister = registerDropTarget({ accept: (data) => taken.push(data) });
    render(page);
    fireEvent.dragEnter(window, { dataTransfer: files });
    fireEvent.dragEnter(document.body, { dataTransfer: files });
    fireEvent.dragLeave(document.body, { dataTransfer: files });
    expect(screen.getByText('Drop to upload 214 files')).toBeTruthy();
    fireEvent.drop(window, { dataTransfer: files });
    expect(taken).toHaveLength(1);
    expect(screen.queryByText(/Drop to upload/)).toBeNull();
    unregister();
  });

  it('does not pretend where nothing takes files, or where text is dragged', () => {
    render(page);
    fireEvent.dragEnter(window, { dataTransfer: files });
    expect(screen.queryByText(/Drop to upload/)).toBeNull();
    const unregister = registerDropTarget({ accept: () => {} });
    fireEvent.dragEnter(window, { dataTransfer: { types: ['text/plain'], items: { length: 1 } } });
    expect(screen.queryByText(/Drop to upload/)).toBeNull();
    unregister();
  });
});
