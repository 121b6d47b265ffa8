/** Writes the few protobuf messages of which a small ONNX model consists. Tests only. */

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
