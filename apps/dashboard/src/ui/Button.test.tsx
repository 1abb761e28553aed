// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { Button } from './Button.tsx';

afterEach(cleanup);

describe('Button', () => {
  it('can be reached but not pressed while it is blocked or busy', () => {
    let pressed = 0;
    const press = (): void => {
      pressed += 1;
    };
    const { rerender } = render(
      <Button blocked="Only an admin may do this." onClick={press}>
        Pause
      </Button>,
    );
    const button = screen.getByRole('button');
    fireEvent.click(button);
    expect(button.hasAttribute('disabled')).toBe(false);
    rerender(
      <Button busy onClick={press}>
        Pause
      </Button>,
    );
    fireEvent.click(screen.getByRole('button'));
    expect(pressed).toBe(0);
    rerender(<Button onClick={press}>Pause</Button>);
    fireEvent.click(screen.getByRole('button'));
    expect(pressed).toBe(1);
  });

  it('says why on hover, and closes that by Escape', async () => {
    render(<Button blocked="Only an admin may do this.">Pause</Button>);
    fireEvent.pointerEnter(screen.getByRole('button'), { pointerType: 'mouse' });
    const tooltip = await screen.findByRole('tooltip');
    expect(tooltip.textContent).toBe('Only an admin may do this.');
    expect(screen.getByRole('button').getAttribute('aria-describedby')).toBe(tooltip.id);
    fireEvent.keyDown(window, { key: 'Escape' });
    expect(screen.queryByRole('tooltip')).toBeNull();
  });

  it('closes its hint by Escape from the moment that it shows', async () => {
    render(<Button blocked="Only an admin may do this.">Pause</Button>);
    const pressed = new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        if (screen.queryByRole('tooltip') === null) return;
        observer.disconnect();
        window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
        resolve();
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    fireEvent.pointerEnter(screen.getByRole('button'), { pointerType: 'mouse' });
    await waitFor(() => pressed);
    await waitFor(() => expect(screen.queryByRole('tooltip')).toBeNull());
  });
});
