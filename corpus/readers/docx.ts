import mammoth from 'mammoth';
import { PragauraError } from '../../common/index.ts';
import { seenDocx } from './hidden/docx.ts';
import { bothHidden, noTextBut } from './hidden/notes.ts';
import { type Extracted, extractHtml } from './html.ts';

const MAX_UNPACKED = 500 * 1024 * 1024;
const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;

function unreadable(reason: string, cause?: unknown): PragauraError {
  return new PragauraError('UNREADABLE_DOCUMENT', reason, cause === undefined ? {} : { cause });
}

/** What the files in a ZIP say they grow to, in bytes. Null when it is no ZIP. */
function unpackedSize(zip: Buffer): number | null {
  const from = Math.max(0, zip.length - 65_557);
  const tail = zip.subarray(from);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(END_OF_DIRECTORY);
  const end = tail.lastIndexOf(mark);
  if (end === -1 || end + 22 > tail.length) return null;
  let at = tail.readUInt32LE(end + 16);
  let total = 0;
  for (let left = tail.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== DIRECTORY_ENTRY) return null;
    total += zip.readUInt32LE(at + 24);
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return total;
}

/**
 * The text of a Word document, structured as its HTML would be; a position is the number of a block.
 * @throws UNREADABLE_DOCUMENT for anything that is no such document, is locked, or would unpack to more than 500 MB
 */
export async function extractDocx(bytes: Uint8Array): Promise<Extracted> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length >= 4 && buffer.readUInt32BE(0) === 0xd0cf11e0) {
    throw unreadable('is protected with a password, or of the old .doc format');
  }
  const size = unpackedSize(buffer);
  if (size === null) throw unreadable('is not a Word document (.docx)');
  if (size > MAX_UNPACKED) throw unreadable('unpacks to more than 500 MB');
  let html: string;
  let hidden: Extracted['hidden'];
  try {
    const seen = await seenDocx(buffer);
    hidden = seen.hidden;
    const { bytes: data } = seen;
    const plain = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const noImages = mammoth.images.imgElement(async () => ({ src: '' }));
    html = (await mammoth.convertToHtml({ buffer: plain }, { convertImage: noImages })).value;
  } catch (error) {
    throw unreadable('is not a Word document (.docx), or is damaged', error);
  }
  const extracted = extractHtml(html);
  const marks = extracted.marks.map(({ at }, ordinal) => ({ at, position: `block ${ordinal + 1}` }));
  const all = bothHidden(hidden, extracted.hidden);
  if (extracted.blocks.length === 0) throw unreadable(noTextBut(all));
  return { ...extracted, marks, ...(all !== undefined && { hidden: all }) };
}
