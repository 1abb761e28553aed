import { quadHeight, quadWidth, type Point, type Quad } from '../geometry.ts';
import { growRectangle } from './rectangle.ts';

/** How far a core is grown: the network predicts one that is thinner than the characters. */
const UNCLIP_RATIO = 2.0;

interface Axes {
  middle: Point;
  along: Point;
  length: number;
  height: number;
}

function axesOf(quad: Quad): Axes {
  const [length, height] = [quadWidth(quad), quadHeight(quad)];
  const middle: Point = [(quad[0][0] + quad[2][0]) / 2, (quad[0][1] + quad[2][1]) / 2];
  const along: Point = length === 0 ? [1, 0] : [(quad[1][0] - quad[0][0]) / length, (quad[1][1] - quad[0][1]) / length];
  return { middle, along, length, height };
}

/** Room between the ends of two cores that stand in one row, seen along the first; negative when the other is before it; null when not in one row. */
function roomTowards(a: Axes, b: Axes): number | null {
  const [dx, dy] = [b.middle[0] - a.middle[0], b.middle[1] - a.middle[1]];
  const across = Math.abs(-dx * a.along[1] + dy * a.along[0]);
  if (across > 0.5 * Math.min(a.height, b.height) + 0.1 * Math.max(a.height, b.height)) return null;
  if (Math.abs(a.along[0] * b.along[0] + a.along[1] * b.along[1]) < 0.9 && b.length > 2 * b.height) return null;
  const along = dx * a.along[0] + dy * a.along[1];
  const room = Math.abs(along) - (a.length + b.length) / 2;
  return along >= 0 ? room : -Math.max(room, 1e-3);
}

/** Grows cores to whole characters; two in one row meet halfway, so that neither reads the other's letters. */
export function growCores(cores: readonly Quad[]): Quad[] {
  const axes = cores.map(axesOf);
  return cores.map((core, index) => {
    const own = axes[index] ?? axesOf(core);
    const by = (own.length * own.height * UNCLIP_RATIO) / (2 * (own.length + own.height));
    let [start, end] = [by, by];
    axes.forEach((other, at) => {
      if (at === index) return;
      const near = own.length / 2 + other.length / 2 + 2 * by;
      if (Math.abs(other.middle[0] - own.middle[0]) > near || Math.abs(other.middle[1] - own.middle[1]) > near) return;
      const room = roomTowards(own, other);
      if (room === null) return;
      if (room > 0) end = Math.min(end, room / 2);
      else start = Math.min(start, -room / 2);
    });
    return growRectangle(core, start, end, by);
  });
}
