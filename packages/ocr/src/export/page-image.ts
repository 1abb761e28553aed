import sharp from 'sharp';
import type { PagePicture } from '../picture.ts';

const LONGEST_SIDE = 2_200;
const QUALITY = 82;

export interface PageImage {
  bytes: Uint8Array;
  mediaType: 'image/webp' | 'image/jpeg';
  /** Pixels of the image, which may be smaller than the page. */
  width: number;
  height: number;
}

/** The page as the reader shows it: its long side at most 2,200 pixels. */
export async function encodePageImage(picture: PagePicture): Promise<PageImage> {
  const { width, height, pixels } = picture;
  const { data, info } = await sharp(pixels, { raw: { width, height, channels: 3 }, limitInputPixels: false })
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' })
    .toBuffer({ resolveWithObject: true });
  return { bytes: data, mediaType: 'image/jpeg', width: info.width, height: info.height };
}
