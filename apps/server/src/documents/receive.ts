import { GalleyError } from '@galley/contract';
import type { Request, Response } from 'express';
import multer from 'multer';
import { ClientGoneError } from '../http/problem.ts';
import { Intake, type IntakeOptions, type ReceivedFile, tooManyFiles } from './intake.ts';

export interface ReceiveOptions extends Omit<IntakeOptions, 'discardBytes'> {
  readonly maxFiles: number;
}

export interface ReceivedUpload {
  readonly files: readonly ReceivedFile[];
  /** The form's other fields, unparsed. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The rest of the request was not read, so its connection must end after the answer. */
  readonly cut: boolean;
  /** Removes what was not committed. */
  abort(): Promise<void>;
}

/** A file that is a little too large is read to its end and told so; one that goes on for gigabytes is cut. */
const DISCARD_BYTES = 256_000_000;
const FORM_FIELDS = 20;
const FORM_FIELD_BYTES = 8_192;
const MULTIPART_OVERHEAD_BYTES = 1_000_000;

function multerProblem(error: unknown, options: ReceiveOptions): Error {
  if (error instanceof Error && error.message === 'Malformed part header') {
    return new GalleyError(
      'invalid_request',
      'a part of the form has a header that cannot be read, such as a control character in a file name; nothing was taken',
      { cause: error },
    );
  }
  if (!(error instanceof multer.MulterError)) {
    return new GalleyError('invalid_request', 'the multipart body is not well formed, or it broke off', { cause: error });
  }
  switch (error.code) {
    case 'LIMIT_FILE_COUNT':
    case 'LIMIT_PART_COUNT':
      return tooManyFiles(options.maxFiles);
    case 'LIMIT_UNEXPECTED_FILE':
      return new GalleyError('invalid_request', `files belong in fields named "file", not "${(error.field ?? '').slice(0, 64)}"`);
    default:
      return new GalleyError('invalid_request', `the form was refused: ${error.message}`, { cause: error });
  }
}

function contentLength(request: Request): number | null {
  const value = Number(request.headers['content-length']);
  return Number.isInteger(value) && value >= 0 ? value : null;
}

/**
 * Reads a multipart request: files stream into blob writers, never into memory.
 * @throws GalleyError `too_many_files`, `payload_too_large` or `invalid_request`; ClientGoneError where the client broke off.
 *   Nothing is left behind then.
 */
export async function receiveUpload(request: Request, response: Response, options: ReceiveOptions): Promise<ReceivedUpload> {
  if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
    throw new GalleyError('invalid_request', 'send the files as multipart/form-data, each in a field named "file"');
  }
  const length = contentLength(request);
  if (length !== null && length > options.maxFiles * options.maxFileBytes + MULTIPART_OVERHEAD_BYTES) {
    // Otherwise what was announced would be read to its end before the next request.
    response.set('connection', 'close');
    throw new GalleyError('payload_too_large', `a request of ${length} bytes is more than ${options.maxFiles} files of the largest size`);
  }
  const intake = new Intake({ ...options, discardBytes: DISCARD_BYTES });
  try {
    const cut = await readParts(request, response, options, intake);
    const body: unknown = request.body;
    const fields = typeof body === 'object' && body !== null ? { ...body } : {};
    return { files: intake.received, fields, cut, abort: () => intake.abort() };
  } catch (error) {
    await intake.abort();
    throw error;
  }
}

/** Resolves true where the request was cut. */
function readParts(request: Request, response: Response, options: ReceiveOptions, intake: Intake): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let files = 0;
    let tooMany: GalleyError | null = null;
    let unwanted = 0;
    const refuse = (error: unknown): void => {
      if (request.destroyed && !request.complete) reject(new ClientGoneError('the client broke off its upload'));
      else reject(error instanceof GalleyError ? error : multerProblem(error, options));
    };
    const store = async (file: Express.Multer.File, finish: (error?: unknown, info?: object) => void): Promise<void> => {
      try {
        await intake.take(file.originalname, file.stream);
      } catch (error) {
        finish(error);
        return;
      }
      if (intake.isSpent) resolve(true);
      else finish(null, {});
    };
    const form = multer({
      storage: {
        _handleFile: (_request, file, finish) => void store(file, finish),
        // What has no name yet is removed by the intake, for the whole request at once.
        _removeFile: (_request, _file, finish) => finish(null),
      },
      defParamCharset: 'utf8',
      // Otherwise a file named ".." would lose its name, and with it be lost in silence; the intake takes the last part.
      preservePath: true,
      limits: { fields: FORM_FIELDS, fieldSize: FORM_FIELD_BYTES, fieldNameSize: 100, headerPairs: 100, fieldNestingDepth: 0 },
      fileFilter: (_request, _file, accept) => {
        files++;
        if (files > options.maxFiles) tooMany ??= tooManyFiles(options.maxFiles);
        accept(null, tooMany === null);
      },
    });
    // A client that is told only once it has sent everything reads the answer; one that sends on and on is cut.
    request.on('data', (chunk: Buffer) => {
      if (tooMany === null) return;
      unwanted += chunk.length;
      if (unwanted <= DISCARD_BYTES) return;
      response.set('connection', 'close');
      reject(tooMany);
    });
    form.array('file')(request, response, (error?: unknown) => {
      if (error !== undefined && error !== null) refuse(error);
      else if (tooMany !== null) reject(tooMany);
      else resolve(false);
    });
  });
}
