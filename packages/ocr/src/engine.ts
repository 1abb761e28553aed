import { GalleyError, type PageResult } from '@galley/contract';
import { messageOf } from './decode/checks.ts';
import { isBlank } from './detect/blank.ts';
import { detectLines } from './detect/detector.ts';
import { type ReadPiece } from './layout/frame.ts';
import { type ModelFamily, ppOcrV4 } from './models/catalogue.ts';
import { prepareModel } from './models/prepare.ts';
import type { Model } from './models/session.ts';
import { alignQuad, pageDirection } from './orientation/direction.ts';
import { standsOnItsHead, turnAround } from './orientation/upright.ts';
import { commonDirection, toPageResult } from './page-result.ts';
import type { DocumentPage, PagePicture } from './picture.ts';
import { loadDictionary } from './recognise/dictionary.ts';
import { type ReadingEngine, readPieces } from './recognise/pieces.ts';

export interface RecognisePreference {
  /** `auto`: a born-digital PDF page's own text where it is sound, else recognition. */
  engine?: 'auto' | 'onnx' | 'text-layer';
}

export interface RecogniseOptions extends RecognisePreference {
  /** Checked between lines. */
  readonly signal?: AbortSignal;
}

/** What turns a page into its result. */
export interface PageReader {
  /** Throws GalleyError by the engine's own rules; the signal's reason when aborted. */
  recognise(page: DocumentPage, options?: { readonly signal?: AbortSignal }): Promise<PageResult>;
}

export interface Recogniser extends PageReader {
  /**
   * Reads one page. A blank page is a success without blocks.
   * Throws GalleyError `engine_failed`, what `page.picture()` throws, or `engine_unavailable` when the text layer is asked for and there is none;
   * the signal's reason when aborted.
   */
  recognise(page: DocumentPage, options?: RecogniseOptions): Promise<PageResult>;
  close(): Promise<void>;
}

export interface RecogniserOptions {
  /** Where optimised models are kept between starts. */
  cacheDirectory?: string;
  /** Threads within one inference; 1 is right where several recognisers run side by side. */
  threads?: number;
  /** Which models; PP-OCRv4 when not given. */
  family?: ModelFamily;
}

interface Engine extends ReadingEngine {
  detection: Model;
  orientation: Model;
}

async function recogniseByModels(engine: Engine, picture: PagePicture, signal: AbortSignal | undefined): Promise<PageResult> {
  if (isBlank(picture)) return toPageResult(picture, [], 0, 'onnx');
  const found = (await detectLines(engine.detection, picture)).map(({ quad }) => quad);
  signal?.throwIfAborted();
  const direction = pageDirection(found);
  const aligned = found.map((quad) => alignQuad(quad, direction));
  const turned = await standsOnItsHead(engine, picture, aligned, signal);
  const quads = turned ? aligned.map((quad) => turnAround(quad)) : aligned;
  const upright = turned ? direction + 180 : direction;
  return toPageResult(picture, await readPieces(engine, picture, quads, signal), upright, 'onnx');
}

function recogniseByTextLayer(page: DocumentPage): PageResult {
  const layer = page.textLayer;
  if (layer === null) {
    throw new GalleyError('engine_unavailable', `Page ${page.page} has no text layer that could be read; use the engine onnx.`);
  }
  const pieces = layer.map(({ text, polygon, fontSize }): ReadPiece => ({ text, confidence: 1, quad: polygon, size: fontSize }));
  return toPageResult(page, pieces, commonDirection(pieces.map(({ quad }) => quad)), 'text-layer');
}

async function loadEngine(family: ModelFamily, threads: number, cacheDirectory: string | undefined): Promise<Engine> {
  const dictionary = await loadDictionary(family.dictionary);
  const [width, height] = family.orientationSize;
  const shared = { threads, cacheDirectory };
  return {
    family,
    dictionary,
    detection: await prepareModel(family.detection, { ...shared, probe: [1, 3, 96, 160] }),
    recognition: await prepareModel(family.recognition, {
      ...shared,
      probe: [1, 3, family.lineHeight, 320],
      headClasses: dictionary.length,
    }),
    orientation: await prepareModel(family.orientation, { ...shared, probe: [1, 3, height, width] }),
  };
}

/**
 * Loads the models of one recogniser; make one for each thread, it works on one page at a time.
 * Throws GalleyError `engine_failed` when the models cannot be loaded.
 */
export async function createRecogniser(options: RecogniserOptions = {}): Promise<Recogniser> {
  const family = options.family ?? ppOcrV4();
  let engine: Engine;
  try {
    engine = await loadEngine(family, options.threads ?? 1, options.cacheDirectory);
  } catch (error) {
    throw new GalleyError('engine_failed', `The models of ${family.name} cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
  return {
    async recognise(page, { signal, engine: wanted = 'auto' } = {}) {
      signal?.throwIfAborted();
      if (wanted === 'text-layer' || (wanted === 'auto' && page.textLayer !== null)) return recogniseByTextLayer(page);
      try {
        return await recogniseByModels(engine, await page.picture(), signal);
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason;
        if (error instanceof GalleyError) throw error;
        throw new GalleyError('engine_failed', `Page ${page.page} could not be recognised: ${messageOf(error)}`, { cause: error });
      }
    },
    async close() {
      await Promise.all([engine.detection.close(), engine.recognition.close(), engine.orientation.close()]);
    },
  };
}
