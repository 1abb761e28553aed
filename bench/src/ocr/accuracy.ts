import { fork } from 'node:child_process';
import { once } from 'node:events';
import { editDistance, normaliseText } from '@galley/ocr';
import type { EngineMessage, EngineOrder, PageReading } from './engine-process.ts';
import { ENGINE_NAMES, type EngineName } from './engines.ts';
import type { BenchPage } from './pages.ts';

/** How one engine did on all pages. */
export interface EngineScore {
  readonly engine: EngineName;
  /** Edits by characters of truth, over all pages. */
  readonly errorRate: number;
  readonly pageErrorRates: readonly number[];
  /** CPU seconds a page. */
  readonly cpu: number;
  /** Of those within ONNX Runtime; 0 where it has none. */
  readonly inference: number;
  readonly peakBytes: number;
}

export type EngineOutcome = EngineScore | { readonly engine: EngineName; readonly unavailable: string };

async function runEngine(order: EngineOrder): Promise<{ readings: PageReading[]; peakBytes: number } | string> {
  const child = fork(new URL('engine-process.js', import.meta.url), [JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const readings: PageReading[] = [];
  let ending: { peakBytes: number } | string = `${order.engine} ended early`;
  child.on('message', (message: EngineMessage) => {
    if (message.kind === 'page') readings.push(message.reading);
    else ending = message.kind === 'end' ? { peakBytes: message.peakBytes } : message.reason;
  });
  await once(child, 'exit');
  return typeof ending === 'string' ? ending : { readings, ...(ending as { peakBytes: number }) };
}

function score(engine: EngineName, pages: readonly BenchPage[], readings: readonly PageReading[], peakBytes: number): EngineScore {
  const edits = pages.map(({ truth }, index) => editDistance(normaliseText(truth), normaliseText(readings[index]?.text ?? '')));
  const lengths = pages.map(({ truth }) => normaliseText(truth).length);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    engine,
    errorRate: sum(edits) / Math.max(1, sum(lengths)),
    pageErrorRates: edits.map((count, index) => count / Math.max(1, lengths[index] ?? 1)),
    cpu: sum(readings.map(({ cpu }) => cpu)) / Math.max(1, readings.length),
    inference: sum(readings.map(({ inference }) => inference)) / Math.max(1, readings.length),
    peakBytes,
  };
}

/** Every engine on the same pages, one after the other, each in a process of its own. */
export async function measureEngines(
  pages: readonly BenchPage[],
  cacheDirectory: string,
  log: (line: string) => void,
): Promise<EngineOutcome[]> {
  const outcomes: EngineOutcome[] = [];
  for (const engine of ENGINE_NAMES) {
    log(`${engine}: ${pages.length} pages ...`);
    const run = await runEngine({ engine, files: pages.map(({ file }) => file), cacheDirectory });
    outcomes.push(typeof run === 'string' ? { engine, unavailable: run } : score(engine, pages, run.readings, run.peakBytes));
  }
  return outcomes;
}
