/** Writes the few protobuf messages of which a small ONNX model consists, and changes real ones. Tests only. */
import { furtherFields, type GraphNode, graphIn, newNode, withGraph } from '../onnx-graph.ts';
import { fieldsOf, messageOfFields } from '../protobuf.ts';

function varint(n: number): Buffer {
  const bytes: number[] = [];
  for (let rest = n; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

/** A field that holds a number, or bytes (a string, a message). */
export function field(number: number, value: number | string | Uint8Array): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
  const bytes = Buffer.from(value as string);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

export const message = (...fields: Uint8Array[]): Buffer => Buffer.concat(fields);

/** A float vector: with its data inside, or in a file. */
export function tensor(where: { inside: number[] } | { file: string; reversed?: boolean }): Buffer {
  const size = 'inside' in where ? where.inside.length : 4;
  const head = message(field(1, size), field(2, 1), field(8, 'w'));
  if ('inside' in where)
    return message(head, field(9, new Uint8Array(Float32Array.from(where.inside).buffer)));
  const entry = [field(1, 'location'), field(2, where.file)];
  if (where.reversed) entry.reverse();
  return message(head, field(13, message(...entry)), field(14, 1));
}

const vector = (name: string): Buffer =>
  message(field(1, name), field(2, field(1, message(field(1, 1), field(2, field(1, field(1, 4)))))));

/** `y = x + w` over four numbers, with these further fields of the graph and of the model. */
export function sum(w: Uint8Array, graph: Uint8Array[] = [], model: Uint8Array[] = []): Buffer {
  const node = message(field(1, 'x'), field(1, 'w'), field(2, 'y'), field(4, 'Add'));
  const whole = [
    field(1, node),
    field(2, 'g'),
    field(5, w),
    field(11, vector('x')),
    field(12, vector('y')),
    ...graph,
  ];
  return message(
    field(1, 8),
    field(7, message(...whole)),
    field(8, message(field(1, ''), field(2, 17))),
    ...model,
  );
}

const FLOAT = 1;
const INT64 = 7;

function value(name: string, kind: number, dims: readonly (string | number)[]): Buffer {
  const shape = dims.map((dim) => field(1, typeof dim === 'number' ? field(1, dim) : field(2, dim)));
  return message(field(1, name), field(2, field(1, message(field(1, kind), field(2, message(...shape))))));
}

/** A node with its attributes, whole numbers or lists of them. */
function node(op: string, input: string, output: string, attributes: Record<string, number | number[]> = {}) {
  const given = Object.entries(attributes).map(([name, n]) =>
    field(
      5,
      typeof n === 'number'
        ? message(field(1, name), field(3, n), field(20, 2))
        : message(field(1, name), ...n.map((one) => field(8, one)), field(20, 7)),
    ),
  );
  return field(1, message(field(1, input), field(2, output), field(4, op), ...given));
}

function model(nodes: Buffer[], inputs: Buffer[], outputs: Buffer[]): Buffer {
  const graph = [
    ...nodes,
    field(2, 'g'),
    ...inputs.map((i) => field(11, i)),
    ...outputs.map((o) => field(12, o)),
  ];
  const opset = message(field(1, ''), field(2, 12));
  return message(field(1, 7), field(7, message(...graph)), field(8, opset));
}

/** A model of these nodes over floats; inputs and outputs by their dimensions. */
export function graph(
  nodes: readonly GraphNode[],
  given: { opset: number; inputs: Record<string, number[]>; outputs: Record<string, number[]> },
  further: readonly Buffer[] = [],
): Buffer {
  const values = (place: number, all: Record<string, number[]>): Buffer[] =>
    Object.entries(all).map(([name, dims]) => field(place, value(name, FLOAT, dims)));
  const parts = [
    ...nodes.map(({ bytes }) => field(1, bytes)),
    field(2, 'g'),
    ...values(11, given.inputs),
    ...values(12, given.outputs),
    ...further,
  ];
  const opset = message(field(1, ''), field(2, given.opset));
  return message(field(1, 8), field(7, message(...parts)), field(8, opset));
}

/**
 * A reader in halves that finds the largest id. Lower: `hidden` the ids, `early` the logarithm of the largest. Upper:
 * `relevance` the logarithm of their sum, `start` and `end` the ids again. `early`: another function in place of the logarithm.
 */
export function halves(early = 'Log'): { lower: Buffer; upper: Buffer } {
  const states = value('hidden', FLOAT, ['batch', 'sequence', 1]);
  const row = (name: string) => value(name, FLOAT, ['batch']);
  const tokens = (name: string) => value(name, FLOAT, ['batch', 'sequence']);
  return {
    lower: model(
      [
        node('Cast', 'input_ids', 'ids', { to: FLOAT }),
        node('Unsqueeze', 'ids', 'hidden', { axes: [2] }),
        node('ReduceMax', 'ids', 'largest', { axes: [1], keepdims: 0 }),
        node(early, 'largest', 'early'),
      ],
      [value('input_ids', INT64, ['batch', 'sequence'])],
      [states, row('early')],
    ),
    upper: model(
      [
        node('Squeeze', 'hidden', 'ids', { axes: [2] }),
        node('ReduceSum', 'ids', 'sum', { axes: [1], keepdims: 0 }),
        node('Log', 'sum', 'relevance'),
        node('Identity', 'ids', 'start'),
        node('Identity', 'ids', 'end'),
      ],
      [states],
      [row('relevance'), tokens('start'), tokens('end')],
    ),
  };
}

/** A message with its fields of this number changed. */
export function inside(
  wanted: number,
  change: (bytes: Uint8Array) => Uint8Array,
): (message: Uint8Array) => Uint8Array {
  return (bytes) =>
    messageOfFields(
      [...fieldsOf(bytes)].map((one) =>
        one.field === wanted ? { ...one, value: change(one.value as Uint8Array) } : one,
      ),
    );
}

/** The same model with its weights changed, each of which is given with its name. */
export function withWeights(
  model: Uint8Array,
  change: (name: string, tensor: Uint8Array) => Uint8Array,
): Uint8Array {
  const named = (tensor: Uint8Array): Uint8Array => {
    const name = [...fieldsOf(tensor)].find((one) => one.field === 8)!.value as Uint8Array;
    return change(Buffer.from(name).toString(), tensor);
  };
  return inside(7, inside(5, named))(model);
}

/** The same model with the weights of its first 8-bit product handed through another node, and that product's output. */
export function withComputedWeights(model: Uint8Array): { bytes: Uint8Array; output: string } {
  const { nodes, tensors } = graphIn(model);
  const at = nodes.findIndex(({ type }) => type === 'MatMulInteger');
  const product = nodes[at]!;
  const [values, weights, ...zeros] = product.inputs as [string, string, ...string[]];
  const copied = newNode('Identity', [weights], ['copied weights']);
  const inputs = [values, 'copied weights', ...zeros];
  const changed = newNode(product.type, inputs, product.outputs, furtherFields(product));
  const bytes = withGraph(model, { nodes: nodes.toSpliced(at, 1, copied, changed), tensors });
  return { bytes, output: product.outputs[0]! };
}
