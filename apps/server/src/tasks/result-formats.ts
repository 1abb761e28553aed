import { GalleyError, type ResultFormat } from '@galley/contract';

/** What of the contract's formats is made here. */
export const AVAILABLE_FORMATS: readonly ResultFormat[] = ['json', 'markdown', 'text'];

const FILES: Readonly<Record<ResultFormat, { readonly extension: string; readonly mediaType: string }>> = {
  json: { extension: 'json', mediaType: 'application/json' },
  markdown: { extension: 'md', mediaType: 'text/markdown; charset=utf-8' },
  text: { extension: 'txt', mediaType: 'text/plain; charset=utf-8' },
  hocr: { extension: 'hocr.html', mediaType: 'text/html; charset=utf-8' },
  alto: { extension: 'alto.xml', mediaType: 'application/xml' },
  pdf: { extension: 'pdf', mediaType: 'application/pdf' },
};

/** How a file of the format ends, without the dot, and its media type. */
export function fileOf(format: ResultFormat): { readonly extension: string; readonly mediaType: string } {
  return FILES[format];
}

/** @throws GalleyError `not_implemented` */
export function requireFormat(format: ResultFormat): void {
  if (AVAILABLE_FORMATS.includes(format)) return;
  throw new GalleyError('not_implemented', `the format ${format} is not available yet; ${AVAILABLE_FORMATS.join(', ')} are`);
}
