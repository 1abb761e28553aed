import type { SlowScript } from '../bench-redis.ts';
import { spread } from '../statistics.ts';
import { table } from './markdown.ts';
import { atMost, type Findings } from './verdict.ts';

const MOST_MS = 5;

/** Row 10: the longest of Galley's scripts in all measures, by the server's own watch, which counts waiting for a core too. */
export function slowFindings(slow: readonly SlowScript[]): Findings {
  const longest = Math.max(0, ...slow.map(({ ms }) => ms));
  const names = [...new Set(slow.map(({ script }) => script))].sort();
  return {
    verdicts: [atMost({ measure: 'longest script in any run', column: 'both', floor: MOST_MS, unit: ' ms' }, spread([longest]))],
    sections: [
      {
        title: 'Scripts over 3 ms (wall time, so a busy machine shows here)',
        lines: table(
          ['script', 'calls over 3 ms', 'over 5 ms', 'longest, ms'],
          names.map((name) => {
            const own = slow.filter(({ script }) => script === name).map(({ ms }) => ms);
            return [name, String(own.length), String(own.filter((ms) => ms > MOST_MS).length), Math.max(...own).toFixed(1)];
          }),
        ),
      },
    ],
  };
}
