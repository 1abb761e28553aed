import type { EngineOutcome, EngineScore } from './accuracy.ts';
import type { MemoryFindings } from './memory.ts';
import type { BenchPage } from './pages.ts';
import type { TextLayerFindings } from './text-layer.ts';

export interface OcrFindings {
  readonly pages: readonly BenchPage[];
  readonly engines: readonly EngineOutcome[];
  readonly textLayer: TextLayerFindings | null;
  /** One thread, and two. */
  readonly threads: readonly [one: MemoryFindings, two: MemoryFindings] | null;
  readonly memory: MemoryFindings | null;
  readonly circumstances: readonly (readonly [name: string, value: string])[];
}

const percent = (share: number, digits = 2): string => `${(share * 100).toFixed(digits)} %`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

/** A target, what was measured, and whether it holds. */
function verdict(target: string, measured: string, holds: boolean): string[] {
  return [target, measured, holds ? 'pass' : '**missed**'];
}

const isScore = (outcome: EngineOutcome): outcome is EngineScore => !('unavailable' in outcome);

/** Sizes may rise by this share from the first fifth of the pages on and still count as flat. */
const FLAT = 0.1;

function threadVerdicts({ threads, memory }: OcrFindings): string[][] {
  const rows: string[][] = [];
  if (threads !== null) {
    const [one, two] = threads;
    rows.push(verdict('two threads ≥ 1.8 × one, on free cores', `${(two.rate / one.rate).toFixed(2)} ×`, two.rate >= 1.8 * one.rate));
    rows.push(verdict('main thread’s event loop delayed ≤ 25 ms', `${two.longestDelay.toFixed(1)} ms`, two.longestDelay <= 25));
  }
  if (memory !== null) {
    rows.push(verdict(`memory of ${memory.threads} threads ≤ 900 MB`, megabytes(memory.peak), memory.peak <= 900e6));
    const [early, late] = [Math.max(...memory.sizes.slice(0, 3)), Math.max(...memory.sizes.slice(-3))];
    rows.push(verdict(`and flat over ${memory.pages} pages`, percent(late / early - 1, 0), late <= early * (1 + FLAT)));
  }
  return rows;
}

function verdicts(findings: OcrFindings): string[][] {
  const { engines, textLayer } = findings;
  const scores = new Map(engines.filter(isScore).map((score) => [score.engine, score]));
  const own = scores.get('galley');
  const rows: string[][] = [];
  for (const [name, most] of [
    ['@gutenye/ocr-node', 0.55],
    ['tesseract.js', 1],
  ] as const) {
    const other = scores.get(name);
    if (own === undefined || other === undefined) continue;
    const ratio = own.cpu / other.cpu;
    rows.push(verdict(`CPU a page ≤ ${most} × ${name}`, `${ratio.toFixed(2)} ×`, ratio <= most));
  }
  if (own !== undefined) {
    const around = own.cpu / own.inference - 1;
    rows.push(verdict('around inference ≤ 12 % of it', percent(around, 1), around <= 0.12));
  }
  if (textLayer !== null) {
    const factor = textLayer.recognised / textLayer.ownText;
    rows.push(verdict('text layer ≥ 50 × faster than recognition', `${factor.toFixed(0)} ×`, factor >= 50));
    const shown = textLayer.recognised / textLayer.withPicture;
    rows.push(verdict('and with the reader’s picture', `${shown.toFixed(0)} ×`, shown >= 50));
    rows.push(verdict('its characters exact', textLayer.exact ? 'exact' : 'other', textLayer.exact));
  }
  return [...rows, ...threadVerdicts(findings)];
}

/** The results as the page that is kept. */
export function ocrMarkdown(findings: OcrFindings): string {
  const { pages, engines, textLayer, memory, circumstances } = findings;
  const scores = engines.filter(isScore);
  const parts = [
    '# OCR benchmark',
    'Written by `npm run bench:ocr`. One thread each, the same pages in the same run, every engine in a process of its own. Error rate:\nedits by characters of truth, in the engine’s own reading order, spaces counted (NFKC, white space collapsed, none next to Chinese\ncharacters). CPU is of all threads of the process, after one page that does not count.',
    circumstances.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    '## Targets',
    table(['target', 'measured', 'verdict'], verdicts(findings)),
  ];
  if (engines.length > 0) {
    const cells = engines.map((outcome) =>
      isScore(outcome)
        ? [
            outcome.engine,
            percent(outcome.errorRate),
            outcome.cpu.toFixed(2),
            outcome.inference === 0 ? '' : outcome.inference.toFixed(2),
            outcome.engine === 'tesseract' ? '' : megabytes(outcome.peakBytes),
          ]
        : [outcome.engine, `not run: ${outcome.unavailable}`, '', '', ''],
    );
    parts.push('## Engines', table(['engine', 'error rate', 'CPU s a page', 'of it inference', 'peak memory'], cells));
    const byPage = pages.map(({ name }, index) => [name, ...scores.map((score) => percent(score.pageErrorRates[index] ?? 1))]);
    parts.push('## Error rate by page', table(['page', ...scores.map(({ engine }) => engine)], byPage));
  }
  if (textLayer !== null) {
    parts.push(
      '## A born-digital page, CPU',
      table(
        ['by', 'ms a page'],
        [
          ['its own text', (textLayer.ownText * 1e3).toFixed(1)],
          ['its own text, and its picture for the reader', (textLayer.withPicture * 1e3).toFixed(1)],
          ['recognition', (textLayer.recognised * 1e3).toFixed(1)],
        ],
      ),
    );
  }
  if (memory !== null) {
    parts.push(
      '## Memory',
      `${memory.pages} pages of A4 at 200 dots an inch in ${memory.threads} threads: at most ${megabytes(memory.peak)}; after each tenth of them ${memory.sizes.map(megabytes).join(', ')}.`,
    );
  }
  return `${parts.join('\n\n')}\n`;
}
