/** Files in pieces that can be read, cut and embedded apart from each other, each known by the hash of its content. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { PragauraError, packageVersion } from '../../common/index.ts';
import type { Making } from '../build-options.ts';
import { SPLITTER_VERSION } from '../passages/split.ts';
import { FORMATS, type InputFile } from '../readers/walk.ts';
import { reasonOf, sha256 } from '../store/files.ts';

/** Bytes of records that make a piece, and of the pieces that are worked on together: some seconds of work. */
const PIECE_BYTES = 128 * 1024;
const BATCH_BYTES = 128 * 1024;
const BATCH_PIECES = 64;
const NEWLINE = 0x0a;

/** A file, or whole records of one. */
export const Piece = z.strictObject({
  path: z.string(),
  name: z.string(),
  format: z.enum(FORMATS),
  gzip: z.boolean(),
  /** Where it begins in the file, and how long it is. */
  start: z.number().int().min(0),
  length: z.number().int().min(0),
  /** The line of the file that it begins with. */
  line: z.number().int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Piece = z.infer<typeof Piece>;

/** The name of what is made of a piece: the same content, name and settings make the same. */
export function keyOf(piece: Piece, { maxTokens, embedder }: Making): string {
  const { name, format, gzip, line } = piece;
  const { name: model, sha256: weights, dimension } = embedder;
  const settings = [packageVersion(), SPLITTER_VERSION, maxTokens, model, weights, dimension];
  return sha256(JSON.stringify([piece.sha256, name, format, gzip, line, settings]));
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

/**
 * The pieces of a file as it is now: many of records that are a line each, one of anything else. Throws what the file system
 * throws.
 */
export async function piecesOf(file: InputFile, signal?: AbortSignal): Promise<Piece[]> {
  const { path, name, format, gzip } = file;
  const inLines = format === 'jsonl' && !gzip;
  const pieces: Piece[] = [];
  let [start, length, line, lines] = [0, 0, 1, 0];
  let hash = createHash('sha256');
  const take = (part: Uint8Array) => {
    hash.update(part);
    length += part.length;
    if (inLines) lines += linesIn(part);
  };
  const close = () => {
    pieces.push({ path, name, format, gzip, start, length, line, sha256: hash.digest('hex') });
    [start, length, line, lines] = [start + length, 0, line + lines, 0];
    hash = createHash('sha256');
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, ...(signal && { signal }) })) {
    let rest = chunk as Buffer;
    while (inLines) {
      const end = rest.indexOf(NEWLINE, Math.max(0, PIECE_BYTES - length));
      if (end === -1) break;
      take(rest.subarray(0, end + 1));
      close();
      rest = rest.subarray(end + 1);
    }
    take(rest);
  }
  if (length > 0 || pieces.length === 0) close();
  return pieces;
}

/** What a piece holds; null where the file has other content by now. Throws NOT_FOUND where it cannot be read. */
export async function readPiece({ path, start, length, sha256: wanted }: Piece): Promise<Buffer | null> {
  try {
    const file = await open(path);
    try {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await file.read(bytes, 0, length, start);
      return bytesRead === length && sha256(bytes) === wanted ? bytes : null;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${path}: ${reasonOf(error)}`, {
      hint: 'Whoever works on documents has to see them under the same path as who has them indexed.',
      cause: error,
    });
  }
}

/** Neighbours that are worked on together; the same pieces always come together in the same way. */
export function batchesOf<T extends { piece: Piece }>(pieces: readonly T[]): T[][] {
  const batches: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of pieces) {
    const last = batches.at(-1);
    if (last === undefined || bytes + one.piece.length > BATCH_BYTES || last.length === BATCH_PIECES) {
      batches.push([one]);
      bytes = 0;
    } else last.push(one);
    bytes += one.piece.length;
  }
  return batches;
}
