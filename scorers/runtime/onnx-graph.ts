/** ONNX graphs as the protobuf that they are: nodes and tensors read, made and put back (onnx.proto of ONNX 1.19). */
import { type Field, fieldsOf, messageOfFields, packedNumbers } from './protobuf.ts';

/** Fields of ModelProto, GraphProto, NodeProto and TensorProto. */
const GRAPH = 7;
const OPSET = 8;
const NODE = 1;
const INITIALIZER = 5;
const OUTPUT = 12;
const NODE_FIELDS = { input: 1, output: 2, type: 4, attribute: 5 } as const;
const TENSOR_FIELDS = { dims: 1, type: 2, name: 8, raw: 9 } as const;

/** Types of tensors. */
export const TYPES = { float: 1n, uint8: 2n, int8: 3n, int32: 6n, int64: 7n } as const;

export interface GraphNode {
  type: string;
  inputs: string[];
  outputs: string[];
  /** As it stands in the file, attributes with it. */
  bytes: Uint8Array;
}

export interface GraphTensor {
  name: string;
  type: bigint;
  dims: number[];
  raw: Uint8Array;
  bytes: Uint8Array;
}

export interface Graph {
  nodes: GraphNode[];
  tensors: GraphTensor[];
  /** Names of what the graph gives. */
  outputs: string[];
  /** Version of the standard operators. */
  opset: number;
}

/** Throws an Error for bytes that are no ONNX file. */
export function graphIn(model: Uint8Array): Graph {
  const whole = [...fieldsOf(model)];
  const parts = [...fieldsOf(graphField(whole).value as Uint8Array)];
  const all = (wanted: number): Uint8Array[] =>
    parts.filter(({ field }) => field === wanted).map(({ value }) => value as Uint8Array);
  return {
    nodes: all(NODE).map(nodeOf),
    tensors: all(INITIALIZER).map(tensorOf),
    outputs: all(OUTPUT).map((value) => textIn([...fieldsOf(value)], 1)),
    opset: opsetOf(whole),
  };
}

/** The same file with these nodes and tensors in place of its own. */
export function withGraph(
  model: Uint8Array,
  { nodes, tensors }: Pick<Graph, 'nodes' | 'tensors'>,
): Uint8Array {
  const whole = [...fieldsOf(model)];
  const graph = graphField(whole);
  const rest = [...fieldsOf(graph.value as Uint8Array)].filter(
    ({ field }) => field !== NODE && field !== INITIALIZER,
  );
  const value = messageOfFields([
    ...nodes.map(({ bytes }) => message(NODE, bytes)),
    ...rest,
    ...tensors.map(({ bytes }) => message(INITIALIZER, bytes)),
  ]);
  return messageOfFields(whole.map((each) => (each === graph ? { ...graph, value } : each)));
}

function graphField(whole: readonly Field[]): Field {
  const graph = whole.find(({ field }) => field === GRAPH);
  if (graph === undefined || typeof graph.value === 'bigint') throw new Error('it has no graph');
  return graph;
}

/** Of the operators without a domain. */
function opsetOf(whole: readonly Field[]): number {
  for (const { field, value } of whole) {
    if (field !== OPSET || typeof value === 'bigint') continue;
    const fields = [...fieldsOf(value)];
    if (textIn(fields, 1) === '') return Number(fields.find((each) => each.field === 2)?.value ?? 1);
  }
  return 1;
}

/** A whole number that a node is given as an attribute; null where it has none of that name. */
export function attributeOf({ bytes }: GraphNode, name: string): number | null {
  for (const { field, value } of fieldsOf(bytes)) {
    if (field !== NODE_FIELDS.attribute || typeof value === 'bigint') continue;
    const parts = [...fieldsOf(value)];
    if (textIn(parts, 1) !== name) continue;
    const number = parts.find((each) => each.field === 3)?.value;
    return typeof number === 'bigint' ? Number(BigInt.asIntN(64, number)) : null;
  }
  return null;
}

function nodeOf(bytes: Uint8Array): GraphNode {
  const fields = [...fieldsOf(bytes)];
  const texts = (wanted: number): string[] =>
    fields.filter(({ field }) => field === wanted).map(({ value }) => utf8(value));
  const { input, output, type } = NODE_FIELDS;
  return { type: textIn(fields, type), inputs: texts(input), outputs: texts(output), bytes };
}

/** A node of these; `others`: its further fields. */
export function newNode(
  type: string,
  inputs: readonly string[],
  outputs: readonly string[],
  others: readonly Field[] = [],
): GraphNode {
  return nodeOf(
    messageOfFields([
      ...inputs.map((name) => text(NODE_FIELDS.input, name)),
      ...outputs.map((name) => text(NODE_FIELDS.output, name)),
      text(NODE_FIELDS.type, type),
      ...others,
    ]),
  );
}

function tensorOf(bytes: Uint8Array): GraphTensor {
  const fields = [...fieldsOf(bytes)];
  const of = (wanted: number): Field['value'][] =>
    fields.filter(({ field }) => field === wanted).map(({ value }) => value);
  const dims = of(TENSOR_FIELDS.dims)
    .flatMap((value) => (typeof value === 'bigint' ? [value] : packedNumbers(value)))
    .map(Number);
  const [type] = of(TENSOR_FIELDS.type);
  const [raw] = of(TENSOR_FIELDS.raw);
  return {
    name: textIn(fields, TENSOR_FIELDS.name),
    type: typeof type === 'bigint' ? type : 0n,
    dims,
    raw: raw === undefined || typeof raw === 'bigint' ? new Uint8Array() : raw,
    bytes,
  };
}

function textIn(fields: readonly Field[], wanted: number): string {
  const found = fields.find(({ field }) => field === wanted);
  return found === undefined ? '' : utf8(found.value);
}

function utf8(value: Field['value']): string {
  return typeof value === 'bigint' ? '' : Buffer.from(value).toString('utf8');
}

function text(field: number, value: string): Field {
  return message(field, Buffer.from(value));
}

function number(field: number, value: bigint): Field {
  return { field, wire: 0, value };
}

function message(field: number, value: Uint8Array): Field {
  return { field, wire: 2, value };
}

/** A tensor with its numbers inside, as they lie in memory. */
export function newTensor(name: string, type: bigint, dims: readonly number[], raw: Uint8Array): GraphTensor {
  return tensorOf(
    messageOfFields([
      ...dims.map((size) => number(TENSOR_FIELDS.dims, BigInt(size))),
      number(TENSOR_FIELDS.type, type),
      text(TENSOR_FIELDS.name, name),
      message(TENSOR_FIELDS.raw, raw),
    ]),
  );
}

/** Fields of a node that are neither its type nor what it takes and gives. */
export function furtherFields({ bytes }: GraphNode): Field[] {
  const { input, output, type } = NODE_FIELDS;
  return [...fieldsOf(bytes)].filter(({ field }) => field !== input && field !== output && field !== type);
}

/** A node's attribute of whole numbers. */
export function listAttribute(name: string, values: readonly number[]): Field {
  const fields = [
    text(1, name),
    ...values.map((value) => number(8, BigInt.asUintN(64, BigInt(value)))),
    number(20, 7n),
  ];
  return message(NODE_FIELDS.attribute, messageOfFields(fields));
}
