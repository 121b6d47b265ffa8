/**
 * What this processor makes of the sums in a model. Dynamic int8 multiplies unsigned activations by signed weights;
 * processors without VNNI add two such products in 16 bits, which 255 * 127 twice overruns, and cut off what is too much:
 * another sum, so another score. There the runtime can be told to take the weights as unsigned numbers, whose sums are
 * exact everywhere (ONNX Runtime's `session.x64quantprecision`). It would do so on every x86 processor, also where nothing
 * is cut off and it only costs time: so it is tried first. Products of floats are added without rounding in between
 * (FMA) since AVX2; on older processors other last digits come out, which int8 makes large again.
 */

import { arch } from 'node:process';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Arithmetic, Sums } from '../types.ts';
import { graphIn, newNode, newTensor, TYPES } from './onnx-graph.ts';
import { type Field, messageOfFields } from './protobuf.ts';
import { sessionOptions } from './session-options.ts';

/** `widened`: weights are taken as unsigned, because this processor cuts off sums of the others. */
export interface ProcessorSums {
  arithmetic: Arithmetic;
  widened: boolean;
}

type Create = (model: Uint8Array, widened: boolean) => Promise<Pick<InferenceSession, 'run' | 'release'>>;

const onCpu: Create = (model, widened) => InferenceSession.create(model, sessionOptions('cpu', widened));

/** Where each operator of 8-bit products takes its weights, of those that the runtime can take as unsigned. */
const WEIGHTS: Readonly<Record<string, number>> = {
  MatMulInteger: 1,
  MatMulIntegerToFloat: 1,
  DynamicQuantizeMatMul: 1,
  QLinearMatMul: 3,
  QLinearConv: 3,
  QGemm: 3,
  QAttention: 1,
};

/**
 * Outputs of the nodes of a model whose 8-bit sums cannot be made exact on processors that cut them off, because their
 * second factor is no weight but computed, and not known to be unsigned. Throws an Error for bytes that are no ONNX file.
 */
export function inexactNodes(model: Uint8Array): string[] {
  const { nodes, tensors } = graphIn(model);
  const types = new Map(tensors.map(({ name, type }) => [name, type]));
  // What is quantised while the model runs is unsigned.
  for (const { type, outputs } of nodes)
    if (type === 'DynamicQuantizeLinear') types.set(outputs[0]!, TYPES.uint8);
  return nodes
    .filter(({ type, inputs }) => {
      const weights = types.get(inputs[WEIGHTS[type] ?? -1] ?? '');
      return Object.hasOwn(WEIGHTS, type) && weights !== TYPES.int8 && weights !== TYPES.uint8;
    })
    .map(({ outputs }) => outputs[0]!);
}

/** The sums of these models: where a processor cuts off what is not widened, some of theirs are cut off still. */
export function sumsOver(models: readonly Uint8Array[], { arithmetic, widened }: ProcessorSums): Arithmetic {
  const cut = widened && models.some((model) => inexactNodes(model).length > 0);
  return cut ? (arithmetic.replace(/^\w+/, 'saturating') as Arithmetic) : arithmetic;
}

/** Rows, and what a kernel for whole blocks takes: fewer would go another way through the runtime. */
const ROWS = 4;
const INNER = 32;
const COLUMNS = 16;
const LARGEST = { unsigned: 255, signed: 127 } as const;
/** Its square is 1 + 2^-11 + 2^-24, the last of which a rounded product loses. */
const SQUARED = 1 + 2 ** -12;
const LOST = 2 ** -24;

/**
 * Finds out by sums that differ; takes milliseconds. `widen`: do so or not, whatever is found. Throws what the runtime
 * throws.
 */
export async function processorSums(widen?: boolean, create: Create = onCpu): Promise<ProcessorSums> {
  const plain = await sumsOf(create, widen ?? false);
  const widened = widen ?? plain === 'saturating';
  const sums = widened && widen === undefined ? await sumsOf(create, true) : plain;
  return { arithmetic: arch === 'x64' ? sums : `${sums} ${arch}`, widened };
}

async function sumsOf(create: Create, widened: boolean): Promise<Sums> {
  const session = await create(PROBE, widened);
  try {
    // One row goes through kernels of its own.
    for (const rows of [1, ROWS]) {
      const a = new Tensor('uint8', new Uint8Array(rows * INNER).fill(LARGEST.unsigned), [rows, INNER]);
      const { whole } = await session.run({ a, x: squares(1) }, ['whole']);
      const sum = INNER * LARGEST.unsigned * LARGEST.signed;
      if (!(whole!.data as Int32Array).every((value) => value === sum)) return 'saturating';
    }
    const none = new Tensor('uint8', new Uint8Array(INNER), [1, INNER]);
    const { part } = await session.run({ a: none, x: squares(ROWS) }, ['part']);
    return (part!.data as Float32Array).every((value) => value === LOST) ? 'exact' : 'unfused';
  } finally {
    await session.release();
  }
}

/** Rows that the weights of floats multiply to what a rounded product loses. */
function squares(rows: number): Tensor {
  const row = [-(1 + 2 ** -11), SQUARED];
  return new Tensor('float32', Float32Array.from(Array.from({ length: rows }, () => row).flat()), [rows, 2]);
}

/** The oldest operators that have what is wanted. */
const OPSET = 10n;
const IR_VERSION = 5n;

/** `whole`: the largest unsigned numbers times the largest signed weights; `part`: of floats. */
const PROBE = (() => {
  const signed = new Uint8Array(INNER * COLUMNS).fill(LARGEST.signed);
  const floats = Float32Array.from({ length: 2 * COLUMNS }, (_, i) => (i < COLUMNS ? 1 : SQUARED));
  const graph = [
    bytes(1, newNode('MatMulInteger', ['a', 'b'], ['whole']).bytes),
    bytes(1, newNode('MatMul', ['x', 'y'], ['part']).bytes),
    text(2, 'sums'),
    bytes(5, newTensor('b', TYPES.int8, [INNER, COLUMNS], signed).bytes),
    bytes(5, newTensor('y', TYPES.float, [2, COLUMNS], new Uint8Array(floats.buffer)).bytes),
    message(11, value('a', TYPES.uint8, INNER)),
    message(11, value('x', TYPES.float, 2)),
    message(12, value('whole', TYPES.int32, COLUMNS)),
    message(12, value('part', TYPES.float, COLUMNS)),
  ];
  return messageOfFields([number(1, IR_VERSION), message(7, graph), message(8, [number(2, OPSET)])]);
})();

/** ValueInfoProto of any number of rows. */
function value(name: string, type: bigint, columns: number): Field[] {
  const shape = [message(1, [text(2, `rows of ${name}`)]), message(1, [number(1, BigInt(columns))])];
  return [text(1, name), message(2, [message(1, [number(1, type), message(2, shape)])])];
}

function number(field: number, value: bigint): Field {
  return { field, wire: 0, value };
}

function bytes(field: number, value: Uint8Array): Field {
  return { field, wire: 2, value };
}

function text(field: number, value: string): Field {
  return bytes(field, Buffer.from(value));
}

function message(field: number, fields: readonly Field[]): Field {
  return bytes(field, messageOfFields(fields));
}
