import type { Browser, Page } from '@playwright/test';

export interface Paper {
  /** Each becomes a line of its own, and is short enough to stay one. */
  readonly lines: readonly string[];
  /** px; small letters make a picture that takes long to read. */
  readonly letter?: number;
}

/** Pictures of known text, drawn by the tests' own browser. */
export interface Papers {
  picture(paper: Paper): Promise<Buffer>;
  /** One small page a paper. */
  pdf(papers: readonly Paper[]): Promise<Buffer>;
}

const WIDTH_PX = 1_000;

function htmlOf(papers: readonly Paper[]): string {
  const sheets = papers.map(({ lines, letter = 30 }) => {
    const paragraphs = lines.map((line) => `<p>${line}</p>`).join('');
    return `<section style="font-size:${letter}px">${paragraphs}</section>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>paper</title><style>
    body { margin: 0; background: #fff; color: #000; font-family: 'Liberation Sans', 'DejaVu Sans', sans-serif; }
    section { padding: 48px; break-after: page; }
    p { margin: 0; line-height: 1.6; white-space: nowrap; }
  </style>${sheets.join('')}`;
}

/** Draws papers in a window of its own, one at a time; close it when no more are wanted. */
export async function makePapers(browser: Browser): Promise<{ papers: Papers; close: () => Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: WIDTH_PX, height: 400 } });
  const page: Page = await context.newPage();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (papers: readonly Paper[], take: () => Promise<Buffer>): Promise<Buffer> => {
    const drawn = last.then(async () => {
      await page.setContent(htmlOf(papers));
      return take();
    });
    last = drawn.catch(() => undefined);
    return drawn;
  };
  return {
    papers: {
      picture: (paper) => inTurn([paper], () => page.locator('body').screenshot()),
      pdf: (papers) =>
        inTurn(
          papers.map((paper) => ({ letter: 18, ...paper })),
          () => page.pdf({ width: '148mm', height: '105mm', printBackground: true }),
        ),
    },
    close: () => context.close(),
  };
}

const WORDS = 'the careful printer sets every line of small type by hand and proofs each page before the press runs again'.split(' ');

/** A paper full of small lines: reading it takes a worker seconds. `seed`: no two papers of a run are the same file. */
export function densePaper(seed: string, lines = 60): Paper {
  const filled = Array.from({ length: lines }, (_, line) => {
    const words = Array.from({ length: 15 }, (_, word) => WORDS[(line * 7 + word * 3 + (line % 5)) % WORDS.length] ?? '');
    return `${line + 1} ${words.join(' ')}`;
  });
  return { lines: [seed, ...filled], letter: 14 };
}
