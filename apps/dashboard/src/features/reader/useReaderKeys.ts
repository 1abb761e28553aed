import type { PageResult } from '@galley/contract';
import { useEffect } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { type KeyBinding, useKeys } from '../../registry/index.ts';
import { openDownloads } from './DownloadMenu.tsx';
import { reader } from './messages.ts';
import { doubtfulKeys } from './page.model.ts';
import { BOX_MODES, setView, useView } from './view.ts';
import { rotatedOn, stepped } from './zoom.model.ts';

/** Goes to the next or the former line to check, and round again. */
export function stepToCheck(page: PageResult | undefined, direction: 1 | -1): void {
  const keys = page === undefined ? [] : doubtfulKeys(page);
  if (keys.length === 0) return;
  const { pinned } = useView.getState();
  const at = keys.findIndex((key) => key === pinned?.key);
  const next = at < 0 ? (direction === 1 ? 0 : keys.length - 1) : (at + direction + keys.length) % keys.length;
  const key = keys[next];
  if (key === undefined) return;
  // Both sides bring it into view: first the text, then, as if chosen there, the picture.
  setView({ tab: 'text', pinned: { key, from: 'picture' } });
  requestAnimationFrame(() => setView({ pinned: { key, from: 'text' } }));
}

/** px of the drawn page for a px at 100%, as the page stands now. */
function shownScale(): number {
  return Number(document.querySelector<HTMLElement>('.stage')?.dataset.scale ?? 1);
}

export function useReaderKeys(actions: {
  readonly page: PageResult | undefined;
  readonly step: (direction: 1 | -1) => void;
  readonly copy: () => void;
  readonly search: () => void;
}): void {
  const messages = useMessages(reader);
  const key = (keys: string, label: string, run: () => void): KeyBinding => ({ keys, label, group: 'reader', run });
  const zoomBy = (direction: 1 | -1) => (): void => setView({ zoom: stepped(shownScale(), direction) });
  useKeys([
    key('ArrowLeft', messages.previous, () => actions.step(-1)),
    key('ArrowRight', messages.next, () => actions.step(1)),
    key('+', messages.zoomIn, zoomBy(1)),
    key('=', messages.zoomIn, zoomBy(1)),
    key('-', messages.zoomOut, zoomBy(-1)),
    key('0', messages.actual, () => setView({ zoom: 1 })),
    key('w', messages.fitWidth, () => setView({ zoom: 'width' })),
    key('h', messages.fitPage, () => setView({ zoom: 'page' })),
    key('Shift+r', messages.rotate, () => setView({ rotation: rotatedOn(useView.getState().rotation) })),
    key('b', messages.keys.boxes, () => {
      const next = (BOX_MODES.indexOf(useView.getState().boxes) + 1) % BOX_MODES.length;
      setView({ boxes: BOX_MODES[next] ?? 'kind' });
    }),
    key('[', messages.keys.check, () => stepToCheck(actions.page, -1)),
    key(']', messages.keys.check, () => stepToCheck(actions.page, 1)),
    key('Mod+f', messages.keys.search, actions.search),
    key('Shift+c', messages.copyPage, actions.copy),
    key('Shift+d', messages.download, openDownloads),
  ]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setView({ pinned: null, hovered: null });
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
