import type { Block, Engine, Line, PageResult } from '@galley/contract';
import { blocksToMarkdown } from './export/markdown.ts';
import { boundsOf, clampQuad, type Quad, quadAngle, rotatePoint, roundQuad } from './geometry.ts';
import { type ReadPiece, toFrame } from './layout/frame.ts';
import { layoutPage } from './layout/layout.ts';
import type { DraftBlock, TextLine } from './layout/types.ts';
import { angleBetween } from './orientation/direction.ts';
import type { PageFacts } from './picture.ts';

/** A line of several pieces gets one polygon: the first piece's left side and the last one's right side. */
function toLine(line: TextLine, width: number, height: number): Line {
  const [first, last] = [line.pieces[0], line.pieces.at(-1)];
  const characters = line.pieces.reduce((sum, { text }) => sum + text.length, 0);
  const confidence = line.pieces.reduce((sum, piece) => sum + piece.confidence * piece.text.length, 0) / Math.max(1, characters);
  const quad: Quad =
    first === undefined || last === undefined
      ? [
          [0, 0],
          [0, 0],
          [0, 0],
          [0, 0],
        ]
      : [first.quad[0], last.quad[1], last.quad[2], first.quad[3]];
  return { text: line.text, confidence: Math.round(confidence * 1e4) / 1e4, polygon: roundQuad(clampQuad(quad, width, height)) };
}

function toBlock(draft: DraftBlock, id: number, width: number, height: number): Block {
  const lines = draft.lines.map((line) => toLine(line, width, height));
  const corners = draft.lines.flatMap(({ pieces }) => pieces.flatMap(({ quad }) => clampQuad(quad, width, height)));
  const [x0, y0, x1, y1] = boundsOf(corners);
  const block: Block = {
    id,
    type: draft.type,
    bbox: [Math.floor(x0), Math.floor(y0), Math.ceil(x1), Math.ceil(y1)],
    text: draft.text,
    lines,
  };
  return draft.rows === undefined ? block : { ...block, rows: draft.rows };
}

/** Where the picture came from that an engine has read, though the page has text of its own. */
export function readFromPicture(source: PageResult['source']): PageResult['source'] {
  return source === 'pdf-text' ? 'pdf-render' : source;
}

/** Lays read pieces out and makes the page's result. `direction`: of the page's lines, degrees clockwise on the screen. */
export function toPageResult(facts: PageFacts, pieces: readonly ReadPiece[], direction: number, engine: Engine): PageResult {
  const [, top, , bottom] = boundsOf(
    [
      [0, 0],
      [facts.width, 0],
      [facts.width, facts.height],
      [0, facts.height],
    ].map(([x = 0, y = 0]) => rotatePoint([x, y], -direction)),
  );
  const drafts = layoutPage(toFrame(pieces, direction), top, bottom);
  const blocks = drafts.map((draft, index) => toBlock(draft, index + 1, facts.width, facts.height));
  const angle = Math.round(angleBetween(direction, 0) * 100) / 100;
  return {
    page: facts.page,
    width: facts.width,
    height: facts.height,
    angle: angle === 0 ? 0 : angle,
    source: engine === 'text-layer' ? 'pdf-text' : readFromPicture(facts.source),
    engine,
    blocks,
    markdown: blocksToMarkdown(blocks),
  };
}

/** The reading direction of pieces whose corners are named from the text's own top left. */
export function commonDirection(quads: readonly Quad[]): number {
  const totals = new Map<number, number>();
  for (const quad of quads) {
    const angle = Math.round(quadAngle(quad) / 90) * 90;
    const turn = ((angle % 360) + 360) % 360;
    totals.set(turn, (totals.get(turn) ?? 0) + Math.hypot(quad[1][0] - quad[0][0], quad[1][1] - quad[0][1]));
  }
  const [best] = [...totals].sort((a, b) => b[1] - a[1]);
  const turn = best?.[0] ?? 0;
  return turn > 180 ? turn - 360 : turn;
}
