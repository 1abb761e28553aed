import type { DocumentPage, PagePicture } from '../picture.ts';

/** A page that is nothing but its picture. */
export function decodedPage(picture: PagePicture): DocumentPage {
  const { page, width, height, source } = picture;
  const give = (): Promise<PagePicture> => Promise.resolve(picture);
  return { page, width, height, source, textLayer: null, picture: give, preview: give };
}
