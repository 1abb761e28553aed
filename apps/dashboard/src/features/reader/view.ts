import { create } from 'zustand';
import type { TargetKey } from './page.model.ts';
import type { Rotation, Zoom } from './zoom.model.ts';

export const BOX_MODES = ['kind', 'confidence', 'off'] as const;
export type BoxMode = (typeof BOX_MODES)[number];
export const TEXT_TABS = ['text', 'markdown', 'json'] as const;
export type TextTab = (typeof TEXT_TABS)[number];
export type Side = 'picture' | 'text';

/** A target that a person chose on one side; the other side then shows it in its middle. */
export interface Pin {
  readonly key: TargetKey;
  readonly from: Side;
}

interface View {
  readonly boxes: BoxMode;
  readonly tab: TextTab;
  readonly zoom: Zoom;
  readonly rotation: Rotation;
  readonly hovered: TargetKey | null;
  readonly pinned: Pin | null;
  readonly query: string;
  /** Which of the found places is shown, from 0. */
  readonly match: number;
}

const FRESH: View = { boxes: 'kind', tab: 'text', zoom: 'width', rotation: 0, hovered: null, pinned: null, query: '', match: 0 };

/** How the reader shows its page. A store, so that a hover draws two elements anew and not two hundred. */
export const useView = create<View>()(() => FRESH);

export function setView(change: Partial<View>): void {
  useView.setState(change);
}

/** For another document: boxes and tab stay as chosen. */
export function freshDocument(): void {
  const { boxes, tab } = useView.getState();
  useView.setState({ ...FRESH, boxes, tab });
}

/** For another page of the same document. */
export function freshPage(): void {
  useView.setState({ hovered: null, pinned: null });
}

export function hover(key: TargetKey | null): void {
  if (useView.getState().hovered !== key) useView.setState({ hovered: key });
}

/** Pins a target; pressed again, frees it. */
export function pin(key: TargetKey, from: Side): void {
  const { pinned } = useView.getState();
  useView.setState({ pinned: pinned?.key === key && pinned.from === from ? null : { key, from } });
}

/** Whether a target stands out on both sides. */
export function useIsLit(key: TargetKey): boolean {
  return useView((view) => view.hovered === key || view.pinned?.key === key);
}
