import { outputNames } from './graph-view.ts';
import { type Graph, makeIntegerAttribute, makeIntegersAttribute } from './onnx.ts';
import { encodeMessage, integerField, textField } from './protobuf.ts';

export const HEAD_OUTPUTS = { classes: 'galley_classes', confidences: 'galley_confidences', spaces: 'galley_spaces' } as const;

const FLOAT = 1;
const INT64 = 7;

/** A ValueInfoProto: name and element type; the shape is left to be inferred. */
function valueInfo(name: string, elementType: number): Uint8Array {
  const tensorType = encodeMessage([integerField(1, elementType)]);
  const type = encodeMessage([{ number: 1, wire: 'bytes', value: tensorType }]);
  return encodeMessage([textField(1, name), { number: 2, wire: 'bytes', value: type }]);
}

/**
 * Lets the recogniser answer with the likeliest class of each step, its probability, and the probability of a space,
 * `[1, steps]` each, in place of all the thousands of probabilities of each step.
 */
export function appendRecognitionHead(graph: Graph, classCount: number): void {
  const [probabilities = ''] = outputNames(graph);
  const lastClass = makeIntegersAttribute('starts', [classCount - 1]);
  const reduce = [makeIntegersAttribute('axes', [2]), makeIntegerAttribute('keepdims', 0)];
  graph.nodes.push(
    {
      operator: 'ArgMax',
      name: HEAD_OUTPUTS.classes,
      inputs: [probabilities],
      outputs: [HEAD_OUTPUTS.classes],
      attributes: [makeIntegerAttribute('axis', 2), makeIntegerAttribute('keepdims', 0)],
    },
    {
      operator: 'ReduceMax',
      name: HEAD_OUTPUTS.confidences,
      inputs: [probabilities],
      outputs: [HEAD_OUTPUTS.confidences],
      attributes: reduce,
    },
    {
      operator: 'Slice',
      name: 'galley_space_column',
      inputs: [probabilities],
      outputs: ['galley_space_column'],
      attributes: [lastClass, makeIntegersAttribute('ends', [classCount]), makeIntegersAttribute('axes', [2])],
    },
    {
      operator: 'Squeeze',
      name: HEAD_OUTPUTS.spaces,
      inputs: ['galley_space_column'],
      outputs: [HEAD_OUTPUTS.spaces],
      attributes: [makeIntegersAttribute('axes', [2])],
    },
  );
  graph.outputs = [
    valueInfo(HEAD_OUTPUTS.classes, INT64),
    valueInfo(HEAD_OUTPUTS.confidences, FLOAT),
    valueInfo(HEAD_OUTPUTS.spaces, FLOAT),
  ];
}
