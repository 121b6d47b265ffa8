/** Mending what a crash cut: what has a seal stays, what has none is put beside the log, and the log says so. */
import { createHash } from 'node:crypto';
import { open, truncate } from 'node:fs/promises';
import { failureReason, holderOf, PragauraError, tryFileLock } from '../../common/index.ts';
import type { SigningKey } from '../keys.ts';
import type { Actor } from './entry.ts';
import { AuditLog } from './log.ts';
import { type AuditReport, verifyLog } from './verify.ts';

export interface Recovered {
  /** Bytes that had no seal; 0: there was nothing to mend. */
  bytes: number;
  /** Where they lie now; null where there were none. */
  kept: string | null;
}

/**
 * Mends a log that a crash cut. The event of it holds the hash of what was taken off, so that a log which somebody cut on
 * purpose shows that too. Throws AUDIT_UNUSABLE for one that was tampered with, which it leaves alone, and as
 * `AuditLog.open`.
 */
export async function recoverLog(file: string, key: SigningKey, by: Actor): Promise<Recovered> {
  const lock = `${file}.lock`;
  const release = tryFileLock(lock);
  if (release === null) {
    throw new PragauraError('AUDIT_FAILED', `${holderOf(lock)} holds the audit log ${file}.`, {
      hint: 'Stop what writes it, then try again.',
    });
  }
  let report: AuditReport;
  let rest: { kept: string; sha256: string } | null = null;
  try {
    report = await verifyLog(file, { key });
    if (report.verdict === 'tampered') {
      throw new PragauraError('AUDIT_UNUSABLE', `${file} was not cut by a crash: ${problemOf(report)}.`, {
        hint: 'It is left as it is. Keep it, and begin another log.',
      });
    }
    if (report.verdict === 'cut') rest = await takeOff(file, report.sealedBytes);
  } catch (error) {
    if (PragauraError.isInstance(error)) throw error;
    const why = failureReason(error);
    throw new PragauraError('AUDIT_FAILED', `${file} cannot be mended: ${why}.`, { cause: error });
  } finally {
    release();
  }
  const bytes = report.bytes - report.sealedBytes;
  if (rest === null) return { bytes: 0, kept: null };
  const log = await AuditLog.open({ file, key });
  await log.append({ kind: 'log.recovered', by, about: '', detail: { bytes, sha256: rest.sha256 } });
  await log.close();
  return { bytes, kept: bytes === 0 ? null : rest.kept };
}

/** What is wrong with a log, in words. */
export function problemOf({ problem }: AuditReport): string {
  if (problem === null) return 'nothing is wrong';
  return problem.line === null ? problem.message : `line ${problem.line} ${problem.message}`;
}

/** Writes what stands behind `from` into a file of its own and, once that is on the disk, takes it off the log. */
async function takeOff(file: string, from: number): Promise<{ kept: string; sha256: string }> {
  const source = await open(file, 'r');
  try {
    const { size } = await source.stat();
    const bytes = Buffer.alloc(size - from);
    await source.read(bytes, 0, bytes.length, from);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const kept = `${file}.cut-${sha256.slice(0, 12)}`;
    if (bytes.length > 0) {
      const target = await open(kept, 'w', 0o600);
      try {
        await target.writeFile(bytes);
        await target.sync();
      } finally {
        await target.close();
      }
    }
    await truncate(file, from);
    return { kept, sha256 };
  } finally {
    await source.close();
  }
}
