import { createReadStream } from 'node:fs';
import { pipeline, Readable, type Transform } from 'node:stream';
import { pipeline as piped } from 'node:stream/promises';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { isSystemError, messageOf, PragauraError, systemReason } from '../../common/index.ts';

/** Bytes at the start in which an encoding is declared. */
const HEAD = 1024;
const BLOCK = 1 << 18;

export function unusable(message: string, hint?: string, cause?: unknown): PragauraError {
  return new PragauraError('VOCABULARY_UNUSABLE', message, {
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * Hands over everything that a parser makes of a text. What `take` throws is thrown as it is, also where the streams
 * that it cuts off have something to say about that; what the parser throws is thrown as `broken` puts it.
 */
export async function eachParsed<T>(
  text: AsyncIterable<string>,
  parser: Transform,
  take: (item: T) => void,
  broken: (cause: unknown) => PragauraError,
): Promise<void> {
  let refused: unknown = null;
  try {
    await piped(Readable.from(text), parser, async (items: AsyncIterable<T>) => {
      try {
        for await (const item of items) take(item);
      } catch (error) {
        refused = error;
        throw error;
      }
    });
  } catch (error) {
    const first = PragauraError.isInstance(refused) ? refused : error;
    throw PragauraError.isInstance(first) ? first : broken(first);
  }
}

/**
 * The text of a vocabulary file in pieces, unpacked where it is gzipped. A byte-order mark or an XML declaration says
 * the encoding, else it is UTF-8; nothing is guessed, because a term with a wrong letter is another term.
 * Throws NOT_FOUND when the file cannot be opened, VOCABULARY_UNUSABLE when it is larger than `maxBytes` unpacked,
 * damaged gzip, or not in its encoding.
 */
export async function* readText(path: string, maxBytes: number): AsyncGenerator<string> {
  try {
    let decoder: TextDecoder | null = null;
    let read = 0;
    for await (const bytes of blocks(path)) {
      decoder ??= decoderFor(path, bytes);
      if (read + bytes.length > maxBytes) {
        throw unusable(
          `${path} is larger than ${maxBytes} bytes.`,
          `Split it, or say --vocabulary-max-bytes ${2 * maxBytes} (in the library vocabulary.maxBytes).`,
        );
      }
      yield decode(decoder, path, read, bytes);
      read += bytes.length;
    }
    if (decoder !== null) yield decode(decoder, path, read);
  } catch (error) {
    throw typed(path, error);
  }
}

function decode(decoder: TextDecoder, path: string, read: number, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw unusable(
      `${path} is not ${decoder.encoding.toUpperCase()}: a byte after the first ${read} does not fit.`,
      'Convert it, for example with: iconv -f WINDOWS-1252 -t UTF-8',
      cause,
    );
  }
}

/** The bytes of the file, unpacked; the first block has `HEAD` bytes at least, unless the file has fewer. */
async function* blocks(path: string): AsyncGenerator<Buffer> {
  const packed = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: BLOCK });
  let head: Buffer | null = Buffer.alloc(0);
  for await (const bytes of packed ? unpacked(file) : file) {
    if (head === null) yield bytes;
    else {
      head = Buffer.concat([head, bytes as Buffer]);
      if (head.length < HEAD) continue;
      yield head;
      head = null;
    }
  }
  if (head !== null && head.length > 0) yield head;
}

async function isGzip(path: string): Promise<boolean> {
  for await (const bytes of createReadStream(path, { end: 1 })) {
    return bytes[0] === 0x1f && bytes[1] === 0x8b;
  }
  return false;
}

function unpacked(file: Readable): Readable {
  // An error of either stream is thrown by the loop that reads the last one.
  return pipeline(file, createGunzip({ chunkSize: BLOCK }), () => {});
}

function decoderFor(path: string, head: Buffer): TextDecoder {
  const label = encodingOf(path, head);
  try {
    return new TextDecoder(label, { fatal: true });
  } catch (cause) {
    throw unusable(
      `${path} says that its encoding is "${label}", which is not known.`,
      'Convert it to UTF-8.',
      cause,
    );
  }
}

function encodingOf(path: string, head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const declaration = /^(?:\xef\xbb\xbf)?<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;
  const declared = declaration.exec(head.toString('latin1', 0, HEAD))?.[1];
  if (declared !== undefined) return declared;
  if (head.subarray(0, HEAD).includes(0)) {
    throw unusable(`${path} is not text, or UTF-16 without a byte-order mark.`, 'Convert it to UTF-8.');
  }
  return 'utf-8';
}

function typed(path: string, error: unknown): PragauraError {
  if (PragauraError.isInstance(error)) return error;
  if (isSystemError(error)) {
    return new PragauraError('NOT_FOUND', `The vocabulary ${path} cannot be read: ${systemReason(error)}.`, {
      hint: 'Name a file that can be read with --vocabulary (in the library vocabulary.files).',
      cause: error,
    });
  }
  return unusable(`The vocabulary ${path} cannot be read: ${messageOf(error)}.`, undefined, error);
}
