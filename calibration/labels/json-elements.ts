import { bytesOf, unreadable } from './files.ts';

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
/** What one string can hold, with room for what is made of it. */
const MAX_ELEMENT_BYTES = 256 * 1024 * 1024;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const MAX_KEY_BYTES = 64;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The objects in the array `key` of the object that a JSON file holds, each as its text, so that a file may be larger
 * than memory. Structure is told by bytes, which in UTF-8 no other character contains; the elements themselves are for
 * the caller to parse. Throws UNREADABLE_DOCUMENT when there is no such array, or the file is cut off.
 */
export async function* elementsOf(path: string, key: string): AsyncGenerator<string> {
  const no = (problem: string) => unreadable(path, problem, HINT);
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** Bytes of the string at depth 1 that is being read, or was read last. */
  let name: number[] = [];
  let currentKey = '';
  let inside = false;
  let found = false;
  let parts: Uint8Array[] = [];
  let size = 0;
  let at = 0;
  for await (const chunk of bytesOf(path)) {
    let from = 0;
    for (let i = 0; i < chunk.length; i++, at++) {
      const byte = chunk[i]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        if (depth === 1 && inString && name.length < MAX_KEY_BYTES) name.push(byte);
        continue;
      }
      if (depth === 0 && byte !== OPEN_OBJECT && !isSpace(byte) && BYTE_ORDER_MARK[at] !== byte) {
        throw no('is no JSON object');
      }
      if (byte === QUOTE) {
        inString = true;
        if (depth === 1) name = [];
      } else if (byte === COLON && depth === 1) currentKey = String.fromCharCode(...name);
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (inside && depth === 2) from = i;
        if (depth === 1 && byte === OPEN_ARRAY && currentKey === key) inside = found = true;
        depth++;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth--;
        if (inside && depth === 1) inside = false;
        else if (inside && depth === 2) {
          parts.push(chunk.slice(from, i + 1));
          yield decoded(parts, no);
          parts = [];
          size = 0;
        }
      } else if (inside && depth === 2 && byte !== COMMA && !isSpace(byte)) {
        throw no(`its "${key}" holds something else than objects`);
      }
    }
    if (inside && depth > 2) {
      parts.push(chunk.slice(from));
      size += chunk.length - from;
      if (size > MAX_ELEMENT_BYTES) throw no(`an object of its "${key}" is larger than 256 MB`);
    }
  }
  if (depth !== 0 || inString) throw no('is cut off');
  if (!found) throw no(`has no array "${key}"`);
}

const HINT =
  'A .json file is read as SQuAD JSON, {"data": [{"title", "paragraphs"}]}; lines of JSON belong into a .ndjson file.';

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function decoded(parts: Uint8Array[], no: (problem: string) => Error): string {
  try {
    return decoder.decode(Buffer.concat(parts));
  } catch {
    throw no('is not UTF-8');
  }
}
