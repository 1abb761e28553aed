import type { Model } from '../models/session.ts';
import { toLinePlanes } from '../recognise/recogniser.ts';
import { cropColumns, type LinePicture } from '../rectify/warp.ts';

/**
 * The probability (0-1) that a line stands on its head.
 * Only the line's head is shown, four times as wide as high: longer lines make the classifier turn upright pages.
 */
export async function turnedProbability(model: Model, line: LinePicture, size: readonly [width: number, height: number]): Promise<number> {
  const [width, height] = size;
  const head = line.width > width ? cropColumns(line, 0, width) : line;
  const outputs = await model.run(toLinePlanes(head, width), [1, 3, height, width]);
  const data = outputs[0]?.data;
  if (!(data instanceof Float32Array)) throw new Error('the orientation model gave no probabilities');
  return data[1] ?? 0;
}
