import { PragauraError } from '../../common/index.ts';
import type { SegmentSource } from '../types.ts';

/** The error for segments that do not fit together. */
export function damaged(what: string): PragauraError {
  return new PragauraError('INDEX_UNUSABLE', `The index is damaged: ${what}.`, {
    hint: 'Build it again with `pragaura index`.',
  });
}

/**
 * A segment as a typed array (little-endian, as every platform that Node supports), laid over the bytes where they
 * are aligned. Throws INDEX_UNUSABLE when its length is not whole, or not `length` where that is given.
 */
export function numbers<T extends Uint32Array | Uint16Array>(
  source: SegmentSource,
  name: string,
  Type: { new (buffer: ArrayBufferLike, offset: number, length: number): T; BYTES_PER_ELEMENT: number },
  length?: number,
): T {
  let bytes = source.segment(name);
  const count = bytes.byteLength / Type.BYTES_PER_ELEMENT;
  if (!Number.isInteger(count) || (length !== undefined && count !== length)) {
    throw damaged(`segment ${name} has a wrong length`);
  }
  if (bytes.byteOffset % Type.BYTES_PER_ELEMENT !== 0) bytes = Uint8Array.from(bytes);
  return new Type(bytes.buffer, bytes.byteOffset, count);
}
