/**
 * What was trusted on its first use: the hashes of files that no lock entry knows, kept from the first pull on, so that
 * another content under the same name and revision is refused.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  isSystemError,
  messageOf,
  PragauraError,
  systemReason,
  tryFileLock,
  writeWholeFile,
} from '../../common/index.ts';
import type { Address } from './refusals.ts';
import { checkAborted } from './refusals.ts';

const Record = z.strictObject({
  bytes: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** What the revision stood for when it was first pulled. */
  commit: z.string(),
});
export type Trusted = z.infer<typeof Record>;
export type TrustedFile = Address & Trusted;

const TrustFile = z.strictObject({
  schema: z.literal('pragaura.trusted-models/1'),
  files: z.record(z.string(), Record),
});

/** Under which a file stands in the record. */
export const keyOf = ({ repo, revision, path }: Address): string => `${repo}@${revision}:${path}`;

async function read(file: string): Promise<Map<string, Trusted>> {
  try {
    return new Map(Object.entries(TrustFile.parse(JSON.parse(await readFile(file, 'utf8'))).files));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return new Map();
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new PragauraError('MODEL_UNUSABLE', `cannot use the record of trusted models ${file}: ${reason}`, {
      hint: 'Mend it, or remove it and pull again what the lock file has no hashes for.',
      cause: error,
    });
  }
}

/** What is known of a file since its first pull; undefined when it never was. Throws MODEL_UNUSABLE for a broken record. */
export async function trusted(file: string, address: Address): Promise<Trusted | undefined> {
  return (await read(file)).get(keyOf(address));
}

const HINT =
  'It keeps the hashes of pulled models. Make it writable, or name another folder with XDG_STATE_HOME.';
const LOCK_POLL_MS = 20;

/**
 * Records files, all or none of them, and gives those that were not known already. Throws MODEL_UNUSABLE when another
 * pull has recorded another content meanwhile, WRITE_FAILED, and ABORTED when the signal fires while it waits.
 */
export async function trust(
  file: string,
  files: readonly TrustedFile[],
  signal?: AbortSignal,
): Promise<TrustedFile[]> {
  const added: TrustedFile[] = [];
  if (files.length === 0) return added;
  await change(file, signal, (known) => {
    for (const one of files) {
      const { repo, revision, path, ...record } = one;
      const other = known.get(keyOf(one));
      if (other === undefined) {
        known.set(keyOf(one), record);
        added.push(one);
      } else if (other.sha256 !== record.sha256) {
        throw new PragauraError(
          'MODEL_UNUSABLE',
          `${path} of ${repo}@${revision} was pulled by another process meanwhile, with sha256 ${other.sha256}, not ${record.sha256}.`,
          { hint: 'The branch moved in between. The same command again says which commits there are.' },
        );
      }
    }
    return added.length > 0;
  });
  return added;
}

/**
 * Forgets files that are recorded with just this content, so that their next pull is their first one again. Throws
 * MODEL_UNUSABLE for a broken record, WRITE_FAILED.
 */
export function distrust(file: string, files: readonly TrustedFile[]): Promise<void> {
  return change(file, undefined, (known) => {
    const ours = files.filter((one) => known.get(keyOf(one))?.sha256 === one.sha256);
    for (const one of ours) known.delete(keyOf(one));
    return ours.length > 0;
  });
}

/** Reads, changes and writes the record while nobody else does. `apply` says whether there is anything to write. */
async function change(
  file: string,
  signal: AbortSignal | undefined,
  apply: (known: Map<string, Trusted>) => boolean,
): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    let release = tryFileLock(`${file}.lock`);
    for (; release === null; release = tryFileLock(`${file}.lock`)) {
      checkAborted(signal);
      await sleep(LOCK_POLL_MS);
    }
    try {
      const known = await read(file);
      if (!apply(known)) return;
      const files = Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1)));
      const text = `${JSON.stringify({ schema: 'pragaura.trusted-models/1', files }, null, 2)}\n`;
      await writeWholeFile(file, text, HINT);
    } finally {
      release();
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new PragauraError('WRITE_FAILED', `${file} cannot be written: ${systemReason(error)}.`, {
      hint: HINT,
      cause: error,
    });
  }
}
