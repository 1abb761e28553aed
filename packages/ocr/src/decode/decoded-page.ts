import type { DocumentPage, PagePicture } from '../picture.ts';

/** A page that is nothing but its picture. */
export function decodedPage(picture: PagePicture): DocumentPage {
  const { page, width, height, source } = picture;
  return { page, width, height, source, textLayer: null, picture: () => Promise.resolve(picture) };
}
