import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeModel, encodeModel } from './onnx.ts';
import { optimiseGraph } from './optimise.ts';
import { appendRecognitionHead } from './recognition-head.ts';
import { loadModel, type Model } from './session.ts';

/** Raise it when the rewrites change, so that models cached by an older version are not used. */
const REWRITE_VERSION = 1;
/** Largest difference of any output probability between a model and its rewrite. */
const TOLERANCE = 1e-4;

export interface PrepareOptions {
  threads: number;
  /** Where rewritten models are kept; not kept when not given. */
  cacheDirectory?: string | undefined;
  /** Recognisers only: how many classes there are, to let the model answer with the likeliest ones. */
  headClasses?: number;
  /** The shape of the input that the rewrite is checked with. */
  probe: readonly [number, number, number, number];
}

/** The same numbers every time, of the size that normalised pixels have. */
function probeData(shape: readonly number[]): Float32Array {
  const size = shape.reduce((product, side) => product * side, 1);
  return Float32Array.from({ length: size }, (_, index) => Math.sin(index * 12.9898) * 1.5);
}

async function sameOutput(original: Uint8Array, rewritten: Uint8Array, shape: readonly [number, number, number, number]): Promise<boolean> {
  const outputs: (Float32Array | BigInt64Array)[] = [];
  for (const bytes of [original, rewritten]) {
    const model = await loadModel(bytes, 1);
    const [output] = await model.run(probeData(shape), shape);
    await model.close();
    if (output !== undefined) outputs.push(output.data);
  }
  const [expected, found] = outputs;
  if (!(expected instanceof Float32Array) || !(found instanceof Float32Array) || expected.length !== found.length) return false;
  return expected.every((value, index) => Math.abs(value - (found[index] ?? Number.NaN)) <= TOLERANCE);
}

/** The model rewritten for speed where that leaves its output as it is, else as it was; with the head that was asked for. */
export async function rewriteModel(
  original: Uint8Array,
  probe: PrepareOptions['probe'],
  headClasses: number | undefined,
): Promise<Uint8Array> {
  const rewritten = decodeModel(original);
  optimiseGraph(rewritten);
  const graph = (await sameOutput(original, encodeModel(rewritten), probe)) ? rewritten : decodeModel(original);
  if (headClasses !== undefined) appendRecognitionHead(graph, headClasses);
  return encodeModel(graph);
}

async function readCached(path: string): Promise<Uint8Array | null> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Written whole under another name first: threads and processes that start together each find a whole file or none. */
async function keep(directory: string, path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(directory, { recursive: true });
  const draft = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.draft`;
  try {
    await writeFile(draft, bytes);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Loads a model from its file, rewritten, from the cache where it is there and sound. */
export async function prepareModel(file: string, options: PrepareOptions): Promise<Model> {
  const original = await readFile(file);
  const { cacheDirectory, headClasses, probe, threads } = options;
  if (cacheDirectory === undefined) return loadModel(await rewriteModel(original, probe, headClasses), threads);
  const identity = createHash('sha256')
    .update(original)
    .update(`${REWRITE_VERSION} ${headClasses ?? 'plain'}`)
    .digest('hex')
    .slice(0, 24);
  const path = join(cacheDirectory, `${identity}.onnx`);
  const cached = await readCached(path);
  if (cached !== null) {
    try {
      return await loadModel(cached, threads);
    } catch {
      // A damaged cache is made again below.
    }
  }
  const bytes = await rewriteModel(original, probe, headClasses);
  await keep(cacheDirectory, path, bytes);
  return loadModel(bytes, threads);
}
