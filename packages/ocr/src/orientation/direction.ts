import { type Quad, quadAngle, quadHeight, quadWidth, shiftQuad, weightedMedian } from '../geometry.ts';

/** Longer than this times its height, and a piece shows by itself along which axis it reads. */
const TELLING_ASPECT = 2.2;
/** A piece this long across the page's direction is text that stands on its side, such as a label on a spine. */
const SIDEWAYS_ASPECT = 4;

/** Pieces within so many degrees of each other read in one direction. */
const SPREAD = 15;
const STRAIGHT_SHARE = 0.3;

type Vote = readonly [angle: number, weight: number];

/** The difference of two directions, in (-180, 180]. */
export function angleBetween(from: number, to: number): number {
  const turned = (((to - from) % 360) + 360) % 360;
  return turned > 180 ? turned - 360 : turned;
}

/**
 * The direction in which the page's lines run, in degrees clockwise on the screen, up to half a turn:
 * in (-45, 45] for lines that run across, in (45, 135] for lines that run down or up.
 */
export function pageDirection(quads: readonly Quad[]): number {
  const telling = quads.filter((quad) => quadWidth(quad) >= TELLING_ASPECT * quadHeight(quad));
  // The longer a piece is for its height, the surer its angle.
  const votes = telling.map((quad): Vote => {
    const angle = quadAngle(quad);
    return [angle <= -45 ? angle + 180 : angle > 135 ? angle - 180 : angle, quadWidth(quad) ** 2 / quadHeight(quad)];
  });
  const near = (middle: number): Vote[] => votes.filter(([angle]) => Math.abs(angleBetween(middle * 2, angle * 2)) <= 2 * SPREAD);
  const weigh = (group: readonly Vote[]): number => group.reduce((sum, [, weight]) => sum + weight, 0);
  const groups = Array.from({ length: 180 / SPREAD }, (_, index) => near(index * SPREAD - 45)).filter((group) => group.length > 0);
  const [best] = groups.sort((a, b) => weigh(b) - weigh(a));
  // Slanted labels may outnumber level ones on a chart: a level or upright reading with a fair share of them goes first.
  const straight = [near(0), near(90)]
    .filter((group) => weigh(group) > STRAIGHT_SHARE * weigh(best ?? []))
    .sort((a, b) => weigh(b) - weigh(a))[0];
  return weightedMedian(straight ?? best ?? []);
}

/** Names the corners of each piece so that it reads along the page's direction, or along its own where it clearly stands on its side. */
export function alignQuad(quad: Quad, direction: number): Quad {
  const away = Math.abs(angleBetween(direction, quadAngle(quad)));
  const aspect = quadWidth(quad) / Math.max(1e-6, quadHeight(quad));
  if (Math.abs(away - 90) < 20 && aspect >= SIDEWAYS_ASPECT) return quad;
  // Slanted text, such as a chart's labels, keeps its own long side; only which end comes first follows the page.
  const slanted = Math.abs(away - 45) < 25 || Math.abs(away - 135) < 25;
  if (slanted && aspect >= TELLING_ASPECT) return away <= 90 ? quad : shiftQuad(quad, 2);
  let [best, bestDifference] = [quad, Infinity];
  for (let turns = 0; turns < 4; turns++) {
    const turned = shiftQuad(quad, turns);
    const difference = Math.abs(angleBetween(direction, quadAngle(turned)));
    if (difference < bestDifference) [best, bestDifference] = [turned, difference];
  }
  return best;
}
