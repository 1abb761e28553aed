// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
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

describe('ConfirmDialog', () => {
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
