import { perChannel, removeNode, scalarOf, splitConstant, viewGraph } from './graph-view.ts';
import {
  type FloatTensor,
  floatAttribute,
  type Graph,
  type GraphNode,
  integerAttribute,
  integersAttribute,
  makeFloatAttribute,
} from './onnx.ts';

/**
 * Rewrites of PP-OCR's graphs that leave the results as they are and save passes over memory, which are most of the cost
 * of such small networks on a CPU. ONNX Runtime does none of these itself.
 */

/** Multiplying by one. */
function dropUnitScales(graph: Graph): number {
  let dropped = 0;
  for (const node of graph.nodes.slice()) {
    const split = node.operator === 'Mul' ? splitConstant(graph, node) : null;
    if (split === null || scalarOf(split.constant) !== 1) continue;
    const output = node.outputs[0] ?? '';
    for (const user of graph.nodes) user.inputs = user.inputs.map((name) => (name === output ? split.other : name));
    removeNode(graph, node);
    dropped++;
  }
  return dropped;
}

function clipBounds(graph: Graph, node: GraphNode): readonly [number | null, number | null] {
  if (node.inputs.length === 1) return [floatAttribute(node, 'min', Number.NaN), floatAttribute(node, 'max', Number.NaN)];
  return [scalarOf(graph.floats.get(node.inputs[1] ?? '')), scalarOf(graph.floats.get(node.inputs[2] ?? ''))];
}

/** x · clip(x + 3, 0, 6) / 6 becomes x · HardSigmoid(x): two passes instead of four. */
function fuseHardSwish(graph: Graph): number {
  let fused = 0;
  for (const add of graph.nodes.slice()) {
    const split = add.operator === 'Add' ? splitConstant(graph, add) : null;
    if (split === null || scalarOf(split.constant) !== 3) continue;
    const view = viewGraph(graph);
    const clip = view.soleUser(add.outputs[0] ?? '');
    const multiply = clip?.operator === 'Clip' ? view.soleUser(clip.outputs[0] ?? '') : undefined;
    const divide = multiply?.operator === 'Mul' ? view.soleUser(multiply.outputs[0] ?? '') : undefined;
    if (clip === undefined || multiply === undefined || divide?.operator !== 'Div') continue;
    const [low, high] = clipBounds(graph, clip);
    const isSixth = divide.inputs[0] === multiply.outputs[0] && scalarOf(graph.floats.get(divide.inputs[1] ?? '')) === 6;
    if (low !== 0 || high !== 6 || !isSixth || !multiply.inputs.includes(split.other)) continue;
    clip.operator = 'HardSigmoid';
    clip.inputs = [split.other];
    clip.attributes = [makeFloatAttribute('alpha', 1 / 6), makeFloatAttribute('beta', 0.5)];
    multiply.outputs = divide.outputs;
    removeNode(graph, add);
    removeNode(graph, divide);
    fused++;
  }
  return fused;
}

interface Kernel {
  weights: FloatTensor;
  bias: Float32Array;
  channels: number;
  /** The output channel of a weight by its index. */
  channelOf: (index: number) => number;
}

/** The weights of a convolution as this node's own, with a bias; null where they are not constants of this node alone. */
function kernelOf(graph: Graph, node: GraphNode): Kernel | null {
  const weights = graph.floats.get(node.inputs[1] ?? '');
  if (weights === undefined || graph.nodes.filter(({ inputs }) => inputs.includes(node.inputs[1] ?? '')).length !== 1) return null;
  const [first = 0, second = 0, ...kernel] = weights.dims;
  const area = kernel.reduce((product, size) => product * size, 1);
  if (node.operator === 'ConvTranspose' && integerAttribute(node, 'group', 1) !== 1) return null;
  const channels = node.operator === 'Conv' ? first : second;
  const biasName = node.inputs[2];
  const bias = biasName === undefined ? new Float32Array(channels) : graph.floats.get(biasName)?.values;
  if (bias === undefined) return null;
  const channelOf =
    node.operator === 'Conv'
      ? (index: number) => Math.floor(index / (second * area))
      : (index: number) => Math.floor(index / area) % second;
  return { weights, bias, channels, channelOf };
}

