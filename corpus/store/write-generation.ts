import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PragauraError, packageVersion } from '../../common/index.ts';
import { countGenres } from '../passages/genre.ts';
import type { Passage } from '../passages/passage.ts';
import type { DocumentEntry, Failure, Manifest, SegmentEntry, Segments } from '../types.ts';
import { isSystemError, replaceFile, syncFolder, writeFile } from './files.ts';
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

/** Files of a generation, in the order of its manifest. Throws INTERNAL where two parts have one name. */
function filesOf(generation: Generation): { name: string; file: string; parts: Iterable<Uint8Array> }[] {
  const { passages, failures, vectors } = generation;
  const documents = generation.documents.map(({ hidden: _, ...entry }) => entry);
  const rows = [...documents, ...failures.map((failed) => ({ failed }))];
  const others = [...generation.segments, hiddenIn(generation.documents)]
    .flatMap((part) => Object.entries(part))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const files = [
    { name: PARTS.passages, file: PARTS.passages, parts: ndjson(passages) },
    { name: PARTS.documents, file: PARTS.documents, parts: ndjson(rows) },
    ...(typeof vectors === 'number' ? [] : filesOfVectors(vectors)),
    ...others.map(([name, bytes]) => ({ name, file: `${name}.bin`, parts: [bytes] })),
  ];
  const twice = files.find(({ name }, i) => files.findIndex((other) => other.name === name) !== i);
  if (twice === undefined) return files;
  throw new PragauraError('INTERNAL', `Two parts of an index are named ${twice.name}.`);
}

function filesOfVectors({ vectors, keys }: Vectors) {
  return [
    { name: PARTS.vectors, file: 'vectors.f32', parts: [bytesOf(vectors)] },
    { name: PARTS.keys, file: 'vectors.keys', parts: [keys] },
  ];
}

/** The manifest of a generation, by what `entryOf` says of each of its files. */
function described(
  generation: Generation,
  entryOf: (file: string, parts: Iterable<Uint8Array>) => Omit<SegmentEntry, 'file'>,
): Omit<Manifest, 'hash'> {
  const { documents, passages, failures, embedder, settings, vectors } = generation;
  return {
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
    segments: Object.fromEntries(
      filesOf(generation).map(({ name, file, parts }) => [name, { file, ...entryOf(file, parts) }]),
    ),
    ...(typeof vectors === 'number' && { pending: vectors }),
  };
}

/**
 * Writes a generation into the folder `dir`, which must not exist, and makes it durable. Nothing points to it yet.
 * The same generation always gives the same bytes. Throws what the file system throws.
 */
export function writeGeneration(dir: string, generation: Generation): Manifest {
  mkdirSync(dir);
  return writeManifest(
    dir,
    described(generation, (file, parts) => writeFile(join(dir, file), parts)),
  );
}

/** The manifest that a generation would be written with. */
export function manifestOf(generation: Generation): Manifest {
  const unnamed = described(generation, (_, parts) => {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const part of parts) {
      hash.update(part);
      bytes += part.byteLength;
    }
    return { bytes, sha256: hash.digest('hex') };
  });
  return { ...unnamed, hash: indexHash(unnamed) };
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

function writeVectors(dir: string, vectors: Vectors): Record<string, SegmentEntry> {
  return Object.fromEntries(
    filesOfVectors(vectors).map(({ name, file, parts }) => [
      name,
      { file, ...writeFile(join(dir, file), parts) },
    ]),
  );
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
  replaceFile(root, CURRENT, Buffer.from(pointerTo(generation)));
}
