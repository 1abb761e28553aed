import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRunLogs, runsOf } from './run-log.ts';

const AT = Date.UTC(2026, 0, 1);
const iso = (ms: number): string => new Date(AT + ms).toISOString();
const line = (event: string, fields: object): string =>
  JSON.stringify({
    level: 30,
    event,
    key: 'lock:job:q-shard-03:{q:shard-03}:t',
    task: 't',
    shard: '03',
    worker: 'w1',
    fence: 1,
    ...fields,
  });

describe('runs of a log', () => {
  it('have the start and end that their lines say, and whether the lease was lost', () => {
    const lines = [
      line('lock acquired', { start: iso(0) }),
      line('lock acquired', { start: iso(5), fence: 2, worker: 'w2' }),
      line('lease lost', { start: iso(0), end: iso(9), outcome: 'lease_lost' }),
      line('lock released', { start: iso(0), end: iso(9), outcome: 'lease_lost' }),
    ];
    expect(runsOf(lines)).toEqual([
      { task: 't', shard: '03', worker: 'w1', fence: 1, start: AT, end: AT + 9, lost: true },
      { task: 't', shard: '03', worker: 'w2', fence: 2, start: AT + 5, end: null, lost: false },
    ]);
  });

  it('are known by their last line where the first lies in a file that is gone', () => {
    expect(runsOf([line('lock released', { start: iso(0), end: iso(9) })])).toMatchObject([{ start: AT, end: AT + 9 }]);
  });

  it('are not made of other lines, half lines or lines without their fields', () => {
    const whole = line('lock acquired', { start: iso(0) });
    expect(runsOf(['', 'plain words', whole.slice(0, -5), line('lock acquired', {}), line('worker started', { start: iso(0) })])).toEqual(
      [],
    );
  });
});

describe('logs of workers', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp('/tmp/galley-cli-logs-');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('are all of theirs in the folder, the older parts too, and no others', async () => {
    await writeFile(path.join(directory, 'worker-1.log'), `${line('lock acquired', { start: iso(0) })}\n`);
    await writeFile(path.join(directory, 'worker-2.log.1'), `${line('lock acquired', { start: iso(1), worker: 'w2', fence: 2 })}\n`);
    await writeFile(path.join(directory, 'server.log'), `${line('lock acquired', { start: iso(2), worker: 'w3', fence: 3 })}\n`);
    expect((await readRunLogs(directory))?.map(({ worker }) => worker).toSorted()).toEqual(['w1', 'w2']);
  });

  it('are null where there are none', async () => {
    expect(await readRunLogs(directory)).toBeNull();
    expect(await readRunLogs(path.join(directory, 'nowhere'))).toBeNull();
  });
});