function setKernel(graph: Graph, node: GraphNode, weights: FloatTensor, bias: Float32Array): void {
  const base = node.outputs[0] ?? '';
  const [weightName, biasName] = [`${base}.folded_weight`, `${base}.folded_bias`];
  graph.floats.set(weightName, weights);
  graph.floats.set(biasName, { dims: [bias.length], values: bias });
  node.inputs = [node.inputs[0] ?? '', weightName, biasName];
}

/** What a node does to each channel, as scale and shift; null when it does anything else. */
function affineOf(graph: Graph, node: GraphNode, channels: number): { scale: Float32Array; shift: Float32Array } | null {
  if (node.operator === 'BatchNormalization') {
    const [gamma, beta, mean, variance] = node.inputs.slice(1).map((name) => graph.floats.get(name)?.values);
    if (gamma === undefined || beta === undefined || mean === undefined || variance === undefined) return null;
    const epsilon = floatAttribute(node, 'epsilon', 1e-5);
    const scale = gamma.map((value, index) => value / Math.sqrt((variance[index] ?? 0) + epsilon));
    return { scale, shift: beta.map((value, index) => value - (mean[index] ?? 0) * (scale[index] ?? 0)) };
  }
  const split = splitConstant(graph, node);
  const values = split === null ? null : perChannel(split.constant, channels);
  if (values === null) return null;
  if (node.operator === 'Mul') return { scale: values, shift: new Float32Array(channels) };
  if (node.operator === 'Add') return { scale: new Float32Array(channels).fill(1), shift: values };
  return null;
}

/** Scales, shifts and batch normalisation behind a convolution go into its weights and bias. */
function foldBehindConvolutions(graph: Graph): number {
  let folded = 0;
  for (const convolution of graph.nodes.filter(({ operator }) => operator === 'Conv' || operator === 'ConvTranspose')) {
    for (;;) {
      const next = viewGraph(graph).soleUser(convolution.outputs[0] ?? '');
      const kernel = next === undefined ? null : kernelOf(graph, convolution);
      const affine = next === undefined || kernel === null ? null : affineOf(graph, next, kernel.channels);
      if (next === undefined || kernel === null || affine === null) break;
      const values = kernel.weights.values.map((value, index) => value * (affine.scale[kernel.channelOf(index)] ?? 1));
      const bias = kernel.bias.map((value, index) => value * (affine.scale[index] ?? 1) + (affine.shift[index] ?? 0));
      convolution.outputs = next.outputs;
      setKernel(graph, convolution, { dims: kernel.weights.dims, values }, bias);
      removeNode(graph, next);
      folded++;
    }
  }
  return folded;
}

/**
 * Makes a node add one value to every channel. As a batch normalisation, because ONNX Runtime keeps that in the blocked
 * layout of the convolutions around it, while adding a constant would take it out of that layout and back.
 */
function shiftChannels(graph: Graph, node: GraphNode, input: string, shift: number, channels: number): void {
  const epsilon = 1e-5;
  const constant = (part: string, value: number): string => {
    const name = `${node.outputs[0] ?? ''}.${part}`;
    graph.floats.set(name, { dims: [channels], values: new Float32Array(channels).fill(value) });
    return name;
  };
  node.operator = 'BatchNormalization';
  node.inputs = [input, constant('scale', 1), constant('shift', shift), constant('mean', 0), constant('variance', 1 - epsilon)];
  node.attributes = [makeFloatAttribute('epsilon', epsilon)];
}

/** Whether a convolution looks at single pixels, so that no padding mixes in. */
function isPointwise(node: GraphNode, weights: FloatTensor): boolean {
  return weights.dims.slice(2).every((size) => size === 1) && integersAttribute(node, 'pads').every((pad) => pad === 0);
}

