import { type Findings, type Judgement, type Mark, many } from './judge.ts';

const MARKS: Readonly<Record<Mark, string>> = { ok: 'ok', fault: 'FAULT', serial: 'SERIAL', unseen: 'not seen' };

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function shardTable({ sight, interleaving }: Findings): string[] {
  const rows = sight.shards.map(({ shard, mostRunning, mostLocks, leastTtlMs, mostTtlMs }) => [
    shard,
    String(mostRunning),
    String(mostLocks),
    leastTtlMs === null ? '-' : `${leastTtlMs}-${mostTtlMs}`,
    'unseen' in interleaving ? '-' : String(interleaving.sightings.get(shard) ?? 0),
  ]);
  return table(['shard', 'most running', 'most locks', 'PTTL, ms', 'locks moved in MONITOR'], rows);
}

/** What a person reads of one queue: shards, checks, verdict. */
export function reportLines(findings: Findings, judgement: Judgement): string[] {
  const { queue, seconds, workers, slots, sight } = findings;
  return [
    `Queue ${queue}, watched for ${seconds} s: ${many(sight.shards.length, 'shard')}, ${many(workers, 'worker')}, ${many(slots, 'slot')}`,
    '',
    ...shardTable(findings),
    '',
    ...table(
      ['check', 'verdict', 'seen'],
      judgement.checks.map(({ name, seen, mark }) => [name, MARKS[mark], seen]),
    ),
    '',
    `Verdict on ${queue}: ${judgement.verdict}. ${judgement.reason}`,
  ];
}
