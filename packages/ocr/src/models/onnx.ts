import { decodeMessage, encodeMessage, type Field, integerField, integersOf, textField, textsOf } from './protobuf.ts';

/** A node of an ONNX graph; attributes are kept as they are written. */
export interface GraphNode {
  operator: string;
  name: string;
  inputs: string[];
  outputs: string[];
  attributes: Field[][];
}

/** A constant float tensor of the graph. */
export interface FloatTensor {
  dims: number[];
  values: Float32Array;
}

export interface Graph {
  nodes: GraphNode[];
  /** Constants by name: float ones decoded, others kept as bytes. */
  floats: Map<string, FloatTensor>;
  others: Map<string, Uint8Array>;
  outputs: Uint8Array[];
  /** All other fields of the graph and of the model around it. */
  rest: Field[];
  model: Field[];
}

const FLOAT = 1;
const MODEL_GRAPH = 7;

/** Field numbers of GraphProto, NodeProto and TensorProto. */
const GRAPH = { node: 1, initializer: 5, output: 12, valueInfo: 13 } as const;
const NODE = { input: 1, output: 2, name: 3, operator: 4, attribute: 5 } as const;
const TENSOR = { dims: 1, type: 2, floats: 4, name: 8, raw: 9 } as const;
const ATTRIBUTE = { name: 1, float: 2, integer: 3, tensor: 5, integers: 8, type: 20 } as const;

function decodeFloats(fields: readonly Field[]): Float32Array {
  const [raw] = fields.flatMap((field) => (field.number === TENSOR.raw && field.wire === 'bytes' ? [field.value] : []));
  if (raw !== undefined) return new Float32Array(new Uint8Array(raw).buffer);
  const chunks = fields.flatMap((field) =>
    field.number === TENSOR.floats && field.wire !== 'varint' ? [new Float32Array(new Uint8Array(field.value).buffer)] : [],
  );
  return Float32Array.from(chunks.flatMap((chunk) => [...chunk]));
}

/** A constant float tensor, or null when it holds another type. */
function decodeFloatTensor(fields: readonly Field[]): FloatTensor | null {
  const [type] = integersOf(fields, TENSOR.type);
  if (type !== FLOAT) return null;
  return { dims: integersOf(fields, TENSOR.dims), values: decodeFloats(fields) };
}

function encodeTensor(name: string, tensor: FloatTensor): Uint8Array {
  const raw = new Uint8Array(tensor.values.slice().buffer);
  return encodeMessage([
    ...tensor.dims.map((size) => integerField(TENSOR.dims, size)),
    integerField(TENSOR.type, FLOAT),
    textField(TENSOR.name, name),
    { number: TENSOR.raw, wire: 'bytes', value: raw },
  ]);
}

function decodeNode(bytes: Uint8Array): GraphNode {
  const fields = decodeMessage(bytes);
  return {
    operator: textsOf(fields, NODE.operator)[0] ?? '',
    name: textsOf(fields, NODE.name)[0] ?? '',
    inputs: textsOf(fields, NODE.input),
    outputs: textsOf(fields, NODE.output),
    attributes: fields.flatMap((field) => (field.number === NODE.attribute && field.wire === 'bytes' ? [decodeMessage(field.value)] : [])),
  };
}

function encodeNode(node: GraphNode): Uint8Array {
  return encodeMessage([
    ...node.inputs.map((name) => textField(NODE.input, name)),
    ...node.outputs.map((name) => textField(NODE.output, name)),
    textField(NODE.name, node.name),
    textField(NODE.operator, node.operator),
    ...node.attributes.map((attribute): Field => ({ number: NODE.attribute, wire: 'bytes', value: encodeMessage(attribute) })),
  ]);
}

function attributeNamed(node: GraphNode, name: string): Field[] | undefined {
  return node.attributes.find((fields) => textsOf(fields, ATTRIBUTE.name)[0] === name);
}

export function integerAttribute(node: GraphNode, name: string, fallback: number): number {
  return integersOf(attributeNamed(node, name) ?? [], ATTRIBUTE.integer)[0] ?? fallback;
}

