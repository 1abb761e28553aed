import type { Point } from '../geometry.ts';
import { type Pdfium, viewOf, withMemory } from './pdfium.ts';

const OBJECT_IMAGE = 3;
const OBJECT_FORM = 5;
const MOST_OBJECTS = 20_000;
const GRID = 48;

function holdsImage(pdfium: Pdfium, form: number): boolean {
  const count = Math.min(pdfium._FPDFFormObj_CountObjects(form), 200);
  for (let index = 0; index < count; index++) {
    if (pdfium._FPDFPageObj_GetType(pdfium._FPDFFormObj_GetObject(form, index)) === OBJECT_IMAGE) return true;
  }
  return false;
}

/** The share (0-1) of the page's area that images cover, on a coarse grid; a form that holds an image counts whole. */
export function imageShare(pdfium: Pdfium, page: number, toPixels: (x: number, y: number) => Point, width: number, height: number): number {
  const covered = new Uint8Array(GRID * GRID);
  const count = Math.min(pdfium._FPDFPage_CountObjects(page), MOST_OBJECTS);
  withMemory(pdfium, 16, (pointer) => {
    for (let index = 0; index < count; index++) {
      const object = pdfium._FPDFPage_GetObject(page, index);
      const type = pdfium._FPDFPageObj_GetType(object);
      if (type !== OBJECT_IMAGE && !(type === OBJECT_FORM && holdsImage(pdfium, object))) continue;
      if (pdfium._FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12) === 0) continue;
      const view = viewOf(pdfium);
      const [left, bottom, right, top] = [0, 4, 8, 12].map((offset) => view.getFloat32(pointer + offset, true));
      markCells(covered, toPixels(left ?? 0, bottom ?? 0), toPixels(right ?? 0, top ?? 0), width, height);
    }
  });
  return covered.reduce((sum, cell) => sum + cell, 0) / covered.length;
}

function markCells(covered: Uint8Array, a: Point, b: Point, width: number, height: number): void {
  const cell = (value: number, size: number): number => Math.min(GRID, Math.max(0, Math.round((value / size) * GRID)));
  const [x0, x1] = [cell(Math.min(a[0], b[0]), width), cell(Math.max(a[0], b[0]), width)];
  const [y0, y1] = [cell(Math.min(a[1], b[1]), height), cell(Math.max(a[1], b[1]), height)];
  for (let y = y0; y < y1; y++) covered.fill(1, y * GRID + x0, y * GRID + x1);
}
