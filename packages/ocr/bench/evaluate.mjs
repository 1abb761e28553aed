// Measures the engine on pages with known text: character error rate, and CPU time a page.
//
//   npm run evaluate -w @galley/ocr [-- <part of a page's name>...] [--text] [--diff]
//
// Pages are looked for in GALLEY_SHARED_DIR, or in ../shared beside the checkout. Rule: edits / length after NFKC, white space
// collapsed, no spaces next to Chinese characters. "loose" is the rate with all white space removed and words in any order
// (characters as a bag), so that order and spaces can be told from misread characters. Words are compared with those joined
// that a line's end broke, in both texts: Galley joins them, and some truths keep them as printed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRecogniser, editDistance, normaliseText, openDocument, pageToText } from '../dist/index.js';

const here = dirname(fileURLToPath(import.meta.url));
const shared = process.env.GALLEY_SHARED_DIR ?? resolve(here, '../../../../shared');
if (!existsSync(shared)) {
  console.log(`No pages to evaluate: ${shared} does not exist. Set GALLEY_SHARED_DIR.`);
  process.exit(0);
}

function foldAccents(text) {
  return text
    .replaceAll('ß', 'ss')
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .replaceAll('ø', 'o')
    .normalize('NFD')
    .replace(/\p{M}/gu, '');
}

function bagDistance(a, b) {
  const counts = new Map();
  for (const character of a) if (character !== ' ') counts.set(character, (counts.get(character) ?? 0) + 1);
  for (const character of b) if (character !== ' ') counts.set(character, (counts.get(character) ?? 0) - 1);
  let [more, fewer] = [0, 0];
  for (const count of counts.values()) {
    if (count > 0) more += count;
    else fewer -= count;
  }
  return Math.max(more, fewer);
}

const joinBroken = (text) => text.replace(/(\p{L})-\n\s*(?=\p{Ll})/gu, '$1');

function wordScore(truth, read) {
  const left = new Map();
  const [expected, found] = [truth.split(' '), read.split(' ')];
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1);
  let hits = 0;
  for (const word of found) {
    if ((left.get(word) ?? 0) > 0) {
      hits++;
      left.set(word, left.get(word) - 1);
    }
  }
  return (2 * hits) / (expected.length + found.length);
}

/** The share of truth blocks that came out as one block, and the precision and recall of headings, where the truth tells. */
function structure(file, result) {
  const path = file.replace(/\.\w+$/, '.json');
  if (!existsSync(path)) return {};
  const { blocks = [], tables = [] } = JSON.parse(readFileSync(path, 'utf8'));
  const bare = (text) => normaliseText(text).replace(/[\s·•]/gu, '');
  const read = new Map(result.blocks.map((block) => [bare(block.text), block.type]));
  const ratio = (hits, all) => (all === 0 ? '' : `${hits}/${all}`);
  const paragraphs = blocks.filter(({ tag, kind }) => tag === 'p' && (kind === undefined || kind === 'p'));
  const headings = new Set(blocks.filter(({ tag }) => /^h\d$/.test(tag)).map(({ text }) => bare(text)));
  const titles = result.blocks.filter(({ type }) => type === 'title').map(({ text }) => bare(text));
  const rows = new Set(result.blocks.flatMap((block) => (block.rows ?? []).map((row) => row.map(bare).join('|'))));
  const trueRows = tables.flatMap((table) =>
    Array.from({ length: table.rows }, (_, index) =>
      table.cells
        .filter(({ r }) => r === index)
        .map(({ text }) => bare(text))
        .join('|'),
    ),
  );
  return {
    paragraphs: ratio(paragraphs.filter(({ text }) => read.has(bare(text))).length, paragraphs.length),
    headingsFound: ratio([...headings].filter((text) => titles.includes(text)).length, headings.size),
    headingsTrue: ratio(titles.filter((text) => headings.has(text)).length, titles.length),
    rows: ratio(trueRows.filter((row) => rows.has(row)).length, trueRows.length),
  };
}

function pages() {
  const evalset = join(shared, 'evalset');
  const rendered = readdirSync(evalset)
    .filter((name) => /\.(png|jpg)$/.test(name))
    .map((name) => ({
      name: name.replace(/\.\w+$/, ''),
      file: join(evalset, name),
      truth: readFileSync(join(evalset, name.replace(/\.\w+$/, '.txt')), 'utf8'),
    }));
  const scans = join(shared, 'samples/scans');
  const gold = readFileSync(join(scans, 'phototest.gold.txt'), 'utf8');
  const samples = [
    ...['phototest.tif', 'phototest-rotated-180.png', 'phototest-rotated-L.png', 'phototest-rotated-R.png'].map((name) => ({
      name,
      file: join(scans, name),
      truth: gold,
    })),
    { name: 'eurotext', file: join(scans, 'eurotext.tif'), truth: readFileSync(join(scans, 'eurotext.txt'), 'utf8'), fold: true },
    { name: '8087_054.3B', file: join(scans, '8087_054.3B.tif'), truth: readFileSync(join(scans, '8087_054.3B.txt'), 'utf8') },
  ];
  return [...rendered, ...samples];
}

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const showText = process.argv.includes('--text');
const recogniser = await createRecogniser({ cacheDirectory: process.env.GALLEY_OCR_CACHE_DIR ?? join(tmpdir(), 'galley-ocr-models') });
const groups = new Map();
const rows = [];
for (const { name, file, truth, fold } of pages()) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
  const before = process.cpuUsage();
  const document = await openDocument(new Uint8Array(readFileSync(file)));
  const result = await recogniser.recognise(await document.readPage(1));
  document.close();
  const used = process.cpuUsage(before);
  const tidy = (text) => normaliseText(fold ? foldAccents(text) : text);
  const [expected, read] = [tidy(truth), tidy(pageToText(result))];
  const edits = editDistance(expected, read);
  const loose = bagDistance(expected, read);
  const group = name.startsWith('H') ? 'H' : /^\d\d-(rot|skew)|rotated/.test(name) ? 'rotated' : /^\d\d-/.test(name) ? 'upright' : name;
  const sum = groups.get(group) ?? { edits: 0, loose: 0, length: 0, count: 0, cpu: 0 };
  const cpu = (used.user + used.system) / 1e6;
  groups.set(group, {
    edits: sum.edits + edits,
    loose: sum.loose + loose,
    length: sum.length + expected.length,
    count: sum.count + 1,
    cpu: sum.cpu + cpu,
  });
  const percent = (value) => ((value / expected.length) * 100).toFixed(2);
  rows.push({
    page: name,
    cer: percent(edits),
    loose: percent(loose),
    wordF1: (wordScore(tidy(joinBroken(truth)), tidy(joinBroken(pageToText(result)))) * 100).toFixed(1),
    angle: result.angle,
    blocks: result.blocks.length,
    cpuSeconds: cpu.toFixed(2),
    ...structure(file, result),
  });
  if (showText) console.log(`--- ${name}\n${result.blocks.map((block) => `[${block.id} ${block.type}]\n${block.text}`).join('\n')}\n`);
}
await recogniser.close();
console.table(rows);
console.table(
  [...groups].map(([group, { edits, loose, length, count, cpu }]) => ({
    group,
    pages: count,
    cer: ((edits / length) * 100).toFixed(2),
    loose: ((loose / length) * 100).toFixed(2),
    cpuSecondsAPage: (cpu / count).toFixed(2),
  })),
);
