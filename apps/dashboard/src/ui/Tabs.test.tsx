// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { type ReactNode, useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { Tabs } from './Tabs.tsx';

afterEach(cleanup);

function Views(): ReactNode {
  const [value, setValue] = useState<'all' | 'look' | 'done'>('all');
  const tabs = [
    { value: 'all', label: 'All', hint: '12' },
    { value: 'look', label: 'Needs a look' },
    { value: 'done', label: 'Accepted' },
  ] as const;
  return <Tabs label="Files shown" panel="files" value={value} tabs={tabs} onChoose={setValue} />;
}

describe('Tabs', () => {
  it('is one stop of the keyboard, moved in by arrows and round at its ends', () => {
    render(<Views />);
    const [first, , last] = screen.getAllByRole('tab');
    expect(screen.getAllByRole('tab').map((tab) => tab.tabIndex)).toEqual([0, -1, -1]);
    if (first === undefined || last === undefined) throw new Error('there are three tabs');
    fireEvent.keyDown(first, { key: 'ArrowLeft' });
    expect(last.getAttribute('aria-selected')).toBe('true');
    expect(document.activeElement).toBe(last);
    fireEvent.keyDown(last, { key: 'ArrowRight' });
    expect(first.getAttribute('aria-selected')).toBe('true');
  });
});
