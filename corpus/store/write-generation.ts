import { linkSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PragauraError, packageVersion } from '../../common/index.ts';
import { countGenres } from '../passages/genre.ts';
import type { Passage } from '../passages/passage.ts';
import type { DocumentEntry, Failure, Manifest, SegmentEntry, Segments } from '../types.ts';
import { HashedFile, isSystemError, syncFolder } from './files.ts';
import { CURRENT, manifestPath, pointerTo, SCHEMA } from './layout.ts';
import { indexHash, PARTS } from './manifest.ts';

export interface Vectors {
  /** One row a passage. */
  vectors: Float32Array;
  /** sha256 of each embedded text, 32 bytes a passage. */
  keys: Uint8Array;
}

export interface Generation {
  embedder: Manifest['embedder'];
  settings: Manifest['settings'];
  passages: readonly Passage[];
  documents: readonly DocumentEntry[];
  failures: readonly Failure[];
  /** How many passages have no vector yet, where there are such: the vectors are then left out. */
  vectors: Vectors | number;
  /** Everything else that is large; no name may occur twice. */
  segments: readonly Segments[];
}

const LINES_AT_A_TIME = 512;

function writeFile(path: string, parts: Iterable<Uint8Array>): { bytes: number; sha256: string } {
  const file = new HashedFile(path);
  try {
    for (const part of parts) file.write(part);
    return file.close();
  } catch (error) {
    file.abandon();
    throw error;
  }
}

function* ndjson(records: readonly object[]): Generator<Uint8Array> {
  for (let from = 0; from < records.length; from += LINES_AT_A_TIME) {
    const lines = records.slice(from, from + LINES_AT_A_TIME).map((record) => `${JSON.stringify(record)}\n`);
    yield Buffer.from(lines.join(''));
  }
}

/** What documents hide is shown beside decisions, so it has a part of its own; none where nothing is hidden. */
function hiddenIn(documents: readonly DocumentEntry[]): Segments {
  const rows = documents.flatMap(({ docId, hidden }) => (hidden === undefined ? [] : { docId, hidden }));
  return rows.length === 0 ? {} : { [PARTS.hidden]: Buffer.concat([...ndjson(rows)]) };
}

function bytesOf(array: Float32Array | Uint8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function createdBy(): string {
  return `pragaura ${packageVersion()}`;
}

/**
 * Writes a generation into the folder `dir`, which must not exist, and makes it durable. Nothing points to it yet.
 * The same generation always gives the same bytes. Throws what the file system throws.
 */
export function writeGeneration(dir: string, generation: Generation): Manifest {
  mkdirSync(dir);
  const { passages, failures, embedder, settings } = generation;
  const documents = generation.documents.map(({ hidden: _, ...entry }) => entry);
  const segments: Record<string, SegmentEntry> = {};
  const write = (name: string, file: string, parts: Iterable<Uint8Array>) => {
    if (Object.hasOwn(segments, name))
      throw new PragauraError('INTERNAL', `Two parts of an index are named ${name}.`);
    segments[name] = { file, ...writeFile(join(dir, file), parts) };
  };
  write(PARTS.passages, PARTS.passages, ndjson(passages));
  write(PARTS.documents, PARTS.documents, ndjson([...documents, ...failures.map((failed) => ({ failed }))]));
  if (typeof generation.vectors !== 'number') Object.assign(segments, writeVectors(dir, generation.vectors));
  const others = [...generation.segments, hiddenIn(generation.documents)].flatMap((part) =>
    Object.entries(part),
  );
  for (const [name, bytes] of others.sort(([a], [b]) => (a < b ? -1 : 1)))
    write(name, `${name}.bin`, [bytes]);
  const unnamed: Omit<Manifest, 'hash'> = {
    schema: SCHEMA,
    createdBy: createdBy(),
    counts: {
      documents: documents.length,
      passages: passages.length,
      failed: failures.length,
      genres: countGenres(passages.map((passage) => passage.genre)),
    },
    embedder,
    settings,
    segments,
    ...(typeof generation.vectors === 'number' && { pending: generation.vectors }),
  };
  return writeManifest(dir, unnamed);
}

/**
 * Writes a generation into the folder `dir`, which must not exist, out of one in the folder `from` whose vectors were
 * pending. Gives the bytes that writing it at once would have given; what is the same is not written again.
 */
export function completeGeneration(dir: string, from: string, pending: Manifest, vectors: Vectors): Manifest {
  mkdirSync(dir);
  const { hash: _, pending: __, segments: before, ...rest } = pending;
  for (const { file } of Object.values(before)) sameFile(join(from, file), join(dir, file));
  const { [PARTS.passages]: passages, [PARTS.documents]: documents, ...others } = before;
  const own = { [PARTS.passages]: passages!, [PARTS.documents]: documents! };
  return writeManifest(dir, { ...rest, segments: { ...own, ...writeVectors(dir, vectors), ...others } });
}

function writeVectors(dir: string, { vectors, keys }: Vectors): Record<string, SegmentEntry> {
  const entry = (file: string, bytes: Uint8Array) => ({ file, ...writeFile(join(dir, file), [bytes]) });
  return {
    [PARTS.vectors]: entry('vectors.f32', bytesOf(vectors)),
    [PARTS.keys]: entry('vectors.keys', keys),
  };
}

function writeManifest(dir: string, unnamed: Omit<Manifest, 'hash'>): Manifest {
  const manifest: Manifest = { ...unnamed, hash: indexHash(unnamed) };
  writeFile(manifestPath(dir), [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
  syncFolder(dir);
  return manifest;
}

/** A file under a second name, or a copy of it where the file system has no such thing. */
function sameFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!isSystemError(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV')) throw error;
    writeFile(to, [readFileSync(from)]);
  }
}

/** Points the index folder at a generation: from one moment to the next, durable when this returns. */
export function pointAt(root: string, generation: string): void {
  const fresh = join(root, `${CURRENT}.new`);
  rmSync(fresh, { force: true });
  writeFile(fresh, [Buffer.from(pointerTo(generation))]);
  syncFolder(root);
  renameSync(fresh, join(root, CURRENT));
  syncFolder(root);
}
