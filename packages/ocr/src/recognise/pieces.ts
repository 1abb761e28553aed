import type { Pixels } from '../detect/detector.ts';
import { growRectangle } from '../detect/rectangle.ts';
import { type Quad, quadHeight } from '../geometry.ts';
import type { ReadPiece } from '../layout/frame.ts';
import type { ModelFamily } from '../models/catalogue.ts';
import type { Model } from '../models/session.ts';
import { rectifyLine } from '../rectify/warp.ts';
import { mendCapitals } from './capitals.ts';
import { mendConfusions, mendQuotes } from './confusions.ts';
import { type InkProfile, inkProfile, reachesEdge } from './ink.ts';
import { extentOf, type LineReading, meanConfidence, readLine } from './recogniser.ts';
import { type Glyph, glyphsToText, placeSpaces } from './spaces.ts';
import { measureType, type TypeMeasure } from './type-size.ts';

/** What reading lines needs of the engine. */
export interface ReadingEngine {
  family: ModelFamily;
  recognition: Model;
  dictionary: readonly string[];
}

/** Reads with less than this mean confidence are texture, not text. */
const LEAST_CONFIDENCE = 0.5;
/** Of the quad's height, added above and below to look for ink that it cut off. */
const LOOK_BEYOND = 0.3;

/** Where a line's ink stands as shares of its quad; where the quad cuts it off, as seen in a taller one. */
function inkStand(picture: Pixels, quad: Quad, reading: LineReading, lineHeight: number): Pick<InkProfile, 'rows' | 'core' | 'stroke'> {
  if (!reachesEdge(reading.ink)) return reading.ink;
  const beyond = growRectangle(quad, 0, 0, LOOK_BEYOND * quadHeight(quad));
  const seen = inkProfile(rectifyLine(picture, beyond, lineHeight));
  const toQuad = ([top, bottom]: readonly [number, number]): readonly [number, number] => [
    top * (1 + 2 * LOOK_BEYOND) - LOOK_BEYOND,
    bottom * (1 + 2 * LOOK_BEYOND) - LOOK_BEYOND,
  ];
  return { rows: toQuad(seen.rows), core: toQuad(seen.core), stroke: seen.stroke * (1 + 2 * LOOK_BEYOND) };
}

function toPiece(quad: Quad, reading: LineReading, glyphs: readonly Glyph[], measure: TypeMeasure): ReadPiece {
  return {
    text: glyphsToText(glyphs),
    confidence: meanConfidence(reading.characters),
    quad,
    extent: extentOf(reading),
    glyphs: glyphs.map(({ text, space, step }) => ({ text, space, at: step / reading.width })),
    measure,
  };
}

/** Reads the lines that the quads hold; what is texture rather than text is left out. Aborts between lines. */
export async function readPieces(
  engine: ReadingEngine,
  picture: Pixels,
  quads: readonly Quad[],
  signal?: AbortSignal,
): Promise<ReadPiece[]> {
  const { family, recognition, dictionary } = engine;
  const readings: { quad: Quad; reading: LineReading }[] = [];
  for (const quad of quads) {
    signal?.throwIfAborted();
    readings.push({ quad, reading: await readLine(recognition, dictionary, rectifyLine(picture, quad, family.lineHeight)) });
  }
  const spaced = placeSpaces(readings.map(({ reading }) => reading));
  const lines = mendQuotes(readings.map(({ reading }, index) => mendConfusions(mendCapitals(spaced[index] ?? [], reading))));
  return readings.flatMap(({ quad, reading }, index) => {
    const glyphs = lines[index] ?? [];
    if (glyphs.length === 0 || meanConfidence(reading.characters) < LEAST_CONFIDENCE) return [];
    const measure = measureType(glyphsToText(glyphs), inkStand(picture, quad, reading, family.lineHeight));
    return [toPiece(quad, reading, glyphs, measure)];
  });
}
