/**
 * Softmax written out. ONNX Runtime's own kernel sums 8 or 16 exponentials at a time, as the processor is wide, and so to
 * another last digit; where activations are quantised after it, one digit in a million moves a step of 1/255, and that
 * whole logits. Written out, the sums are taken in one order everywhere, and every other kernel in these models gives the
 * same bits on all processors with AVX2 and FMA (`pragaura bench arithmetic`). It costs a twentieth of the time.
 */
import {
  attributeOf,
  type Graph,
  type GraphNode,
  graphIn,
  listAttribute,
  newNode,
  newTensor,
  TYPES,
  withGraph,
} from './onnx-graph.ts';

/** Before it the operator was about all axes from one on; and sums had their axes as attributes. */
const SINCE = 13;
/** Since then the largest of an axis is told its axis as an input too. */
const AXES_AS_INPUT = 18;
const LAST = 'last axis of a softmax';

/**
 * The same model with each softmax over the last axis written out; what stands in it otherwise stays. The product that
 * the shares go into is divided by their sum, rather than each share: fewer divisions. Throws an Error for bytes that are
 * no ONNX file.
 */
export function softmaxWrittenOut(model: Uint8Array): Uint8Array {
  const graph = graphIn(model);
  const takers = new Map<string, GraphNode[]>();
  for (const node of graph.nodes)
    for (const name of node.inputs) takers.set(name, [...(takers.get(name) ?? []), node]);
  /** Products to be divided, by the sum of the shares that they are made of. */
  const divided = new Map<GraphNode, string>();
  const nodes = graph.nodes.flatMap((node) => {
    const sum = divided.get(node);
    if (sum !== undefined) return dividedAfter(node, sum);
    if (!isWrittenOut(node, graph)) return node;
    const [shares] = node.outputs as [string];
    const [product, ...others] = takers.get(shares) ?? [];
    const late =
      others.length === 0 &&
      product?.type === 'MatMul' &&
      product.inputs[0] === shares &&
      product.inputs[1] !== shares &&
      !graph.outputs.includes(shares);
    if (late) divided.set(product, `${shares}.sum`);
    return [
      ...exponentials(node, graph.opset),
      ...(late ? [] : [newNode('Div', [`${shares}.exp`, `${shares}.sum`], [shares])]),
    ];
  });
  if (nodes.length === graph.nodes.length) return model;
  const last = newTensor(LAST, TYPES.int64, [1], new Uint8Array(BigInt64Array.of(-1n).buffer));
  return withGraph(model, { nodes, tensors: [...graph.tensors, last] });
}

function isWrittenOut(node: GraphNode, { opset }: Graph): boolean {
  return node.type === 'Softmax' && opset >= SINCE && (attributeOf(node, 'axis') ?? -1) === -1;
}

/** `exp` of what the softmax is given, less the largest so that nothing overflows, and `sum` of these. */
function exponentials({ inputs, outputs }: GraphNode, opset: number): GraphNode[] {
  const [given] = inputs as [string];
  const [shares] = outputs as [string];
  const of = (part: string): string => `${shares}.${part}`;
  const largest =
    opset >= AXES_AS_INPUT
      ? newNode('ReduceMax', [given, LAST], [of('max')])
      : newNode('ReduceMax', [given], [of('max')], [listAttribute('axes', [-1])]);
  return [
    largest,
    newNode('Sub', [given, of('max')], [of('less')]),
    newNode('Exp', [of('less')], [of('exp')]),
    newNode('ReduceSum', [of('exp'), LAST], [of('sum')]),
  ];
}

/** The product over exponentials in place of shares, then over their sum. */
function dividedAfter(product: GraphNode, sum: string): GraphNode[] {
  const [shares, values] = product.inputs as [string, string];
  const [output] = product.outputs as [string];
  return [
    newNode('MatMul', [`${shares}.exp`, values], [`${output}.whole`]),
    newNode('Div', [`${output}.whole`, sum], [output]),
  ];
}
