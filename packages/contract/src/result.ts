import * as z from 'zod/mini';
import { countSchema } from './primitives.ts';

export const BLOCK_TYPES = ['title', 'text', 'list', 'table', 'figure', 'header', 'footer'] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

/** Pixels of the page as displayed: `[x0, y0, x1, y1]`. All zeros where the engine tells no place. */
export const boxSchema = z.tuple([z.number(), z.number(), z.number(), z.number()]);
export type Box = z.infer<typeof boxSchema>;

const pointSchema = z.tuple([z.number(), z.number()]);

export const lineSchema = z.object({
  text: z.string(),
  /** 0–1, the mean over the line's characters. */
  confidence: z.number(),
  /** Corners clockwise from the text's own top left, in pixels of the page as displayed. */
  polygon: z.array(pointSchema),
});
export type Line = z.infer<typeof lineSchema>;

export const blockSchema = z.object({
  /** Unique on its page; its place in reading order, from 1. */
  id: z.int(),
  type: z.enum(BLOCK_TYPES),
  bbox: boxSchema,
  text: z.string(),
  /** Tables only: rows of cell texts. */
  rows: z.optional(z.array(z.array(z.string()))),
  /** Empty where the engine reads blocks as wholes (`glm-ocr`). */
  lines: z.array(lineSchema),
});
export type Block = z.infer<typeof blockSchema>;

export const ENGINES = ['onnx', 'glm-ocr', 'text-layer'] as const;
export const engineSchema = z.enum(ENGINES);
export type Engine = z.infer<typeof engineSchema>;

/** Where the page's picture came from. */
export const PAGE_SOURCES = ['image', 'pdf-render', 'pdf-text'] as const;

export const pageErrorSchema = z.object({ code: z.string(), message: z.string() });

export const pageResultSchema = z.object({
  /** From 1. */
  page: z.int().check(z.minimum(1)),
  /** Pixels of the page as displayed. */
  width: countSchema,
  height: countSchema,
  /** Degrees the page's picture was turned clockwise so that its text reads upright. */
  angle: z.number(),
  source: z.enum(PAGE_SOURCES),
  engine: engineSchema,
  /** In reading order. */
  blocks: z.array(blockSchema),
  markdown: z.string(),
  /** What a person should know about how the page was read. */
  warnings: z.optional(z.array(z.string())),
  error: z.optional(pageErrorSchema),
});
export type PageResult = z.infer<typeof pageResultSchema>;

export const documentResultSchema = z.object({
  pages: z.array(pageResultSchema),
  markdown: z.string(),
  text: z.string(),
  /** Milliseconds by step. */
  timings: z.record(z.string(), z.number()),
  warnings: z.array(z.string()),
});
export type DocumentResult = z.infer<typeof documentResultSchema>;

export const RESULT_FORMATS = ['json', 'markdown', 'text', 'hocr', 'alto', 'pdf'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];
