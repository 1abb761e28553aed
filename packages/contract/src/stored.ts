import * as z from 'zod/mini';
import { countSchema, sha256Schema } from './primitives.ts';
import { type RequestEngine, requestEngineSchema } from './requests.ts';
import { type DocumentResult, documentResultSchema, pageResultSchema } from './result.ts';

/** What server and worker hand each other through Redis: task payloads, and results as they are stored. */

export const OCR_QUEUE = 'ocr';

/** Tasks that wait for a served GLM-OCR model rather than for this machine's cores. */
export const GLM_OCR_QUEUE = 'glm-ocr';

/** One queue per kind of resource: where the tasks of an engine go. */
export function queueOfEngine(engine: RequestEngine): string {
  return engine === 'glm-ocr' ? GLM_OCR_QUEUE : OCR_QUEUE;
}

/** Task types of the OCR queues. */
export const DOCUMENT_TASK = 'document';
export const PAGE_TASK = 'page';

/** A document longer than this fans out into page tasks (DESIGN §1). */
export const SHORT_DOCUMENT_PAGES = 4;

/** Payload of a `document` task: an uploaded blob, or a URL that the worker fetches. */
export const documentPayloadSchema = z.object({
  filename: z.optional(z.string()),
  /** Of the uploaded file; absent on a URL task. */
  sha256: z.optional(sha256Schema),
  size_bytes: z.optional(countSchema),
  image_url: z.optional(z.string()),
  engine: requestEngineSchema,
  user_id: z.optional(z.string()),
  callback_url: z.optional(z.string()),
});
export type DocumentPayload = z.infer<typeof documentPayloadSchema>;

/** Payload of a `page` task: a child of its document. `sha256` is the document's blob. */
export const pagePayloadSchema = z.object({ page: z.int().check(z.minimum(1)), sha256: sha256Schema, engine: requestEngineSchema });
export type PagePayload = z.infer<typeof pagePayloadSchema>;

/** A page as displayed, kept as a blob for the reader. */
export const pageImageSchema = z.object({
  page: z.int(),
  sha256: sha256Schema,
  media_type: z.string(),
  width: countSchema,
  height: countSchema,
});
export type PageImage = z.infer<typeof pageImageSchema>;

/** How many pages a document has, and how many of them could not be read. */
const storedCountsSchema = z.object({ total: countSchema, failed: countSchema });

/** The result of a `document` task. Its head tells the counts, so that who asks for them need not read the rest. */
export const storedDocumentSchema = z.object({
  kind: z.literal('document'),
  counts: z.optional(storedCountsSchema),
  result: documentResultSchema,
  images: z.array(pageImageSchema),
});
export type StoredDocument = z.infer<typeof storedDocumentSchema>;

/** A document's result in the form and the order of members that it is stored in: readers cut its parts out of the bytes. */
export function storedDocumentOf(result: DocumentResult, images: readonly PageImage[]): StoredDocument {
  const counts = { total: result.pages.length, failed: result.pages.filter(({ error }) => error !== undefined).length };
  const { pages, markdown, text, ...rest } = result;
  return { kind: 'document', counts, result: { pages, markdown, text, ...rest }, images: [...images] };
}

/** The result of a `page` task. */
export const storedPageSchema = z.object({ kind: z.literal('page'), result: pageResultSchema, image: z.nullable(pageImageSchema) });
export type StoredPage = z.infer<typeof storedPageSchema>;

/** A result too large for Redis: the blob holds the JSON of one of the others. */
export const storedPointerSchema = z.object({ kind: z.literal('blob'), counts: z.optional(storedCountsSchema), sha256: sha256Schema });

/** What the result key of a task holds. */
export const storedResultSchema = z.discriminatedUnion('kind', [storedDocumentSchema, storedPageSchema, storedPointerSchema]);
export type StoredResult = z.infer<typeof storedResultSchema>;

/** A stored result over this many bytes of JSON goes into a blob. */
export const INLINE_RESULT_BYTES = 32 * 1024;

/** Tag kinds of document tasks: every document, its user, its file's blob. */
export const DOCUMENT_TAGS = { type: 'type', user: 'user', blob: 'blob' } as const;
