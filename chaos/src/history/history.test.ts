import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseHistory, readHistory } from './reader.ts';
import { HistoryWriter } from './writer.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp('/tmp/galley-chaos-history-');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('is read back as it was written, from all files by time, or those of one process', async () => {
  new HistoryWriter(directory, 'worker-1.1').write({ event: 'worker started', worker: 'w' });
  new HistoryWriter(directory, 'worker-10.1').write({ event: 'run told', task: 't', fence: 3, outcome: 'completed' });
  await writeFile(path.join(directory, 'producer-1.actions.json'), '[]');
  const all = await readHistory(directory);
  expect(all).toMatchObject([
    { event: 'worker started', by: 'worker-1.1', worker: 'w' },
    { event: 'run told', by: 'worker-10.1', task: 't', fence: 3, outcome: 'completed' },
  ]);
  expect(await readHistory(directory, 'worker-1')).toHaveLength(1);
});

it('leaves out a line that its writer did not live to end, and refuses one that it does not understand', () => {
  const whole = JSON.stringify({ event: 'cancel asked', task: 't', at: 1, by: 'x' });
  expect(parseHistory(`${whole}\n{"event":"cancel as`)).toHaveLength(1);
  expect(() => parseHistory('{"event":"unheard of","at":1,"by":"x"}\n')).toThrow(/event/);
});
