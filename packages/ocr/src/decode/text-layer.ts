import type { Point, Quad } from '../geometry.ts';
import type { TextLayerLine } from '../picture.ts';
import { imageShare } from './pdf-images.ts';
import { type Pdfium, viewOf, withMemory } from './pdfium.ts';

/** More of the page than this under images, and its text layer cannot be trusted to hold all that is seen. */
const MOST_IMAGE_SHARE = 0.5;
const MOST_BAD_SHARE = 0.02;
const MOST_INVISIBLE_SHARE = 0.5;
const MOST_CHARACTERS = 200_000;

/** A gap wider than this many type sizes starts another piece: a column or a table cell, not a word space. */
const PIECE_GAP = 1.1;

export interface LayerCharacter {
  text: string;
  /** Type size in pixels. */
  size: number;
  /** Reading direction in degrees, clockwise on the screen. */
  angle: number;
  /** Corners in pixels of the page as displayed, axis parallel: `[x0, y0, x1, y1]`. */
  box: readonly [number, number, number, number];
  /** A line break stands before it. */
  breakBefore: boolean;
  /** White space stands before it. */
  spaceBefore: boolean;
}

type Affine = (x: number, y: number) => Point;

/** From page points to displayed pixels, page rotation and crop box included, by three probes in sub-pixels. */
function pageToPixels(pdfium: Pdfium, page: number, width: number, height: number): Affine {
  const fine = 64;
  return withMemory(pdfium, 8, (pointer) => {
    const probe = (x: number, y: number): Point => {
      pdfium._FPDF_PageToDevice(page, 0, 0, width * fine, height * fine, 0, x, y, pointer, pointer + 4);
      const view = viewOf(pdfium);
      return [view.getInt32(pointer, true) / fine, view.getInt32(pointer + 4, true) / fine];
    };
    const [origin, right, up] = [probe(0, 0), probe(1000, 0), probe(0, 1000)];
    const [ax, ay] = [(right[0] - origin[0]) / 1000, (right[1] - origin[1]) / 1000];
    const [bx, by] = [(up[0] - origin[0]) / 1000, (up[1] - origin[1]) / 1000];
    return (x, y) => [origin[0] + ax * x + bx * y, origin[1] + ay * x + by * y];
  });
}

function isBad(code: number): boolean {
  if (code === 0xfffd || code === 0) return true;
  if (code < 32 && code !== 9 && code !== 10 && code !== 13 && code !== 2) return true;
  return code >= 0xe000 && code <= 0xf8ff;
}

/** Some writers state a size of one and scale the text itself: then the height of the character's box tells. In points. */
function typeSize(stated: number, boxHeight: number): number {
  const seen = 0.85 * Math.abs(boxHeight);
  return Math.max(0.5, stated > 0.6 * seen && stated < 1.7 * seen ? stated : seen);
}

interface RawLayer {
  characters: LayerCharacter[];
  badShare: number;
  invisibleShare: number;
}

function readCharacters(pdfium: Pdfium, textPage: number, count: number, toPixels: Affine): RawLayer {
  const characters: LayerCharacter[] = [];
  let [bad, invisible, spaceBefore, breakBefore] = [0, 0, false, false];
  const [origin, along] = [toPixels(0, 0), toPixels(1, 0)];
  const pageAngle = (Math.atan2(along[1] - origin[1], along[0] - origin[0]) * 180) / Math.PI;
  const pixelsPerPoint = Math.hypot(along[0] - origin[0], along[1] - origin[1]);
  withMemory(pdfium, 16, (pointer) => {
    for (let index = 0; index < count; index++) {
      const code = pdfium._FPDFText_GetUnicode(textPage, index);
      if (code === 10 || code === 13) breakBefore = true;
      const hyphen = code === 2 || code === 0xfffe || pdfium._FPDFText_IsHyphen(textPage, index) === 1;
      const text = hyphen ? '-' : code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
      if (/\s/u.test(text) || code === 0xad) {
        spaceBefore = true;
        continue;
      }
      if (!hyphen && (isBad(code) || pdfium._FPDFText_HasUnicodeMapError(textPage, index) === 1)) bad++;
      const object = pdfium._FPDFText_GetTextObject(textPage, index);
      if (object !== 0 && pdfium._FPDFTextObj_GetTextRenderMode(object) === 3) invisible++;
      if (pdfium._FPDFText_GetLooseCharBox(textPage, index, pointer) === 0) continue;
      const view = viewOf(pdfium);
      const [left, top, right, bottom] = [0, 4, 8, 12].map((offset) => view.getFloat32(pointer + offset, true));
      const [first, second] = [toPixels(left ?? 0, top ?? 0), toPixels(right ?? 0, bottom ?? 0)];
      const own = (pdfium._FPDFText_GetCharAngle(textPage, index) * 180) / Math.PI;
      characters.push({
        text,
        size: typeSize(pdfium._FPDFText_GetFontSize(textPage, index), (top ?? 0) - (bottom ?? 0)) * pixelsPerPoint,
        angle: normaliseAngle(pageAngle - own),
        box: [Math.min(first[0], second[0]), Math.min(first[1], second[1]), Math.max(first[0], second[0]), Math.max(first[1], second[1])],
        breakBefore,
        spaceBefore,
      });
      [spaceBefore, breakBefore] = [false, false];
    }
  });
  const total = Math.max(1, characters.length);
  return { characters, badShare: bad / total, invisibleShare: invisible / total };
}

