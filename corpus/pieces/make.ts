/** What is made of a piece, and how that is kept: what came of each document, and the vector of each text. */
import type { Making } from '../build-options.ts';
import { type Embed, embedPlanned, planEmbedding } from '../embed-passages.ts';
import { type Outcome, outcomesOf } from '../outcomes.ts';
import { passageText } from '../passages/passage-text.ts';
import { sha256 } from '../store/files.ts';
import type { Piece } from './piece.ts';

const KEY_BYTES = 32;
const NEWLINE = 0x0a;

export interface MadePiece {
  outcomes: Outcome[];
  /** By the sha256 (hex) of the text. */
  vectors: Map<string, Float32Array>;
}

export interface MakingHere extends Making {
  embed: Embed;
  /** Word pieces of a text, without special tokens. */
  countTokens(text: string): number;
  signal?: AbortSignal;
}

function passagesOf(outcomes: readonly Outcome[]) {
  return outcomes.flatMap((outcome) => ('passages' in outcome ? outcome.passages : []));
}

/**
 * Reads and cuts pieces, and embeds the texts of all of them together. Never throws for what they hold. Throws ABORTED and what
 * `embed` throws.
 */
export async function makePieces(
  pieces: readonly { piece: Piece; bytes: Uint8Array }[],
  options: MakingHere,
): Promise<MadePiece[]> {
  const made: Outcome[][] = [];
  for (const { piece, bytes } of pieces) {
    const outcomes: Outcome[] = [];
    for await (const outcome of outcomesOf({ ...piece, bytes }, options)) outcomes.push(outcome);
    made.push(outcomes);
  }
  const { embed, embedder, signal } = options;
  const plan = planEmbedding(made.flatMap(passagesOf), embedder.dimension, () => undefined);
  const vectors = new Map<string, Float32Array>();
  await embedPlanned(plan, {
    embed,
    dimension: embedder.dimension,
    keep: (keys, computed) => keys.forEach((key, i) => void vectors.set(key, computed[i]!)),
    signal,
  });
  return made.map((outcomes) => {
    const keys = passagesOf(outcomes).map((passage) => sha256(passageText(passage)));
    return { outcomes, vectors: new Map(keys.map((key) => [key, vectors.get(key)!])) };
  });
}

/** As bytes: the length of the lines, a line of JSON an outcome, and after them keys and vectors, to the bit. */
export function encodePiece({ outcomes, vectors }: MadePiece): Buffer {
  const lines = outcomes.map((outcome) => Buffer.from(`${JSON.stringify(outcome)}\n`));
  const length = Buffer.alloc(8);
  length.writeDoubleLE(lines.reduce((sum, line) => sum + line.length, 0));
  const rows = [...vectors].flatMap(([key, { buffer, byteOffset, byteLength }]) => [
    Buffer.from(key, 'hex'),
    Buffer.from(buffer, byteOffset, byteLength),
  ]);
  return Buffer.concat([length, ...lines, ...rows]);
}

/** What `encodePiece` was given. `dimension`: that of the vectors. */
export function decodePiece(bytes: Buffer, dimension: number): MadePiece {
  const end = 8 + bytes.readDoubleLE(0);
  const outcomes: Outcome[] = [];
  for (let from = 8; from < end; ) {
    const to = bytes.indexOf(NEWLINE, from);
    outcomes.push(JSON.parse(bytes.toString('utf8', from, to)));
    from = to + 1;
  }
  const vectors = new Map<string, Float32Array>();
  for (let at = end; at < bytes.length; at += KEY_BYTES + dimension * 4) {
    const floats = bytes.subarray(at + KEY_BYTES, at + KEY_BYTES + dimension * 4);
    vectors.set(bytes.toString('hex', at, at + KEY_BYTES), new Float32Array(new Uint8Array(floats).buffer));
  }
  return { outcomes, vectors };
}
