import type { SlowScript } from '../bench-redis.ts';
import { spread } from '../statistics.ts';
import { table } from './markdown.ts';
import { atMost, type Findings } from './verdict.ts';

const MOST_MS = 5;

/** Row 10: the longest of Galley's scripts in all measures, by the server's own watch, which counts waiting for a core too. */
export function slowFindings(slow: readonly SlowScript[]): Findings {
  const own = slow.filter(({ script }) => script !== null);
  const longest = Math.max(0, ...own.map(({ ms }) => ms));
  const names = [...new Set(slow.map(nameOf))].sort();
  return {
    verdicts: [atMost({ measure: 'longest script in any run', column: 'both', floor: MOST_MS, unit: ' ms' }, spread([longest]))],
    sections: [
      {
        title:
          "Scripts over 3 ms by the server's clock, on which waiting for a core counts too: peers' short scripts show how much that was",
        lines: table(
          ['script', 'calls over 3 ms', 'over 5 ms', 'longest, ms'],
          names.map((name) => {
            const times = slow.filter((entry) => nameOf(entry) === name).map(({ ms }) => ms);
            return [name, String(times.length), String(times.filter((ms) => ms > MOST_MS).length), Math.max(...times).toFixed(1)];
          }),
        ),
      },
    ],
  };
}

function nameOf({ script }: SlowScript): string {
  return script ?? "peers'";
}
