import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ppOcrV4 } from './catalogue.ts';
import { decodeModel, encodeModel } from './onnx.ts';
import { optimiseGraph } from './optimise.ts';
import { prepareModel, rewriteModel } from './prepare.ts';
import { decodeMessage, encodeMessage } from './protobuf.ts';
import { HEAD_OUTPUTS } from './recognition-head.ts';
import { loadModel } from './session.ts';

const family = ppOcrV4();
const PROBE = [1, 3, 48, 192] as const;
/** Detection halves both sides five times. */
const SHAPES = { detection: [1, 3, 96, 96], recognition: PROBE, orientation: PROBE } as const;
const NOISE = Float32Array.from({ length: 3 * 48 * 192 }, (_, index) => Math.cos(index * 3.7) * 1.2);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'galley-models-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

test('a message that is read and written again is the same', async () => {
  const bytes = new Uint8Array(await readFile(family.orientation));
  expect(Buffer.compare(encodeMessage(decodeMessage(bytes)), bytes)).toBe(0);
  expect(() => decodeMessage(bytes.subarray(0, bytes.length - 10))).toThrow(RangeError);
});

test.each(['detection', 'recognition', 'orientation'] as const)(
  'the %s model answers the same after its rewrite, with fewer nodes',
  async (part) => {
    const original = new Uint8Array(await readFile(family[part]));
    const graph = decodeModel(original);
    const before = graph.nodes.length;
    const rewrites = optimiseGraph(graph);
    expect(graph.nodes.length).toBeLessThan(before * 0.7);
    expect(rewrites.hardSwish).toBeGreaterThan(15);
    const [plain, fast] = [await loadModel(original, 1), await loadModel(encodeModel(graph), 1)];
    const [[expected], [found]] = [await plain.run(NOISE, SHAPES[part]), await fast.run(NOISE, SHAPES[part])];
    if (!(expected?.data instanceof Float32Array)) throw new Error('no output');
    expect(expected.data.every((value, index) => Math.abs(value - Number(found?.data[index])) < 5e-5)).toBe(true);
    await Promise.all([plain.close(), fast.close()]);
  },
);

test("the recogniser's head answers with the likeliest class, its probability and that of a space", async () => {
  const original = new Uint8Array(await readFile(family.recognition));
  const classCount = 6_625;
  const [plain, short] = [await loadModel(original, 1), await loadModel(await rewriteModel(original, PROBE, classCount), 1)];
  const [full] = await plain.run(NOISE, PROBE);
  const outputs = await short.run(NOISE, PROBE);
  expect(outputs.map(({ name }) => name)).toEqual(Object.values(HEAD_OUTPUTS));
  const [classes, confidences, spaces] = outputs.map(({ data }) => [...data].map(Number));
  const steps = full?.shape[1] ?? 0;
  expect(classes).toHaveLength(steps);
  for (let step = 0; step < steps; step++) {
    const row = Array.from({ length: classCount }, (_, index) => Number(full?.data[step * classCount + index]));
    expect(confidences?.[step]).toBeCloseTo(Math.max(...row), 4);
    expect(row[classes?.[step] ?? 0]).toBeCloseTo(Math.max(...row), 4);
    expect(spaces?.[step]).toBeCloseTo(row[classCount - 1] ?? -1, 4);
  }
  await Promise.all([plain.close(), short.close()]);
});

test('a rewritten model is kept, used again, and made anew when it is damaged', async () => {
  const load = async (): Promise<void> =>
    (await prepareModel(family.orientation, { threads: 1, cacheDirectory: directory, probe: PROBE })).close();
  await load();
  const [name = ''] = await readdir(directory);
  expect(await readdir(directory)).toHaveLength(1);
  const kept = await readFile(join(directory, name));
  await load();
  await writeFile(join(directory, name), 'damaged');
  await load();
  expect(Buffer.compare(await readFile(join(directory, name)), kept)).toBe(0);
});
