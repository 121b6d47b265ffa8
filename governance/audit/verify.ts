/** Reading a whole log: does it hold, and where does it not? */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { failureReason, PragauraError } from '../../common/index.ts';
import type { PublicKey } from '../keys.ts';
import { Chain } from './chain.ts';
import { canonicalText, isSealedBy, MAX_LINE_BYTES, parseEntry, type SealEntry } from './entry.ts';

/**
 * `whole`: every line holds. `cut`: everything up to a seal holds, and behind it stands the beginning of a segment, as a
 * crash leaves it; of these events nobody was told that they were written. `tampered`: anything else.
 */
export type Verdict = 'whole' | 'cut' | 'tampered';

export interface AuditReport {
  schema: 'pragaura.audit-report/1';
  verdict: Verdict;
  log: string | null;
  events: number;
  seals: number;
  /** Fingerprint of the key that the seals were checked with; `own`: the log's own word, which proves less. */
  key: string | null;
  keyFrom: 'given' | 'own';
  /** The last seal that holds. */
  seal: { seq: number; at: string } | null;
  /** Bytes up to and with that seal; a cut log is mended by leaving only these. */
  sealedBytes: number;
  /** Bytes of the file. */
  bytes: number;
  /** How often the clock of the writer went back. */
  clockBackwards: number;
  checkpoints: number;
  /** The first thing that is wrong; `line` from 1, null where it is no line of the log. */
  problem: { line: number | null; message: string } | null;
}

interface RawLine {
  bytes: Buffer;
  /** Where it begins in the file. */
  start: number;
  /** False: the file ends before its newline. */
  ended: boolean;
}

/** The lines of a file, byte for byte; one that is too long is handed out as far as it was read, and is the last. */
export async function* rawLines(file: string): AsyncGenerator<RawLine> {
  let carry: Buffer = Buffer.alloc(0);
  let start = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    let bytes = Buffer.concat([carry, chunk as Buffer]);
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a)) {
      yield { bytes: Buffer.from(bytes.subarray(0, end)), start, ended: true };
      start += end + 1;
      bytes = bytes.subarray(end + 1);
    }
    carry = bytes;
    if (carry.length > MAX_LINE_BYTES) break;
  }
  if (carry.length > 0) yield { bytes: carry, start, ended: false };
}

/** A checkpoint is the line of a seal, kept elsewhere. Throws NOT_FOUND and AUDIT_UNUSABLE. */
export async function readCheckpoint(file: string): Promise<SealEntry> {
  let line: Buffer;
  try {
    line = await readFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
  const entry = parseEntry(line.subarray(0, line.at(-1) === 0x0a ? -1 : undefined));
  if (typeof entry !== 'string' && entry.type === 'seal') return entry;
  throw new PragauraError('AUDIT_UNUSABLE', `${file} holds no checkpoint.`, {
    hint: 'A checkpoint is the one line that "pragaura audit checkpoint" prints, kept as it is.',
  });
}

export interface VerifyOptions {
  /** What the seals are checked with; without it the key that the log names, which shows no log that was written anew. */
  key?: PublicKey;
  /** Seals that the log had once: that it was shortened since, or replaced, is seen by these alone. */
  checkpoints?: readonly SealEntry[];
  /** Told of every line that holds, in order, before it is known whether those after it do. */
  each?: (line: Buffer) => void;
}

/** Reads a log from its first byte to its last. Throws NOT_FOUND for a file that cannot be read. */
export async function verifyLog(file: string, options: VerifyOptions = {}): Promise<AuditReport> {
  const chain = new Chain(options.key ?? null);
  const due = new Map((options.checkpoints ?? []).map((seal) => [canonicalText(seal), seal]));
  let problem: AuditReport['problem'] = null;
  let verdict: Verdict = 'whole';
  let sealedBytes = 0;
  let bytes = 0;
  let number = 0;
  try {
    for await (const { bytes: line, start, ended } of rawLines(file)) {
      number += 1;
      bytes = start + line.length + (ended ? 1 : 0);
      if (problem !== null) continue;
      if (!ended && isTorn(line)) {
        verdict = 'cut';
        problem = { line: number, message: 'ends in the middle' };
        continue;
      }
      const wrong = ended ? chain.push(line) : 'is longer than any line of a log, or has no end';
      if (wrong !== null) {
        verdict = 'tampered';
        problem = { line: number, message: wrong };
        continue;
      }
      options.each?.(line);
      if (chain.unsealed === 0) {
        sealedBytes = bytes;
        due.delete(line.toString('utf8'));
      }
    }
  } catch (error) {
    throw unreadable(file, error);
  }
  if (problem === null && chain.unsealed > 0) {
    verdict = 'cut';
    problem = { line: null, message: `The last ${chain.unsealed} events have no seal` };
  } else if (bytes === 0) {
    verdict = 'cut';
    problem = { line: null, message: 'The log is empty' };
  }
  const missed = [...due.values()].find(
    (seal) => verdict !== 'tampered' || seal.seq <= (chain.seal?.seq ?? 0),
  );
  if (missed !== undefined) {
    verdict = 'tampered';
    problem = { line: null, message: missing(missed, chain) };
  }
  return {
    schema: 'pragaura.audit-report/1',
    verdict,
    log: chain.log,
    events: chain.events,
    seals: chain.seals,
    key: chain.key?.fingerprint ?? null,
    keyFrom: options.key === undefined ? 'own' : 'given',
    seal: chain.seal && { seq: chain.seal.seq, at: chain.seal.at },
    sealedBytes,
    bytes,
    clockBackwards: chain.backwards,
    checkpoints: options.checkpoints?.length ?? 0,
    problem,
  };
}

/** What a crash leaves of a line: its beginning, or room that was made for it and never filled. */
function isTorn(line: Buffer): boolean {
  if (line.length > MAX_LINE_BYTES) return false;
  const begun = Buffer.from('{"at":"');
  const zeros = line.indexOf(0);
  const text = zeros === -1 ? line : line.subarray(0, zeros);
  const rest = zeros === -1 ? [] : line.subarray(zeros);
  const begins = begun.subarray(0, text.length).equals(text.subarray(0, begun.length));
  return begins && rest.every((byte) => byte === 0);
}

function missing(seal: SealEntry, chain: Chain): string {
  if (chain.key !== null && !isSealedBy(seal, chain.key))
    return 'A checkpoint was not signed by the key of the log';
  if (chain.log !== null && seal.log !== chain.log)
    return 'A checkpoint is of another log: this one was put in its place';
  const last = chain.seal?.seq ?? -1;
  return last < seal.seq
    ? `The log ends before line ${seal.seq + 1}, where a checkpoint has a seal: it was shortened`
    : `Line ${seal.seq + 1} is not what a checkpoint says`;
}

function unreadable(file: string, error: unknown): PragauraError {
  const why = failureReason(error);
  return new PragauraError('NOT_FOUND', `${file} cannot be read: ${why}.`, {
    hint: 'Name the log that --audit was given when decisions were made.',
    cause: error,
  });
}
