export { openDocument } from './decode/document.ts';
export { assembleDocument, failedPage } from './document-result.ts';
export { createRecogniser, type RecogniseOptions, type Recogniser, type RecogniserOptions } from './engine.ts';
export { blocksToMarkdown } from './export/markdown.ts';
export { encodePageImage, type PageImage } from './export/page-image.ts';
export { blocksToText, pageToText } from './export/text.ts';
export { DEFAULT_LIMITS, type DocumentLimits } from './limits.ts';
export type { PagePicture, ReadPageOptions, SourceDocument, TextLayerLine } from './picture.ts';
