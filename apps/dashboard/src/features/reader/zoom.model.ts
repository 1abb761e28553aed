export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Rotation = 0 | 90 | 180 | 270;

/** A fit follows the stage's size; a number is the scale itself. */
export type Zoom = 'width' | 'page' | number;

/** A scan is drawn at 100% as an A4 sheet is on a screen, 1123 px long; a smaller picture at its own pixels. */
const SHEET = 1_123;
export const ZOOM_LEAST = 0.1;
export const ZOOM_MOST = 8;
/** Under this, numbers on the boxes hide (design §4). */
export const TABS_FROM = 0.6;
/** px kept free around the page for crop marks and number tabs. */
export const STAGE_PADDING = 44;

/** CSS px per page px at 100%. */
export function baseScale(page: Size): number {
  return Math.min(1, SHEET / Math.max(page.width, page.height, 1));
}

export function turned(page: Size, rotation: Rotation): Size {
  return rotation % 180 === 0 ? page : { width: page.height, height: page.width };
}

/** The scale that is drawn, 1 for 100%. */
export function scaleOf(zoom: Zoom, page: Size, rotation: Rotation, stage: Size, padding = STAGE_PADDING): number {
  if (typeof zoom === 'number') return zoom;
  const { width, height } = turned(page, rotation);
  const base = baseScale(page);
  const byWidth = Math.max(40, stage.width - 2 * padding) / (width * base);
  const byHeight = Math.max(40, stage.height - 2 * padding) / (height * base);
  return clamp(zoom === 'width' ? byWidth : Math.min(byWidth, byHeight));
}

function clamp(scale: number): number {
  return Math.min(ZOOM_MOST, Math.max(ZOOM_LEAST, scale));
}

const STEPS = [0.1, 0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8] as const;

/** The next round step up or down. */
export function stepped(scale: number, direction: 1 | -1): number {
  if (direction === 1) return STEPS.find((step) => step > scale + 0.005) ?? ZOOM_MOST;
  return STEPS.findLast((step) => step < scale - 0.005) ?? ZOOM_LEAST;
}

/** A wheel's turn with Ctrl, or a pinch. */
export function wheeled(scale: number, deltaY: number): number {
  return clamp(scale * Math.exp(-Math.max(-100, Math.min(100, deltaY)) * 0.004));
}

export function rotatedOn(rotation: Rotation): Rotation {
  const next: Readonly<Record<Rotation, Rotation>> = { 0: 90, 90: 180, 180: 270, 270: 0 };
  return next[rotation];
}

/** Where a point of the stage has to be scrolled to so that it stays under the pointer while the scale changes. */
export function keptScroll(scroll: number, pointer: number, before: number, after: number): number {
  return ((scroll + pointer) * after) / before - pointer;
}