function normaliseAngle(degrees: number): number {
  const turned = ((degrees % 360) + 360) % 360;
  return turned > 180 ? turned - 360 : turned;
}

/** The extent of boxes along a direction and across it. */
function extent(boxes: readonly LayerCharacter[], angle: number): { along: [number, number]; across: [number, number] } {
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  let [a0, a1, c0, c1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { box } of boxes) {
    for (const x of [box[0], box[2]]) {
      for (const y of [box[1], box[3]]) {
        const [along, across] = [x * cos + y * sin, -x * sin + y * cos];
        [a0, a1, c0, c1] = [Math.min(a0, along), Math.max(a1, along), Math.min(c0, across), Math.max(c1, across)];
      }
    }
  }
  return { along: [a0, a1], across: [c0, c1] };
}

function toLine(characters: readonly LayerCharacter[]): TextLayerLine {
  const angle = characters[0]?.angle ?? 0;
  const { along, across } = extent(characters, angle);
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const corner = (a: number, c: number): Point => [a * cos - c * sin, a * sin + c * cos];
  const polygon: Quad = [
    corner(along[0], across[0]),
    corner(along[1], across[0]),
    corner(along[1], across[1]),
    corner(along[0], across[1]),
  ];
  const text = characters.map((character, index) => (index > 0 && character.spaceBefore ? ' ' : '') + character.text).join('');
  return { text, polygon, fontSize: Math.max(...characters.map(({ size }) => size)) };
}

function startsPiece(previous: LayerCharacter, next: LayerCharacter): boolean {
  if (next.breakBefore || Math.abs(normaliseAngle(next.angle - previous.angle)) > 5) return true;
  const before = extent([previous], previous.angle);
  const after = extent([next], previous.angle);
  const size = Math.max(previous.size, next.size);
  const gap = after.along[0] - before.along[1];
  const shift = Math.abs((after.across[0] + after.across[1] - before.across[0] - before.across[1]) / 2);
  return gap > PIECE_GAP * size || gap < -2 * size || shift > 0.7 * size;
}

/** Characters in their order on the page to lines, cut where the line, the direction or a wide gap says so. */
export function groupCharacters(characters: readonly LayerCharacter[]): TextLayerLine[] {
  const pieces: LayerCharacter[][] = [];
  for (const character of characters) {
    const piece = pieces.at(-1);
    const previous = piece?.at(-1);
    if (piece === undefined || previous === undefined || startsPiece(previous, character)) pieces.push([character]);
    else piece.push(character);
  }
  return pieces.map(toLine);
}

/**
 * The page's own text, or null where it cannot stand for the page: none, a scan under it, an invisible layer
 * that some other OCR left, or characters without a meaning (no ToUnicode, replacement characters).
 */
export function readTextLayer(pdfium: Pdfium, page: number, width: number, height: number): TextLayerLine[] | null {
  const textPage = pdfium._FPDFText_LoadPage(page);
  if (textPage === 0) return null;
  try {
    const count = pdfium._FPDFText_CountChars(textPage);
    if (count < 1 || count > MOST_CHARACTERS) return null;
    const toPixels = pageToPixels(pdfium, page, width, height);
    const read = readCharacters(pdfium, textPage, count, toPixels);
    // What stands beyond the page's edge nobody sees.
    const layer = {
      ...read,
      characters: read.characters.filter(({ box: [x0, y0, x1, y1] }) => x1 > 0 && y1 > 0 && x0 < width && y0 < height),
    };
    if (layer.characters.length === 0 || layer.badShare > MOST_BAD_SHARE || layer.invisibleShare > MOST_INVISIBLE_SHARE) return null;
    if (imageShare(pdfium, page, toPixels, width, height) > MOST_IMAGE_SHARE) return null;
    return groupCharacters(layer.characters);
  } finally {
    pdfium._FPDFText_ClosePage(textPage);
  }
}
