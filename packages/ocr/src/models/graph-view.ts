import type { FloatTensor, Graph, GraphNode } from './onnx.ts';
import { decodeMessage, textsOf } from './protobuf.ts';

/** Who makes and who uses each value of a graph; built anew after each change, which is cheap at a few hundred nodes. */
export interface GraphView {
  producer(name: string): GraphNode | undefined;
  /** The one node that uses the value, when it is one node once and the value is no output of the graph. */
  soleUser(name: string): GraphNode | undefined;
}

const OUTPUT_NAME = 1;

export function outputNames(graph: Graph): string[] {
  return graph.outputs.map((bytes) => textsOf(decodeMessage(bytes), OUTPUT_NAME)[0] ?? '');
}

export function viewGraph(graph: Graph): GraphView {
  const producers = new Map<string, GraphNode>();
  const users = new Map<string, GraphNode[]>();
  for (const node of graph.nodes) {
    for (const name of node.outputs) producers.set(name, node);
    for (const name of node.inputs) users.set(name, [...(users.get(name) ?? []), node]);
  }
  const outputs = new Set(outputNames(graph));
  return {
    producer: (name) => producers.get(name),
    soleUser: (name) => {
      const found = users.get(name) ?? [];
      return found.length === 1 && !outputs.has(name) ? found[0] : undefined;
    },
  };
}

/** A node's constant input and its other input, or null when it has not exactly one constant. */
export function splitConstant(graph: Graph, node: GraphNode): { constant: FloatTensor; other: string; constantName: string } | null {
  const [first = '', second = ''] = node.inputs;
  const [a, b] = [graph.floats.get(first), graph.floats.get(second)];
  if (node.inputs.length !== 2 || (a === undefined) === (b === undefined)) return null;
  if (a !== undefined) return { constant: a, other: second, constantName: first };
  return b === undefined ? null : { constant: b, other: first, constantName: second };
}

/** The value of a constant of one element. */
export function scalarOf(tensor: FloatTensor | undefined): number | null {
  return tensor?.values.length === 1 ? (tensor.values[0] ?? null) : null;
}

/** A constant as one value for each of `channels` (shape scalar, [1,C,1,1] or [C,1,1]), or null. */
export function perChannel(tensor: FloatTensor, channels: number): Float32Array | null {
  if (tensor.values.length === 1) return new Float32Array(channels).fill(tensor.values[0] ?? 0);
  const { dims } = tensor;
  const channelAt = dims.length === 4 ? 1 : dims.length === 3 ? 0 : -1;
  return tensor.values.length === channels && dims[channelAt] === channels ? tensor.values : null;
}

export function removeNode(graph: Graph, node: GraphNode): void {
  graph.nodes.splice(graph.nodes.indexOf(node), 1);
}
