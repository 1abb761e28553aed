import type { BlobStore, BlobWriter } from '@galley/blobs';
import { type ErrorCode, FILE_FORMATS, type FileFormat, GalleyError, SNIFF_BYTES, sniffFormat } from '@galley/contract';
import { shownFileName } from './file-name.ts';

/** What became of one file of a request before anything is submitted. */
export type ReceivedFile =
  | { readonly filename: string; readonly kind: 'whole'; readonly writer: BlobWriter }
  | { readonly filename: string; readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string };

export interface IntakeOptions {
  readonly blobs: BlobStore;
  readonly maxFileBytes: number;
  /** Bytes of refused files that are read to their end, so that the client can be told; past it the request is cut. */
  readonly discardBytes: number;
}

type Refusal = { readonly code: ErrorCode; readonly detail: string };

/**
 * Takes the files of one request, one chunk at a time, each into a blob writer of its own. Nothing has a name until `commit`ted by
 * the caller, so a request that breaks off leaves nothing once `abort` has run.
 */
export class Intake {
  private readonly options: IntakeOptions;
  private readonly writers = new Set<BlobWriter>();
  private readonly outcomes: (ReceivedFile | null)[] = [];
  private discarded = 0;

  constructor(options: IntakeOptions) {
    this.options = options;
  }

  /** What became of each file, in the order of the request; of those that were read to their end. */
  get received(): ReceivedFile[] {
    return this.outcomes.filter((outcome) => outcome !== null);
  }

  /** Whether so much was thrown away that reading on is not worth it. */
  get isSpent(): boolean {
    return this.discarded > this.options.discardBytes;
  }

  /** Reads one file to its end, or until the intake is spent. */
  async take(name: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    const filename = shownFileName(name);
    // A small file may be whole before the one in front of it has been written.
    const place = this.outcomes.push(null) - 1;
    const writer = this.options.blobs.writer();
    this.writers.add(writer);
    const refusal = await this.copy(chunks, writer);
    if (refusal === null) {
      this.outcomes[place] = { filename, kind: 'whole', writer };
    } else {
      await writer.abort();
      this.outcomes[place] = { filename, kind: 'refused', ...refusal };
    }
  }

  /** Removes what was written of files that nobody committed. */
  async abort(): Promise<void> {
    await Promise.all([...this.writers].map((writer) => writer.abort()));
  }

  private async copy(chunks: AsyncIterable<Buffer>, writer: BlobWriter): Promise<Refusal | null> {
    let head: Buffer | null = Buffer.alloc(0);
    let size = 0;
    let refusal: Refusal | null = null;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (refusal === null && size > this.options.maxFileBytes) refusal = this.tooLarge();
      if (refusal !== null) {
        this.discarded += chunk.length;
        if (this.isSpent) return refusal;
        continue;
      }
      if (head === null) {
        await store(writer, chunk);
        continue;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length < SNIFF_BYTES) continue;
      refusal = refusalOfHead(head);
      if (refusal === null) await store(writer, head);
      head = null;
    }
    if (refusal !== null || head === null) return refusal;
    if (size === 0) return { code: 'empty_file', detail: 'The file is empty: it has no bytes at all.' };
    const late = refusalOfHead(head);
    if (late === null) await store(writer, head);
    return late;
  }

  private tooLarge(): Refusal {
    return { code: 'file_too_large', detail: `The file is over the limit of ${sizeText(this.options.maxFileBytes)}.` };
  }
}

/** A disk that fails is not the client's fault, while a body that breaks off is. */
async function store(writer: BlobWriter, bytes: Uint8Array): Promise<void> {
  try {
    await writer.write(bytes);
  } catch (cause) {
    throw cause instanceof GalleyError ? cause : new GalleyError('internal_error', 'the file could not be stored', { cause });
  }
}

const NAMES: Partial<Record<FileFormat, string>> = {
  heic: 'This is a HEIC picture, which Galley does not read. Export it as JPEG or PNG and upload that.',
  jpeg2000: 'This is a JPEG 2000 picture, which Galley does not read. Convert it to PNG, TIFF or PDF and upload that.',
  svg: 'This is an SVG drawing, which Galley does not read. Convert it to PNG or PDF and upload that.',
};

/** Judged by content, never by name (DESIGN §5). */
function refusalOfHead(head: Buffer): Refusal | null {
  const format = sniffFormat(head.subarray(0, SNIFF_BYTES));
  if (format !== null && FILE_FORMATS[format].accepted) return null;
  const detail = format === null ? undefined : NAMES[format];
  return { code: 'unsupported_format', detail: detail ?? 'The content is not an image or PDF, whatever its name says.' };
}

/** Decimal units, as the dashboard shows them. */
export function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${Number((bytes / 1e9).toFixed(1))} GB`;
  if (bytes >= 1e6) return `${Number((bytes / 1e6).toFixed(1))} MB`;
  if (bytes >= 1e3) return `${Number((bytes / 1e3).toFixed(1))} kB`;
  return `${bytes} bytes`;
}

/** @throws GalleyError `too_many_files` */
export function tooManyFiles(limit: number): GalleyError {
  return new GalleyError('too_many_files', `the request has more than ${limit} files; send them in several requests`);
}
