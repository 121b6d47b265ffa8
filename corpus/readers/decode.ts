import { PragauraError } from '../../common/index.ts';

/** A string holds at most 2^29 - 24 UTF-16 units; well below, so that what is made from it fits too. */
const MAX_TEXT_BYTES = 400 * 1024 * 1024;

/** Control characters that do not occur in text: all of C0 but tab, line feed, form feed, return and escape. */
function isBinaryControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b;
}

function unreadable(reason: string, hint?: string): PragauraError {
  return new PragauraError('UNREADABLE_DOCUMENT', reason, hint === undefined ? {} : { hint });
}

interface Bytes {
  nul: number;
  controls: number;
  /** Well-formed sequences of two bytes and more, and bytes that belong to none. */
  wellFormed: number;
  stray: number;
}

function census(bytes: Uint8Array): Bytes {
  const found: Bytes = { nul: 0, controls: 0, wellFormed: 0, stray: 0 };
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte === 0) found.nul += 1;
    if (isBinaryControl(byte)) found.controls += 1;
    if (byte < 0x80) continue;
    const more =
      byte >= 0xc2 && byte < 0xe0 ? 1 : byte >= 0xe0 && byte < 0xf0 ? 2 : byte >= 0xf0 && byte < 0xf5 ? 3 : 0;
    let followed = 0;
    while (followed < more && (bytes[i + 1 + followed]! & 0xc0) === 0x80) followed += 1;
    if (more > 0 && followed === more) {
      found.wellFormed += 1;
      i += more;
    } else found.stray += 1;
  }
  return found;
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

/**
 * The text of a file. A byte-order mark decides (UTF-8, UTF-16 either way) and is not part of the text. Otherwise
 * UTF-8; where bytes break it, the majority decides: mostly well-formed sequences mean damaged UTF-8 (each stray
 * byte becomes U+FFFD), otherwise the file is read as Windows-1252, which covers Latin-1. More than a few control
 * bytes, or broken UTF-8 with NULs in it, is no text. An encoding that the text itself declares is believed where
 * the text is not valid UTF-8.
 * @throws UNREADABLE_DOCUMENT
 */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  if (bytes.length > MAX_TEXT_BYTES) {
    throw unreadable(
      `is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MB`,
      'Split it, or turn it into JSON lines.',
    );
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const found = census(bytes);
  if (found.nul > 8 && found.nul > bytes.length / 4) {
    throw unreadable(
      'is not text, or UTF-16 without a byte-order mark',
      'Convert it to UTF-8, for example with iconv.',
    );
  }
  if ((found.controls > 8 && found.controls > bytes.length / 50) || (found.stray > 0 && found.nul > 0)) {
    throw unreadable('is not text');
  }
  if (found.stray > 0 && declared !== undefined && isEncoding(declared)) {
    return new TextDecoder(declared).decode(bytes);
  }
  const damagedUtf8 = found.stray > 0 && found.wellFormed > found.stray;
  const encoding = found.stray === 0 || damagedUtf8 ? 'utf-8' : 'windows-1252';
  return new TextDecoder(encoding).decode(bytes);
}
