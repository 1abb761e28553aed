// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { type ReactNode, useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { LanguageProvider } from '../i18n/index.ts';
import { ConfirmDialog } from './Dialog.tsx';

afterEach(cleanup);

function open(phrase: string | undefined, onConfirm: () => Promise<void> = async () => {}, onClose: () => void = () => {}) {
  render(
    <LanguageProvider language="en">
      <ConfirmDialog
        open
        title="Purge 8 dead letters?"
        description="This cannot be undone."
        keep="Keep them"
        confirm="Purge 8"
        phrase={phrase}
        onConfirm={onConfirm}
        onClose={onClose}
      />
    </LanguageProvider>,
  );
}

function Opener({ stays }: { stays: boolean }): ReactNode {
  const [asks, setAsks] = useState(false);
  return (
    <>
      <h1 tabIndex={-1}>Dead letters</h1>
      {(stays || !asks) && (
        <button type="button" onClick={() => setAsks(true)}>
          Purge all
        </button>
      )}
      <ConfirmDialog
        open={asks}
        title="Purge 8 dead letters?"
        description="This cannot be undone."
        keep="Keep them"
        confirm="Purge 8"
        phrase="purge 8"
        onConfirm={() => {}}
        onClose={() => setAsks(false)}
      />
    </>
  );
}

async function openAndEscape(stays: boolean): Promise<void> {
  render(
    <LanguageProvider language="en">
      <Opener stays={stays} />
    </LanguageProvider>,
  );
  const opener = screen.getByRole('button', { name: 'Purge all' });
  opener.focus();
  fireEvent.click(opener);
  const field = await screen.findByRole('textbox');
  await waitFor(() => expect(document.activeElement).toBe(field));
  fireEvent.keyDown(field, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('textbox')).toBeNull());
}

describe('ConfirmDialog', () => {
  it('gives the focus back to what opened it', async () => {
    await openAndEscape(true);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Purge all' })));
  });

  it('gives the focus to the title of the page where what opened it is gone', async () => {
    await openAndEscape(false);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Dead letters'));
  });

  it('waits for the exact phrase, spaces around it forgiven', async () => {
    let confirmed = 0;
    let closed = 0;
    open(
      'purge 8',
      async () => {
        confirmed += 1;
      },
      () => {
        closed += 1;
      },
    );
    const verb = await screen.findByRole('button', { name: 'Purge 8' });
    const field = screen.getByRole('textbox');
    expect(document.activeElement).toBe(field);
    expect(verb.getAttribute('aria-disabled')).toBe('true');
    fireEvent.change(field, { target: { value: 'purge 9' } });
    fireEvent.submit(field);
    expect(confirmed).toBe(0);
    fireEvent.change(field, { target: { value: ' purge 8 ' } });
    expect(verb.getAttribute('aria-disabled')).toBeNull();
    fireEvent.submit(field);
    await waitFor(() => expect(closed).toBe(1));
    expect(confirmed).toBe(1);
  });

  it('begins on the safe button where nothing has to be typed', async () => {
    open(undefined);
    const keep = await screen.findByRole('button', { name: 'Keep them' });
    await waitFor(() => expect(document.activeElement).toBe(keep));
  });

  it('stays open and says why when it fails', async () => {
    let closed = 0;
    open(
      undefined,
      () => Promise.reject(new Error('Redis is away')),
      () => {
        closed += 1;
      },
    );
    fireEvent.click(await screen.findByRole('button', { name: 'Purge 8' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Redis is away');
    expect(closed).toBe(0);
  });
});
