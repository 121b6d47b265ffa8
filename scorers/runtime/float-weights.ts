/**
 * A graph with weights in int8 as the same graph in float: each step of a weight times its scale, and activations that are
 * no longer quantised. On the CPU int8 is several times as fast; a GPU has no such kernels, or scores otherwise by them.
 * It knows what `quantise` of `scorers/training/pragtrain/export.py` writes, whose inverse it is but for the rounding.
 */
import {
  furtherFields,
  type Graph,
  type GraphNode,
  type GraphTensor,
  graphIn,
  newNode,
  newTensor,
  TYPES,
  withGraph,
} from './onnx-graph.ts';

const MATMUL = 'MatMulInteger';
const GATHER = 'Gather';
/** What only stands in a graph of int8. */
const QUANTISED = [MATMUL, 'DynamicQuantizeLinear', 'DequantizeLinear', 'QuantizeLinear', 'QLinearMatMul'];

/** Throws an Error for bytes that are no ONNX file, are in float already, or were made int8 in another way. */
export function inFloat(model: Uint8Array): Uint8Array {
  const graph = graphIn(model);
  if (!graph.nodes.some(({ type }) => QUANTISED.includes(type))) throw new Error('it is in float already');
  return withGraph(model, rewritten(graph));
}

function rewritten({ nodes, tensors, outputs }: Graph): Pick<Graph, 'nodes' | 'tensors'> {
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
  const added = new Map<string, GraphTensor>();
  const instead = (product: GraphNode, node: GraphNode, inputs: string[], type: string): void => {
    replaced.set(product, newNode(type, inputs, product.outputs, furtherFields(node)));
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
      if (!fits || second?.type !== TYPES.int8 || scale?.type !== TYPES.float) throw otherwise(node);
      added.set(second.name, floatOf(second, scale, 'columns'));
      instead(product, node, [quantiser.inputs[0]!, floatName(second)], 'MatMul');
    } else if (node.type === GATHER && first?.type === TYPES.int8) {
      const { product, scales } = productOf(node);
      const scale = weights.get(scales.inputs[0]!);
      if (scales.type !== GATHER || scale?.type !== TYPES.float || scales.inputs[1] !== node.inputs[1])
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
function floatOf(steps: GraphTensor, scale: GraphTensor, each: 'columns' | 'rows'): GraphTensor {
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
  return newTensor(floatName(steps), TYPES.float, steps.dims, new Uint8Array(values.buffer));
}

function floatName({ name }: GraphTensor): string {
  return `${name}.float`;
}

function otherwise({ type, outputs }: GraphNode): Error {
  return new Error(
    `${type} "${outputs[0]}" is part of no pattern of scorers/training: its weights were made int8 in another way`,
  );
}