export function integersAttribute(node: GraphNode, name: string): number[] {
  return integersOf(attributeNamed(node, name) ?? [], ATTRIBUTE.integers);
}

export function floatAttribute(node: GraphNode, name: string, fallback: number): number {
  const field = attributeNamed(node, name)?.find(({ number }) => number === ATTRIBUTE.float);
  if (field === undefined || field.wire !== 'fixed32') return fallback;
  return new DataView(field.value.buffer, field.value.byteOffset, 4).getFloat32(0, true);
}

export function makeFloatAttribute(name: string, value: number): Field[] {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return [textField(ATTRIBUTE.name, name), { number: ATTRIBUTE.float, wire: 'fixed32', value: bytes }, integerField(ATTRIBUTE.type, 1)];
}

export function makeIntegerAttribute(name: string, value: number): Field[] {
  return [textField(ATTRIBUTE.name, name), integerField(ATTRIBUTE.integer, value), integerField(ATTRIBUTE.type, 2)];
}

export function makeIntegersAttribute(name: string, values: readonly number[]): Field[] {
  return [
    textField(ATTRIBUTE.name, name),
    ...values.map((value) => integerField(ATTRIBUTE.integers, value)),
    integerField(ATTRIBUTE.type, 7),
  ];
}

/** Reads a model; float `Constant` nodes become constants of the graph. */
export function decodeModel(bytes: Uint8Array): Graph {
  const model = decodeMessage(bytes);
  const graphField = model.find(({ number }) => number === MODEL_GRAPH);
  if (graphField === undefined || graphField.wire !== 'bytes') throw new RangeError('the model holds no graph');
  const graph: Graph = { nodes: [], floats: new Map(), others: new Map(), outputs: [], rest: [], model };
  const addTensor = (name: string, value: Uint8Array): void => {
    const tensor = decodeFloatTensor(decodeMessage(value));
    if (tensor === null) graph.others.set(name, value);
    else graph.floats.set(name, tensor);
  };
  for (const field of decodeMessage(graphField.value)) {
    if (field.wire === 'bytes' && field.number === GRAPH.node) {
      const node = decodeNode(field.value);
      const tensor =
        node.operator === 'Constant' ? attributeNamed(node, 'value')?.find(({ number }) => number === ATTRIBUTE.tensor) : undefined;
      const floats = tensor?.wire === 'bytes' ? decodeFloatTensor(decodeMessage(tensor.value)) : null;
      if (floats === null) graph.nodes.push(node);
      else graph.floats.set(node.outputs[0] ?? '', floats);
    } else if (field.wire === 'bytes' && field.number === GRAPH.initializer) {
      addTensor(textsOf(decodeMessage(field.value), TENSOR.name)[0] ?? '', field.value);
    } else if (field.wire === 'bytes' && field.number === GRAPH.output) graph.outputs.push(field.value);
    // Stated shapes of values in between are dropped: rewritten nodes would contradict them, and they are inferred again.
    else if (field.number !== GRAPH.valueInfo) graph.rest.push(field);
  }
  return graph;
}

/** Writes the model again, constants that no node uses left out. */
export function encodeModel(graph: Graph): Uint8Array {
  const used = new Set(graph.nodes.flatMap(({ inputs }) => inputs));
  const fields: Field[] = [
    ...graph.nodes.map((node): Field => ({ number: GRAPH.node, wire: 'bytes', value: encodeNode(node) })),
    ...graph.rest,
    ...[...graph.floats]
      .filter(([name]) => used.has(name))
      .map(([name, tensor]): Field => ({ number: GRAPH.initializer, wire: 'bytes', value: encodeTensor(name, tensor) })),
    ...[...graph.others]
      .filter(([name]) => used.has(name))
      .map(([, value]): Field => ({ number: GRAPH.initializer, wire: 'bytes', value })),
    ...graph.outputs.map((value): Field => ({ number: GRAPH.output, wire: 'bytes', value })),
  ];
  const body = encodeMessage(fields);
  return encodeMessage(
    graph.model.map((field) => (field.number === MODEL_GRAPH ? { number: MODEL_GRAPH, wire: 'bytes', value: body } : field)),
  );
}
