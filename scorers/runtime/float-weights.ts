/**
 * A graph with weights in int8 as the same graph in float: each step of a weight times its scale, and activations that are
 * no longer quantised. On the CPU int8 is several times as fast; a GPU has no such kernels, or scores otherwise by them.
 * It knows what `quantise` of `scorers/training/pragtrain/export.py` writes, whose inverse it is but for the rounding.
 */
import { type Field, fieldsOf, messageOfFields, packedNumbers } from './protobuf.ts';

/** Fields of ModelProto, GraphProto, NodeProto and TensorProto (onnx.proto of ONNX 1.19), and types of tensors. */
const GRAPH = 7;
const NODE = 1;
const INITIALIZER = 5;
const OUTPUT = 12;
const NODE_FIELDS = { input: 1, output: 2, type: 4 } as const;
const TENSOR_FIELDS = { dims: 1, type: 2, name: 8, raw: 9 } as const;
const FLOAT = 1n;
const INT8 = 3n;
const MATMUL = 'MatMulInteger';
const GATHER = 'Gather';
/** What only stands in a graph of int8. */
const QUANTISED = [MATMUL, 'DynamicQuantizeLinear', 'DequantizeLinear', 'QuantizeLinear', 'QLinearMatMul'];

interface GraphNode {
  type: string;
  inputs: string[];
  outputs: string[];
  fields: Field[];
}

interface Tensor {
  name: string;
  type: bigint;
  dims: number[];
  raw: Uint8Array;
  fields: Field[];
}

/** Throws an Error for bytes that are no ONNX file, are in float already, or were made int8 in another way. */
export function inFloat(model: Uint8Array): Uint8Array {
  const whole = [...fieldsOf(model)];
  const graph = whole.find(({ field }) => field === GRAPH);
  if (graph === undefined || typeof graph.value === 'bigint') throw new Error('it has no graph');
  const parts = [...fieldsOf(graph.value)];
  const nodes = parts.filter(({ field }) => field === NODE).map(({ value }) => nodeOf(value as Uint8Array));
  const tensors = parts
    .filter(({ field }) => field === INITIALIZER)
    .map(({ value }) => tensorOf(value as Uint8Array));
  if (!nodes.some(({ type }) => QUANTISED.includes(type))) throw new Error('it is in float already');

  const outputs = parts
    .filter(({ field }) => field === OUTPUT)
    .map(({ value }) => textIn([...fieldsOf(value as Uint8Array)], 1));
  const made = rewritten(nodes, tensors, outputs);
  const rest = parts.filter(({ field }) => field !== NODE && field !== INITIALIZER);
  const value = messageOfFields([
    ...made.nodes.map(({ fields }) => nested(NODE, fields)),
    ...rest,
    ...made.tensors.map(({ fields }) => nested(INITIALIZER, fields)),
  ]);
  return messageOfFields(whole.map((each) => (each === graph ? { ...graph, value } : each)));
}

