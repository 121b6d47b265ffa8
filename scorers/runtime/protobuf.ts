/** Protobuf as it stands on the wire, without a schema: fields in their order, those that nobody here knows among them. */

const DAMAGED = 'it is no ONNX file, or a damaged one';

/** `value`: a varint's; otherwise the bytes of it, which are those of the message that was read, not copied. */
export interface Field {
  field: number;
  wire: number;
  value: bigint | Uint8Array;
}

/** Fields of a message. Throws an Error for bytes that are no protobuf. */
export function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  const place = { at: 0 };
  while (place.at < bytes.length) {
    const tag = varint(bytes, place);
    // Other readers keep 32 bits and would see another field.
    if (tag > 0xffff_ffffn) throw new Error(DAMAGED);
    const [field, wire] = [Number(tag >> 3n), Number(tag & 7n)];
    if (wire === 0) {
      yield { field, wire, value: varint(bytes, place) };
      continue;
    }
    const length = wire === 2 ? Number(varint(bytes, place)) : wire === 1 ? 8 : wire === 5 ? 4 : Number.NaN;
    const from = place.at;
    if (!(from + length <= bytes.length)) throw new Error(DAMAGED);
    place.at += length;
    yield { field, wire, value: bytes.subarray(from, place.at) };
  }
}

/** Whole numbers of a field that stand together, without a tag each. Throws as `fieldsOf`. */
export function packedNumbers(bytes: Uint8Array): bigint[] {
  const found: bigint[] = [];
  for (const place = { at: 0 }; place.at < bytes.length; ) found.push(varint(bytes, place));
  return found;
}

/** A message of these fields; the inverse of `fieldsOf`. */
export function messageOfFields(fields: readonly Field[]): Uint8Array {
  const parts = fields.flatMap(({ field, wire, value }) => {
    const tag = varintOf((BigInt(field) << 3n) | BigInt(wire));
    if (typeof value === 'bigint') return [tag, varintOf(value)];
    return wire === 2 ? [tag, varintOf(BigInt(value.length)), value] : [tag, value];
  });
  return Buffer.concat(parts);
}

function varintOf(value: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Uint8Array.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}

function varint(bytes: Uint8Array, place: { at: number }): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n && place.at < bytes.length; shift += 7n) {
    const byte = bytes[place.at]!;
    place.at += 1;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return value;
  }
  throw new Error(DAMAGED);
}
