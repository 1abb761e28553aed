import { median } from '../geometry.ts';
import { HEAD_OUTPUTS } from '../models/recognition-head.ts';
import type { Model, ModelOutput } from '../models/session.ts';
import { cropColumns, type LinePicture } from '../rectify/warp.ts';
import { type Character, collapse, type Steps } from './ctc.ts';
import { type InkProfile, inkProfile } from './ink.ts';

/** What was read on one line picture. */
export interface LineReading {
  /** Characters from left to right; `step` is in pixels of the line picture. */
  characters: Character[];
  ink: InkProfile;
  /** Pixels of the line picture. */
  width: number;
}

const STEP_PIXELS = 8;
/** A longer line costs more a column than two shorter ones, and blurs the network's view. */
const LONGEST = 960;

/** RGB bytes to BGR planes in [-1, 1], padded on the right with the middle value to whole steps. */
export function toLinePlanes(line: LinePicture, paddedWidth: number): Float32Array {
  const { width, height, pixels } = line;
  const planes = new Float32Array(3 * height * paddedWidth);
  for (let channel = 0; channel < 3; channel++) {
    for (let row = 0; row < height; row++) {
      let from = row * width * 3 + 2 - channel;
      const to = (channel * height + row) * paddedWidth;
      for (let x = 0; x < width; x++, from += 3) planes[to + x] = (pixels[from] ?? 0) / 127.5 - 1;
    }
  }
  return planes;
}

/** Where to cut a long line: in the widest ink gaps near even shares. */
export function cutPoints(ink: InkProfile, width: number): number[] {
  const parts = Math.ceil(width / LONGEST);
  const cuts = [0];
  for (let part = 1; part < parts; part++) {
    const ideal = Math.round((width * part) / parts);
    const reach = Math.round(width / parts / 4);
    let [best, bestWidth] = [ideal, 0];
    for (const [from, to] of ink.gaps) {
      const middle = Math.round((from + to) / 2);
      if (Math.abs(middle - ideal) <= reach && to - from > bestWidth) [best, bestWidth] = [middle, to - from];
    }
    if (best > (cuts.at(-1) ?? 0)) cuts.push(best);
  }
  return [...cuts, width];
}

function stepsOf(outputs: readonly ModelOutput[]): Steps {
  const [classes, confidences, spaces] = Object.values(HEAD_OUTPUTS).map((name) => outputs.find((output) => output.name === name)?.data);
  if (!(classes instanceof BigInt64Array) || !(confidences instanceof Float32Array) || !(spaces instanceof Float32Array)) {
    throw new Error('the recognition model lacks the outputs that Galley appends');
  }
  return { classes: Int32Array.from(classes, Number), confidences, spaces };
}

async function readPart(model: Model, dictionary: readonly string[], line: LinePicture): Promise<Character[]> {
  const padded = Math.max(48, Math.ceil(line.width / STEP_PIXELS) * STEP_PIXELS);
  const steps = stepsOf(await model.run(toLinePlanes(line, padded), [1, 3, line.height, padded]));
  const stepWidth = padded / Math.max(1, steps.classes.length);
  return collapse(steps, dictionary).map((character) => ({ ...character, step: character.step * stepWidth }));
}

/** Reads one straightened line. */
export async function readLine(model: Model, dictionary: readonly string[], line: LinePicture): Promise<LineReading> {
  const ink = inkProfile(line);
  if (line.width <= LONGEST) return { characters: await readPart(model, dictionary, line), ink, width: line.width };
  const cuts = cutPoints(ink, line.width);
  const characters: Character[] = [];
  for (let part = 0; part + 1 < cuts.length; part++) {
    const [from, to] = [cuts[part] ?? 0, cuts[part + 1] ?? line.width];
    if (to - from < 4) continue;
    const read = await readPart(model, dictionary, cropColumns(line, from, to));
    characters.push(...read.map((character) => ({ ...character, step: character.step + from })));
  }
  return { characters, ink, width: line.width };
}

/** The mean confidence of a reading, 0 for none. */
export function meanConfidence(characters: readonly Character[]): number {
  if (characters.length === 0) return 0;
  return characters.reduce((sum, { confidence }) => sum + confidence, 0) / characters.length;
}

/** Half a character's width and a little more, in steps from character to character. */
const HALF_CHARACTER = 0.55;
/** Pixels of the line picture. */
const LONE_CHARACTER = 24;

/** Where along the line (0-1) its first character begins and its last one ends. */
export function extentOf(reading: LineReading): [start: number, end: number] {
  const [first, last] = [reading.characters[0], reading.characters.at(-1)];
  if (first === undefined || last === undefined || reading.width <= 0) return [0, 1];
  const steps = reading.characters.slice(1).map((character, index) => character.step - (reading.characters[index]?.step ?? 0));
  const half = HALF_CHARACTER * Math.max(STEP_PIXELS, steps.length === 0 ? LONE_CHARACTER : median(steps));
  return [Math.max(0, (first.step - half) / reading.width), Math.min(1, (last.step + half) / reading.width)];
}
