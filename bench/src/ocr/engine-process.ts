import { InferenceSession } from 'onnxruntime-node';
import { ENGINE_NAMES, type EngineName, startEngine } from './engines.ts';

/** One engine in a process of its own, so that its memory is its own. Its one argument: JSON `{engine, files, cacheDirectory}`. */

export interface EngineOrder {
  readonly engine: EngineName;
  readonly files: readonly string[];
  readonly cacheDirectory: string;
}

export interface PageReading {
  readonly text: string;
  /** CPU seconds, of all its threads. */
  readonly cpu: number;
  /** Of those within ONNX Runtime. */
  readonly inference: number;
}

export type EngineMessage =
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'page'; readonly reading: PageReading }
  | { readonly kind: 'end'; readonly peakBytes: number };

const seconds = (used: NodeJS.CpuUsage): number => (used.user + used.system) / 1e6;

let inference = 0;

/** Inference blocks its thread from its start to its end, so what the process used meanwhile is its cost. */
function countInference(): void {
  const create = InferenceSession.create.bind(InferenceSession);
  const counting = async (...parameters: Parameters<typeof create>): Promise<InferenceSession> => {
    const session = await create(...parameters);
    const run = session.run.bind(session);
    const counted = async (...inputs: Parameters<typeof run>): ReturnType<typeof run> => {
      const before = process.cpuUsage();
      try {
        return await run(...inputs);
      } finally {
        inference += seconds(process.cpuUsage(before));
      }
    };
    return Object.assign(session, { run: counted });
  };
  Object.assign(InferenceSession, { create: counting });
}

function say(message: EngineMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

async function main(): Promise<void> {
  const order = JSON.parse(process.argv[2] ?? '{}') as EngineOrder;
  if (!ENGINE_NAMES.includes(order.engine)) throw new Error(`there is no engine ${order.engine}`);
  countInference();
  const engine = await startEngine(order.engine, order.cacheDirectory).catch((error: unknown) => String(error));
  if (typeof engine === 'string') return say({ kind: 'unavailable', reason: engine });
  const [first] = order.files;
  // Once unmeasured: models load and code warms up on the first page.
  if (first !== undefined) await engine.read(first);
  for (const file of order.files) {
    const [before, inferredBefore] = [process.cpuUsage(), inference];
    const { text, outsideCpu } = await engine.read(file);
    const reading = { text, cpu: seconds(process.cpuUsage(before)) + outsideCpu, inference: inference - inferredBefore };
    await say({ kind: 'page', reading });
  }
  await engine.close();
  await say({ kind: 'end', peakBytes: process.resourceUsage().maxRSS * 1024 });
}

await main();
process.exit(0);
