import type { BlockType } from '@galley/contract';
import * as z from 'zod/mini';
import { parseAnswer } from './answer.ts';

/** The form of GLM-OCR's own server, which lays the page out itself. `image`: a data URI. */
export function parseRequest(image: string): object {
  return { images: [image] };
}

const regionSchema = z.object({
  label: z.nullish(z.string()),
  native_label: z.nullish(z.string()),
  content: z.nullish(z.string()),
  bbox_2d: z.nullish(z.array(z.number())),
});
const answerSchema = z.object({
  /** Regions by page; null where nothing was found. */
  json_result: z.nullish(z.array(z.union([regionSchema, z.array(regionSchema)]))),
  markdown_result: z.nullish(z.string()),
});

export interface LayoutRegion {
  /** What its label says it is; null leaves that to its content. */
  readonly type: BlockType | null;
  readonly content: string;
  /** In thousandths of the page's width and height: left, top, right, bottom. Null where the server lays nothing out. */
  readonly box: readonly [number, number, number, number] | null;
}

/** By the label of the layout model first, then by the kind it is counted to. */
const TYPES: Readonly<Record<string, BlockType>> = {
  doc_title: 'title',
  paragraph_title: 'title',
  header: 'header',
  footer: 'footer',
  number: 'footer',
  footnote: 'text',
  table: 'table',
  image: 'figure',
  chart: 'figure',
  header_image: 'figure',
  footer_image: 'figure',
  seal: 'figure',
};

function typeOf(label: string | null | undefined): BlockType | undefined {
  return label !== null && label !== undefined && Object.hasOwn(TYPES, label) ? TYPES[label] : undefined;
}

/** Regions in reading order. Throws GalleyError `upstream_failed` where the answer is not of this form. */
export function readParseAnswer(body: string): LayoutRegion[] {
  const { json_result: pages, markdown_result: markdown } = parseAnswer(answerSchema, body);
  const regions = (pages ?? []).flat().map((region): LayoutRegion => {
    const [left, top, right, bottom] = region.bbox_2d ?? [];
    const placed = left !== undefined && top !== undefined && right !== undefined && bottom !== undefined;
    return {
      type: typeOf(region.native_label) ?? typeOf(region.label) ?? null,
      content: region.content ?? '',
      box: placed ? [left, top, right, bottom] : null,
    };
  });
  if (regions.length > 0 || (markdown ?? '') === '') return regions;
  return [{ type: null, content: markdown ?? '', box: null }];
}
