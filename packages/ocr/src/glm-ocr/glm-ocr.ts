import { GalleyError, type PageResult } from '@galley/contract';
import sharp from 'sharp';
import { inkShare, isBlank } from '../detect/blank.ts';
import type { PageReader } from '../engine.ts';
import { readFromPicture } from '../page-result.ts';
import type { PageFacts, PagePicture } from '../picture.ts';
import { toBlocks } from './blocks.ts';
import { chatRequest, type GlmOcrTask, readChatAnswer } from './chat.ts';
import { type LayoutRegion, parseRequest, readParseAnswer } from './parse-service.ts';
import { type PostOptions, postJson } from './post-json.ts';
import { findRepetition } from './repetition.ts';

export const GLM_OCR_PROTOCOLS = ['chat', 'parse'] as const;
export type GlmOcrProtocol = (typeof GLM_OCR_PROTOCOLS)[number];

export const GLM_OCR_DEFAULTS = { protocol: 'chat', model: 'glm-ocr', task: 'text', timeoutMs: 120_000 } as const;

export interface GlmOcrOptions {
  /** Of the server; the protocol's own path is added where it does not end with it. */
  readonly address: string;
  readonly protocol?: GlmOcrProtocol;
  /** Sent as a bearer token. */
  readonly key?: string | undefined;
  /** Of `chat`. */
  readonly model?: string;
  /** Of `chat`: what the model is asked for. */
  readonly task?: GlmOcrTask;
  /** Milliseconds that the server may take for one page. */
  readonly timeoutMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const LONGEST_SIDE = 3_500;
const QUALITY = 92;
/** With more than this share of a page inked, an answer without any text has lost some. */
const LEAST_INK = 0.0005;

/** Where a protocol is served below an address: `/v1` and the whole path are taken as they stand. */
export function endpointOf(address: string, protocol: GlmOcrProtocol): URL {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, '');
  const whole = protocol === 'chat' ? '/v1/chat/completions' : '/glmocr/parse';
  const begun = protocol === 'chat' && path.endsWith('/v1');
  url.pathname = path.endsWith(whole) ? path : begun ? `${path}/chat/completions` : `${path}${whole}`;
  return url;
}

async function dataUriOf({ width, height, pixels }: PagePicture): Promise<string> {
  const bytes = await sharp(pixels, { raw: { width, height, channels: 3 }, limitInputPixels: false })
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' })
    .toBuffer();
  return `data:image/jpeg;base64,${bytes.toString('base64')}`;
}

interface Answer {
  readonly regions: readonly LayoutRegion[];
  readonly cut: boolean;
}

function ask(image: string, options: GlmOcrOptions, post: PostOptions): Promise<Answer> {
  const { protocol, model, task } = { ...GLM_OCR_DEFAULTS, ...options };
  const address = endpointOf(options.address, protocol);
  if (protocol === 'parse') {
    return postJson(address, parseRequest(image), post).then((body) => ({ regions: readParseAnswer(body), cut: false }));
  }
  return postJson(address, chatRequest(image, model, task), post).then((body) => {
    const { text, cut } = readChatAnswer(body);
    return { regions: [{ type: null, content: text, box: null }], cut };
  });
}

/** Loops are cut after their first round and said; so is a text that the limit of tokens ended. */
function mend({ regions, cut }: Answer, page: number): { regions: LayoutRegion[]; warnings: string[] } {
  const warnings: string[] = [];
  const mended = regions.map((region) => {
    const repetition = findRepetition(region.content);
    if (repetition === null) return region;
    const said = repetition.unit.trim().slice(0, 40);
    warnings.push(
      `The model repeated "${said}" ${repetition.times} times on page ${page}; the repetition was cut, and text after it may be missing.`,
    );
    return { ...region, content: repetition.kept };
  });
  if (cut && warnings.length === 0)
    warnings.push(`The model reached its limit of tokens on page ${page}; the end of the page may be missing.`);
  return { regions: mended, warnings };
}

function toResult(facts: PageFacts, regions: readonly LayoutRegion[], warnings: readonly string[]): PageResult {
  const { page, width, height, source } = facts;
  return {
    page,
    width,
    height,
    angle: 0,
    source: readFromPicture(source),
    engine: 'glm-ocr',
    ...toBlocks(regions, width, height),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  };
}

/**
 * Reads pages by a served GLM-OCR model. A blank page is a success without blocks and asks nobody; one that is almost blank and of which
 * the model says nothing is a success with a warning.
 *
 * `recognise` throws GalleyError `upstream_failed` (away, too slow, 5xx, an answer that cannot be read or has no text although the page
 * has print), `upstream_rate_limited` (429, with its Retry-After), `upstream_rejected` (other statuses), what `page.picture()` throws;
 * the signal's reason when aborted, and then the request has been given up.
 */
export function createGlmOcr(options: GlmOcrOptions): PageReader {
  const { timeoutMs, key, now } = { ...GLM_OCR_DEFAULTS, now: Date.now, ...options };
  return {
    async recognise(page, { signal } = {}) {
      signal?.throwIfAborted();
      const picture = await page.picture();
      if (isBlank(picture)) return toResult(page, [], []);
      const image = await dataUriOf(picture);
      const { regions, warnings } = mend(await ask(image, options, { key, timeoutMs, signal, now }), page.page);
      const result = toResult(page, regions, warnings);
      if (result.blocks.length > 0) return result;
      const nothing = `The model found no text on page ${page.page}, though the page is not blank.`;
      if (inkShare(picture) > LEAST_INK) throw new GalleyError('upstream_failed', nothing);
      return { ...result, warnings: [...warnings, nothing] };
    },
  };
}