function rewritten(
  nodes: readonly GraphNode[],
  tensors: readonly Tensor[],
  outputs: readonly string[],
): { nodes: GraphNode[]; tensors: Tensor[] } {
  const weights = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const maker = new Map(nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const)));
  /** The product that a whole number becomes part of: of its cast and of `scales`. */
  const productOf = (node: GraphNode): { product: GraphNode; scales: GraphNode } => {
    const after = (output: string, type: string): GraphNode => {
      const takers = nodes.filter(({ inputs }) => inputs.includes(output));
      if (takers.length !== 1 || takers[0]!.type !== type) throw otherwise(node);
      return takers[0]!;
    };
    const cast = after(node.outputs[0]!, 'Cast');
    const product = after(cast.outputs[0]!, 'Mul');
    const scales = maker.get(product.inputs.find((input) => input !== cast.outputs[0])!);
    if (scales === undefined) throw otherwise(node);
    return { product, scales };
  };

  const replaced = new Map<GraphNode, GraphNode>();
  const added = new Map<string, Tensor>();
  const instead = (product: GraphNode, node: GraphNode, inputs: string[], type: string): void => {
    const others = node.fields.filter(({ field }) => !Object.values<number>(NODE_FIELDS).includes(field));
    replaced.set(product, newNode(type, inputs, product.outputs, others));
  };
  for (const node of nodes) {
    const [first, second] = node.inputs.map((input) => weights.get(input));
    if (node.type === MATMUL) {
      const { product, scales } = productOf(node);
      const quantiser = maker.get(node.inputs[0]!);
      const zero = weights.get(node.inputs[3]!);
      const scale = scales.inputs.map((input) => weights.get(input)).find((one) => one !== undefined);
      const fits =
        quantiser?.type === 'DynamicQuantizeLinear' &&
        scales.type === 'Mul' &&
        scales.inputs.includes(quantiser.outputs[1]!) &&
        // Without raw_data they stand elsewhere and need not be zero.
        zero !== undefined &&
        zero.raw.length > 0 &&
        zero.raw.every((byte) => byte === 0);
      if (!fits || second?.type !== INT8 || scale?.type !== FLOAT) throw otherwise(node);
      added.set(second.name, floatOf(second, scale, 'columns'));
      instead(product, node, [quantiser.inputs[0]!, floatName(second)], 'MatMul');
    } else if (node.type === GATHER && first?.type === INT8) {
      const { product, scales } = productOf(node);
      const scale = weights.get(scales.inputs[0]!);
      if (scales.type !== GATHER || scale?.type !== FLOAT || scales.inputs[1] !== node.inputs[1])
        throw otherwise(node);
      added.set(first.name, floatOf(first, scale, 'rows'));
      instead(product, node, [floatName(first), node.inputs[1]!], GATHER);
    }
  }

  const kept = reaching(
    outputs,
    nodes.map((node) => replaced.get(node) ?? node),
  );
  const left = kept.find(({ type }) => QUANTISED.includes(type));
  if (left !== undefined) throw otherwise(left);
  const used = new Set(kept.flatMap(({ inputs }) => inputs));
  return { nodes: kept, tensors: [...tensors, ...added.values()].filter(({ name }) => used.has(name)) };
}

/** The nodes without which an output would not come about, in their order. */
function reaching(outputs: readonly string[], nodes: readonly GraphNode[]): GraphNode[] {
  const wanted = new Set(outputs);
  return [...nodes]
    .reverse()
    .filter((node) => {
      const isWanted = node.outputs.some((output) => wanted.has(output));
      if (isWanted) for (const input of node.inputs) wanted.add(input);
      return isWanted;
    })
    .reverse();
}

/** Steps times their scales, one of which is that of a column or of a row. */
function floatOf(steps: Tensor, scale: Tensor, each: 'columns' | 'rows'): Tensor {
  const [rows, columns] = steps.dims as [number, number];
  const step = new Int8Array(steps.raw.buffer, steps.raw.byteOffset, steps.raw.length);
  // A copy, because floats must stand at a multiple of four.
  const scales = new Float32Array(new Uint8Array(scale.raw).buffer);
  const isFit = step.length === rows * columns && scales.length === (each === 'columns' ? columns : rows);
  if (steps.dims.length !== 2 || !isFit)
    throw new Error(`the scales of ${steps.name} are not those of its ${each}`);
  const values = new Float32Array(step.length);
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, at += 1)
      values[at] = step[at]! * scales[each === 'columns' ? column : row]!;
  }
  return tensorOf(
    messageOfFields([
      ...steps.dims.map((size) => number(TENSOR_FIELDS.dims, BigInt(size))),
      number(TENSOR_FIELDS.type, FLOAT),
      text(TENSOR_FIELDS.name, floatName(steps)),
      { field: TENSOR_FIELDS.raw, wire: 2, value: new Uint8Array(values.buffer) },
    ]),
  );
}

function floatName({ name }: Tensor): string {
  return `${name}.float`;
}

function otherwise({ type, outputs }: GraphNode): Error {
  return new Error(
    `${type} "${outputs[0]}" is part of no pattern of scorers/training: its weights were made int8 in another way`,
  );
}

function nodeOf(bytes: Uint8Array): GraphNode {
  const fields = [...fieldsOf(bytes)];
  const texts = (wanted: number): string[] =>
    fields.filter(({ field }) => field === wanted).map(({ value }) => utf8(value));
  const { input, output, type } = NODE_FIELDS;
  return { type: textIn(fields, type), inputs: texts(input), outputs: texts(output), fields };
}

function newNode(
  type: string,
  inputs: readonly string[],
  outputs: readonly string[],
  others: readonly Field[],
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

function tensorOf(bytes: Uint8Array): Tensor {
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
    fields,
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
  return { field, wire: 2, value: Buffer.from(value) };
}

function number(field: number, value: bigint): Field {
  return { field, wire: 0, value };
}

function nested(field: number, fields: readonly Field[]): Field {
  return { field, wire: 2, value: messageOfFields(fields) };
}
