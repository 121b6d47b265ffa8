/**
 * Whether an ONNX file keeps tensors in other files, which nobody has checked. The graph is walked as the protobuf
 * that it is (onnx.proto of ONNX 1.19): a search for the words would be fooled by another order of fields. ONNX Runtime
 * itself refuses absolute paths only, and reads the others from the working directory.
 */
import { fieldsOf } from './protobuf.ts';

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

/** Throws an Error for bytes that are no protobuf. */
export function keepsDataOutside(bytes: Uint8Array): boolean {
  const parts: { message: Message; bytes: Uint8Array }[] = [{ message: 'model', bytes }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { message } = part;
    for (const { field, value } of fieldsOf(part.bytes)) {
      if (message === 'tensor' && (field === EXTERNAL_DATA || (field === DATA_LOCATION && value !== 0n)))
        return true;
      const inner = (REACHES[message] as Record<number, Message>)[field];
      if (inner !== undefined && typeof value !== 'bigint') parts.push({ message: inner, bytes: value });
    }
  }
  return false;
}
