/**
 * Whether an ONNX file keeps tensors in other files, which nobody has checked. The graph is walked as the protobuf
 * that it is (onnx.proto of ONNX 1.19): a search for the words would be fooled by another order of fields. ONNX Runtime
 * itself refuses absolute paths only, and reads the others from the working directory.
 */

/** The fields of each message through which a tensor can be reached, and what they hold. */
const REACHES = {
  model: { 7: 'graph', 20: 'training', 25: 'function' },
  training: { 1: 'graph', 2: 'graph' },
  function: { 7: 'node', 11: 'attribute' },
  graph: { 1: 'node', 5: 'tensor', 15: 'sparse' },
  node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph', 22: 'sparse', 23: 'sparse' },
  sparse: { 1: 'tensor', 2: 'tensor' },
  tensor: {},
} as const satisfies Record<string, Record<number, string>>;

type Message = keyof typeof REACHES;

/** Of a tensor: `external_data` and `data_location`, whose 0 is the default. */
const EXTERNAL_DATA = 13;
const DATA_LOCATION = 14;

const DAMAGED = 'it is no ONNX file, or a damaged one';

interface Part {
  message: Message;
  from: number;
  to: number;
}

/** Throws an Error for bytes that are no protobuf. */
export function keepsDataOutside(bytes: Uint8Array): boolean {
  const parts: Part[] = [{ message: 'model', from: 0, to: bytes.length }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { message, to } = part;
    const reader = new Reader(bytes, part.from, to);
    while (reader.at < to) {
      const tag = reader.varint();
      const field = Number(tag >> 3n);
      const { from, end, value } = reader.value(Number(tag & 7n));
      if (message === 'tensor' && (field === EXTERNAL_DATA || (field === DATA_LOCATION && value !== 0n)))
        return true;
      const inner = (REACHES[message] as Record<number, Message>)[field];
      if (inner !== undefined && value === undefined) parts.push({ message: inner, from, to: end });
    }
  }
  return false;
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #to: number;
  at: number;

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.#to = to;
    this.at = from;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.at >= this.#to) break;
      const byte = this.#bytes[this.at]!;
      this.at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new Error(DAMAGED);
  }

  /** Steps over a value. `value`: of a varint; otherwise the bytes from `from` to `end`. */
  value(wire: number): { from: number; end: number; value?: bigint } {
    if (wire === 0) return { value: this.varint(), from: this.at, end: this.at };
    const length = wire === 2 ? Number(this.varint()) : wire === 1 ? 8 : wire === 5 ? 4 : Number.NaN;
    const from = this.at;
    const end = from + length;
    if (!(end <= this.#to)) throw new Error(DAMAGED);
    this.at = end;
    return { from, end };
  }
}
