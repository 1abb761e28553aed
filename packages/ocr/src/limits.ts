/** What a document may demand of the machine. Each limit is checked before the memory it guards is taken. */
export interface DocumentLimits {
  /** Most pages of one document. */
  maxPages: number;
  /** Most pixels of one page, decoded or rendered. */
  maxPagePixels: number;
  /** Dots per inch at which a PDF page becomes a picture. */
  renderDpi: number;
}

export const DEFAULT_LIMITS = {
  maxPages: 2_000,
  maxPagePixels: 100_000_000,
  renderDpi: 200,
} as const satisfies DocumentLimits;
