import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PragauraError } from '../../common/index.ts';
import { ANALYSIS_VERSION } from '../analysis-version.ts';
import type { Passage } from '../passages/passage.ts';
import { loadStructure, type Structure } from '../structure/index.ts';
import type { CorpusIndex, DocumentEntry, Failure, HiddenTexts, Manifest } from '../types.ts';
import { isSystemError, readHashed, reasonOf } from './files.ts';
import { generationAsOf } from './generations.ts';
import { CURRENT, GENERATION, isOurs, manifestPath, POINTER, SCHEMA } from './layout.ts';
import { indexHash, ManifestSchema, PARTS } from './manifest.ts';

/** An index with what only the next build asks for. */
export interface StoredIndex extends CorpusIndex, Structure {
  readonly folder: string;
  readonly generation: string;
  readonly failures: readonly Failure[];
  readonly keys: Uint8Array;
}

type HiddenRow = { docId: string; hidden: HiddenTexts };

function quoted(path: string): string {
  return /^[\w./~+@%-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function unusable(dir: string, problem: string, cause?: unknown, elsewhere = false): PragauraError {
  const out = elsewhere ? 'OTHER-FOLDER' : quoted(dir);
  return new PragauraError('INDEX_UNUSABLE', problem, {
    hint: `Build it${elsewhere ? ' elsewhere' : ' anew'}: pragaura index PATH… --out ${out}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** What names the generation that an index folder is at, to compare; null where nothing does. */
export function pointerOf(dir: string): string | null {
  try {
    return readFileSync(join(dir, CURRENT), 'utf8');
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}

/** The generation that CURRENT names. */
function currentGeneration(dir: string): string {
  let pointer: string;
  try {
    pointer = readFileSync(join(dir, CURRENT), 'utf8');
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) {
      throw unusable(dir, `The index ${dir} cannot be read: ${reasonOf(error)}.`, error);
    }
    if (!existsSync(dir)) throw unusable(dir, `There is no index at ${dir}.`);
    const foreign = isSystemError(error, 'ENOTDIR') || !readdirSync(dir).every(isOurs);
    throw unusable(
      dir,
      `${dir} is not an index of PragAURA${foreign ? '' : ', or was never finished'}.`,
      undefined,
      foreign,
    );
  }
  const [schema, generation] = pointer.trim().split(' ');
  if (schema !== SCHEMA && schema?.startsWith(POINTER)) {
    throw unusable(dir, `${dir} is an index of another version (${schema}; this one reads ${SCHEMA}).`);
  }
  if (schema !== SCHEMA || generation === undefined || !GENERATION.test(generation)) {
    throw unusable(dir, `${dir} is damaged: CURRENT names no generation.`);
  }
  return generation;
}

function readManifest(dir: string, folder: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(manifestPath(folder), 'utf8'));
  } catch (error) {
    throw unusable(dir, `${dir} is damaged: its manifest cannot be read.`, error);
  }
  const parsed = ManifestSchema.safeParse(value);
  if (!parsed.success || indexHash(parsed.data) !== parsed.data.hash) {
    throw unusable(dir, `${dir} is damaged: its manifest does not fit.`);
  }
  return parsed.data;
}

/** The records of lines of JSON, which are never one text: that would be longer than any may be. */
export function parseLines<T>(bytes: Uint8Array): T[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: T[] = [];
  for (let from = 0; from < buffer.length; ) {
    const to = buffer.indexOf(10, from);
    const end = to === -1 ? buffer.length : to;
    records.push(JSON.parse(buffer.toString('utf8', from, end)) as T);
    from = end + 1;
  }
  return records;
}

function readGeneration(dir: string, generation: string): StoredIndex {
  const folder = join(dir, generation);
  const manifest = readManifest(dir, folder);
  const parts = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [name, { file, bytes, sha256 }] of Object.entries(manifest.segments)) {
    let read: ReturnType<typeof readHashed>;
    try {
      read = readHashed(join(folder, file), bytes);
    } catch (error) {
      throw unusable(dir, `${dir} is damaged: ${file} cannot be read (${reasonOf(error)}).`, error);
    }
    if (read === null)
      throw unusable(dir, `${dir} is damaged: ${file} has another size than it was written with.`);
    if (read.sha256 !== sha256) throw unusable(dir, `${dir} is damaged: ${file} is not what was written.`);
    parts.set(name, read.data);
  }
  const segment = (name: string): Uint8Array<ArrayBuffer> => {
    const bytes = parts.get(name);
    if (bytes === undefined) throw unusable(dir, `${dir} is damaged: it has no part ${name}.`);
    return bytes;
  };
  const passages = parseLines<Passage>(segment(PARTS.passages));
  const lines = parseLines<DocumentEntry | { failed: Failure }>(segment(PARTS.documents));
  const isPending = manifest.pending !== undefined;
  const vectors = isPending ? new Float32Array() : new Float32Array(segment(PARTS.vectors).buffer);
  const keys = isPending ? new Uint8Array() : segment(PARTS.keys);
  const { dimension } = manifest.embedder;
  const rows = isPending ? 0 : passages.length;
  if (
    passages.length !== manifest.counts.passages ||
    vectors.length !== rows * dimension ||
    keys.length !== rows * 32
  ) {
    throw unusable(dir, `${dir} is damaged: its parts do not belong together.`);
  }
  // They live on as objects; the bytes that they were read from do not have to.
  parts.delete(PARTS.passages);
  parts.delete(PARTS.documents);
  const noted = parts.has(PARTS.hidden) ? parseLines<HiddenRow>(segment(PARTS.hidden)) : [];
  const hidden = new Map(noted.map((row) => [row.docId, row.hidden]));
  const documents = lines
    .filter((row): row is DocumentEntry => !('failed' in row))
    .map((entry) => (hidden.has(entry.docId) ? { ...entry, hidden: hidden.get(entry.docId)! } : entry));
  const failures = lines.flatMap((row) => ('failed' in row ? [row.failed] : []));
  const structure = loadStructure({ segment }, { passages, documents });
  return {
    dir,
    folder,
    generation,
    manifest,
    passages,
    documents,
    failures,
    vectors,
    keys,
    dimension,
    segment,
    ...structure,
  };
}

/** Like `openIndex`, with what the next build needs. */
export function openStored(dir: string, asOf?: string): StoredIndex {
  // What is kept is not taken away by a build that finishes meanwhile.
  if (asOf !== undefined) return readGeneration(dir, generationAsOf(dir, asOf));
  let generation = currentGeneration(dir);
  for (;;) {
    try {
      return readGeneration(dir, generation);
    } catch (error) {
      // A build that finished meanwhile has taken the generation away: read the one that CURRENT names now.
      const now = currentGeneration(dir);
      if (now !== generation) generation = now;
      else if (PragauraError.isInstance(error)) throw error;
      else throw unusable(dir, `${dir} is damaged: ${messageOf(error)}`, error);
    }
  }
}

/**
 * Opens an index folder for reading: everything is read at once, and each part's size and sha256 are compared with
 * the manifest.
 * `asOf`: a generation that is kept, as `generationAsOf` takes it; default the current one.
 * @throws INDEX_UNUSABLE when it is missing, foreign, damaged or of another version; the hint says what mends it. NOT_FOUND
 * for a generation that is not kept
 */
export async function openIndex(dir: string, asOf?: string): Promise<StoredIndex> {
  const stored = openStored(dir, asOf);
  if (stored.manifest.settings.analysis !== ANALYSIS_VERSION) {
    throw unusable(dir, `${dir} was analysed by another version of PragAURA.`);
  }
  return stored;
}
