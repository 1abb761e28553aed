import type { Pixels } from '../detect/detector.ts';
import { type Quad, quadHeight, quadWidth, shiftQuad } from '../geometry.ts';
import type { ModelFamily } from '../models/catalogue.ts';
import type { Model } from '../models/session.ts';
import { meanConfidence, readLine } from '../recognise/recogniser.ts';
import { rectifyLine, turnHalf } from '../rectify/warp.ts';
import { turnedProbability } from './classifier.ts';

interface UprightEngine {
  family: ModelFamily;
  recognition: Model;
  orientation: Model;
  dictionary: readonly string[];
}

const MOST_VOTERS = 24;
const CONFIRMING_LINES = 3;
/** From this share of votes on, reading decides. */
const DOUBT_SHARE = 0.25;
const TELLING_ASPECT = 3;

/** The same piece read from the other end. */
export function turnAround(quad: Quad): Quad {
  return shiftQuad(quad, 2);
}

/** The longest of the lines that are long enough to tell, spread over the page rather than from one place. */
function chooseVoters(quads: readonly Quad[]): Quad[] {
  const telling = quads.filter((quad) => quadWidth(quad) >= TELLING_ASPECT * quadHeight(quad));
  const pool = telling.length > 0 ? telling : quads;
  const step = Math.max(1, pool.length / MOST_VOTERS);
  const voters: Quad[] = [];
  for (let at = 0; at < pool.length; at += step) {
    const quad = pool[Math.floor(at)];
    if (quad !== undefined) voters.push(quad);
  }
  return voters;
}

/**
 * Whether the page, read along the given quads, stands on its head.
 * The classifier votes on line heads; where it votes for turning in earnest, lines are read both ways and the surer way wins.
 */
export async function standsOnItsHead(
  engine: UprightEngine,
  picture: Pixels,
  quads: readonly Quad[],
  signal?: AbortSignal,
): Promise<boolean> {
  const voters = chooseVoters(quads);
  if (voters.length === 0) return false;
  const votes: { quad: Quad; turned: number }[] = [];
  for (const quad of voters) {
    signal?.throwIfAborted();
    const line = rectifyLine(picture, quad, engine.family.orientationSize[1]);
    votes.push({ quad, turned: await turnedProbability(engine.orientation, line, engine.family.orientationSize) });
  }
  const share = votes.filter(({ turned }) => turned > 0.5).length / votes.length;
  if (share < DOUBT_SHARE) return false;
  const longest = votes.sort((a, b) => quadWidth(b.quad) / quadHeight(b.quad) - quadWidth(a.quad) / quadHeight(a.quad));
  let [asIs, turned] = [0, 0];
  for (const { quad } of longest.slice(0, CONFIRMING_LINES)) {
    signal?.throwIfAborted();
    const line = rectifyLine(picture, quad, engine.family.lineHeight);
    asIs += meanConfidence((await readLine(engine.recognition, engine.dictionary, line)).characters);
    turned += meanConfidence((await readLine(engine.recognition, engine.dictionary, turnHalf(line))).characters);
  }
  return turned > asIs;
}
