import { type Point, type Quad, quadHeight, quadWidth } from '../geometry.ts';
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

/** Room between the ends of two cores in one row, seen along the first; negative when the other is before it; null when not in one row. */
function roomTowards(a: Axes, b: Axes): number | null {
  const [dx, dy] = [b.middle[0] - a.middle[0], b.middle[1] - a.middle[1]];
  const across = Math.abs(-dx * a.along[1] + dy * a.along[0]);
  // A full stop stands low on its line: its middle is off, but within the line's own height.
  if (across > Math.max(0.5 * Math.min(a.height, b.height) + 0.1 * Math.max(a.height, b.height), 0.75 * a.height)) return null;
  if (Math.abs(a.along[0] * b.along[0] + a.along[1] * b.along[1]) < 0.9 && b.length > 2 * b.height) return null;
  const along = dx * a.along[0] + dy * a.along[1];
  const room = Math.abs(along) - (a.length + b.length) / 2;
  return along >= 0 ? room : -Math.max(room, 1e-3);
}

/** A core this much lower than its neighbour in the row, and so near to it, is a full stop or a speck at that line's end. */
const SATELLITE_HEIGHT = 0.5;
const SATELLITE_REACH = 1.5;

/** How far a line is grown at each end, in pixels. */
interface Growth {
  start: number;
  end: number;
  across: number;
  /** Part of a neighbouring line. */
  absorbed: boolean;
}

function growthsOf(axes: readonly Axes[]): Growth[] {
  const growths = axes.map(({ length, height }): Growth => {
    const by = (length * height * UNCLIP_RATIO) / (2 * (length + height));
    return { start: by, end: by, across: by, absorbed: false };
  });
  axes.forEach((own, index) => {
    const growth = growths[index];
    if (growth === undefined) return;
    const { across } = growth;
    axes.forEach((other, at) => {
      if (at === index) return;
      const near = own.length / 2 + other.length / 2 + 2 * across + own.height;
      if (Math.abs(other.middle[0] - own.middle[0]) > near || Math.abs(other.middle[1] - own.middle[1]) > near) return;
      const room = roomTowards(own, other);
      const neighbour = growths[at];
      if (room === null || neighbour === undefined || own.height < SATELLITE_HEIGHT * other.height) return;
      const side = room > 0 ? 'end' : 'start';
      if (other.height < SATELLITE_HEIGHT * own.height) {
        if (Math.abs(room) > SATELLITE_REACH * across) return;
        neighbour.absorbed = true;
        growth[side] = Math.max(growth[side], Math.abs(room) + other.length + other.height / 2);
      } else growth[side] = Math.min(growth[side], Math.abs(room) / 2);
    });
  });
  return growths;
}

/**
 * Grows cores to whole characters, null for those that became part of another. Two in one row meet halfway, so that neither
 * reads the other's letters; a speck at a line's end is taken into the line.
 */
export function growCores(cores: readonly Quad[]): (Quad | null)[] {
  const growths = growthsOf(cores.map(axesOf));
  return cores.map((core, index) => {
    const growth = growths[index];
    return growth === undefined || growth.absorbed ? null : growRectangle(core, growth.start, growth.end, growth.across);
  });
}