/**
 * A scalar scale and shift before a convolution: the scale goes into the weights. The shift goes into the bias of a
 * pointwise one; elsewhere it must stay, divided by the scale, as the padding is not shifted.
 */
function foldBeforeConvolutions(graph: Graph): number {
  let folded = 0;
  for (const convolution of graph.nodes.filter(({ operator }) => operator === 'Conv')) {
    const view = viewGraph(graph);
    const add = view.producer(convolution.inputs[0] ?? '');
    const shiftPart = add?.operator === 'Add' && view.soleUser(add.outputs[0] ?? '') === convolution ? splitConstant(graph, add) : null;
    const multiply = shiftPart === null ? undefined : view.producer(shiftPart.other);
    const scalePart =
      multiply?.operator === 'Mul' && view.soleUser(multiply.outputs[0] ?? '') === add ? splitConstant(graph, multiply) : null;
    const kernel = kernelOf(graph, convolution);
    const [shift, scale] = [scalarOf(shiftPart?.constant), scalarOf(scalePart?.constant)];
    if (add === undefined || multiply === undefined || scalePart === null || kernel === null || shift === null || scale === null) continue;
    if (Math.abs(scale) < 1e-3) continue;
    const values = kernel.weights.values.map((value) => value * scale);
    let bias = kernel.bias;
    if (isPointwise(convolution, kernel.weights)) {
      const sums = new Float64Array(kernel.channels);
      kernel.weights.values.forEach((value, index) => {
        sums[kernel.channelOf(index)] = (sums[kernel.channelOf(index)] ?? 0) + value;
      });
      bias = kernel.bias.map((value, index) => value + shift * (sums[index] ?? 0));
      convolution.inputs[0] = scalePart.other;
      removeNode(graph, add);
    } else {
      shiftChannels(
        graph,
        add,
        scalePart.other,
        shift / scale,
        kernel.weights.dims[1] === 1 ? kernel.channels : (kernel.weights.dims[1] ?? 1),
      );
    }
    setKernel(graph, convolution, { dims: kernel.weights.dims, values }, bias);
    removeNode(graph, multiply);
    folded++;
  }
  return folded;
}

/** x + x · g, g one value a channel made by a small HardSigmoid, becomes x · (g + 1): one pass over the picture instead of two. */
function mergeGatedSums(graph: Graph): number {
  let merged = 0;
  for (const add of graph.nodes.filter(({ operator }) => operator === 'Add')) {
    const view = viewGraph(graph);
    const multiply = add.inputs.map((name) => view.producer(name)).find((node) => node?.operator === 'Mul');
    if (multiply === undefined || view.soleUser(multiply.outputs[0] ?? '') !== add) continue;
    const [picture] = add.inputs.filter((name) => name !== multiply.outputs[0]);
    const [gate] = multiply.inputs.filter((name) => name !== picture);
    if (picture === undefined || gate === undefined || !multiply.inputs.includes(picture)) continue;
    if (view.producer(gate)?.operator !== 'HardSigmoid' || view.soleUser(gate) !== multiply) continue;
    const name = `${gate}.plus_one`;
    graph.floats.set(`${name}.constant`, { dims: [], values: Float32Array.of(1) });
    const plusOne: GraphNode = { operator: 'Add', name, inputs: [gate, `${name}.constant`], outputs: [name], attributes: [] };
    graph.nodes.splice(graph.nodes.indexOf(multiply), 0, plusOne);
    multiply.inputs = [picture, name];
    multiply.outputs = add.outputs;
    removeNode(graph, add);
    merged++;
  }
  return merged;
}

export interface Rewrites {
  unitScales: number;
  hardSwish: number;
  behind: number;
  before: number;
  gates: number;
}

/** Rewrites the graph in place and says how often each rewrite applied. */
export function optimiseGraph(graph: Graph): Rewrites {
  return {
    unitScales: dropUnitScales(graph),
    behind: foldBehindConvolutions(graph),
    hardSwish: fuseHardSwish(graph),
    before: foldBeforeConvolutions(graph),
    gates: mergeGatedSums(graph),
  };
}
