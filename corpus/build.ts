import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { PragauraError } from '../common/index.ts';
import { ANALYSIS_VERSION } from './analysis-version.ts';
import {
  type BuildOptions,
  DEFAULT_MAX_TOKENS,
  type GraphKept,
  type IndexReport,
  type Made,
  type Written,
} from './build-options.ts';
import { type Collection, collect, comesFrom, interrupted } from './collect.ts';
import { duplicates } from './duplicates.ts';
import { editions } from './editions.ts';
import { type EmbedPlan, embedPlanned, planEmbedding } from './embed-passages.ts';
import {
  buildIdentifiers,
  checkedDeclaration,
  type DeclaredIdentifiers,
  type IdentifierTable,
  loadIdentifiers,
  NOTHING_DECLARED,
} from './identifiers/index.ts';
import type { Collected } from './outcomes.ts';
import type { Passage } from './passages/passage.ts';
import { SPLITTER_VERSION } from './passages/split.ts';
import { buildPostings } from './postings/index.ts';
import { declaredIn, documentsOf, openPrevious, vectorsOf } from './previous.ts';
import type { InputFile } from './readers/walk.ts';
import { currentName, nextGeneration, writing } from './store/folder.ts';
import { beginHistory, noteGeneration, sweepOthers } from './store/generations.ts';
import { GRAPH_FILE, GRAPH_SOURCE, STAGING } from './store/layout.ts';
import type { StoredIndex } from './store/open-index.ts';
import { type Reviewed, reviewedIn } from './store/reviewed.ts';
import { VectorCache } from './store/vector-cache.ts';
import {
  completeGeneration,
  type Generation,
  pointAt,
  type Vectors,
  writeGeneration,
} from './store/write-generation.ts';
import { buildStructure } from './structure/index.ts';
import type { DocumentEntry, Failure, LeftOut, Manifest, Part } from './types.ts';

/** Texts that are embedded before anything is written: a second or two of work. */
const FEW = 64;

export interface Parts {
  documents: DocumentEntry[];
  passages: Passage[];
  /** Of each document. */
  parts: (readonly Part[])[];
}

/** A generation that CURRENT names, or that is staged. */
export interface Published {
  name: string;
  manifest: Manifest;
  identifiers: IdentifierTable['declared'];
  graph: GraphKept | null;
}

function nothingToIndex(paths: readonly string[], failures: readonly Failure[]): PragauraError {
  if (paths.length === 0) {
    return new PragauraError('EMPTY_INPUT', 'Nothing would be left in the index.', {
      hint: 'Add a document first, or remove the folder of the index.',
    });
  }
  if (failures.length === 0) {
    return new PragauraError('EMPTY_INPUT', `There is nothing to index in ${paths.join(', ')}.`, {
      hint: 'Read are md, txt, html, pdf, docx, csv, tsv, jsonl and SQuAD json.',
    });
  }
  const some = failures.slice(0, 3).map(({ name, reason }) => `${name}: ${reason}`);
  const more = failures.length > some.length ? `, and ${failures.length - some.length} more` : '';
  return new PragauraError('EMPTY_INPUT', `Nothing could be read (${some.join('; ')}${more}).`);
}

function nothingToStageOn(dir: string, problem: string | null): PragauraError {
  return new PragauraError('INDEX_UNUSABLE', problem ?? `There is no index at ${dir}.`, {
    hint: `Build it first: pragaura index PATH… --out ${dir}`,
  });
}

function sameEmbedder(a: Manifest['embedder'], b: Manifest['embedder']): boolean {
  return a.name === b.name && a.sha256 === b.sha256 && a.dimension === b.dimension;
}

/** One build, from the moment that the folder is locked. */
export class Build {
  readonly #dir: string;
  readonly #options: BuildOptions;
  readonly #settings: Manifest['settings'];
  readonly #keepMissing: boolean;
  readonly #remove: ReadonlySet<string>;
  readonly #previous: StoredIndex | null;
  readonly #before: ReadonlyMap<string, Collected>;
  readonly #reviewed: Reviewed;
  readonly #declared: DeclaredIdentifiers;
  #made: Made | null = null;
  /** Milliseconds that others took. */
  elsewhereMs = 0;
  readonly rebuilt: string | null;

  constructor(dir: string, options: BuildOptions) {
    this.#dir = dir;
    this.#options = options;
    const { identifiers, remove } = options;
    const given = identifiers === undefined ? null : checkedDeclaration(identifiers);
    const { previous, problem } = openPrevious(dir);
    this.#previous = previous;
    this.#remove = new Set(remove);
    this.#keepMissing = options.keepMissing === true || remove !== undefined;
    const own = this.#keepMissing ? previous?.manifest.settings.maxTokens : undefined;
    this.#settings = {
      maxTokens: options.maxTokens ?? own ?? DEFAULT_MAX_TOKENS,
      splitter: SPLITTER_VERSION,
      analysis: ANALYSIS_VERSION,
    };
    this.#declared = given ?? (previous === null ? NOTHING_DECLARED : declaredIn(previous));
    this.#before = previous === null ? new Map() : documentsOf(previous);
    this.#reviewed = options.stage || options.unreviewed ? new Map() : reviewedIn(dir);
    if (options.stage && previous === null) throw nothingToStageOn(dir, problem);
    this.rebuilt =
      problem === null
        ? this.#difference()
        : `${problem}${given === null ? ' Identifiers that were declared for it have to be declared again.' : ''}`;
    // A generation that cannot be read is no reason not to build a new one.
    if (previous !== null) beginHistory(dir, options.keepGenerations);
    writing(dir, () => sweepOthers(dir));
  }

  #sameSettings(): boolean {
    const before = this.#previous?.manifest.settings;
    return before?.maxTokens === this.#settings.maxTokens && before.splitter === this.#settings.splitter;
  }

  #sameEmbedder(): boolean {
    return this.#previous !== null && sameEmbedder(this.#previous.manifest.embedder, this.#options.embedder);
  }

  #difference(): string | null {
    if (this.#previous === null) return null;
    if (!this.#sameEmbedder()) return 'The index was made with another embedder.';
    return this.#sameSettings() ? null : 'The index was made with other passage settings.';
  }

  async collect(paths: readonly string[]): Promise<Collection> {
    const { countTokens, onProgress, signal } = this.#options;
    const reusable = this.#sameSettings();
    const collection = await collect(paths, {
      maxTokens: this.#settings.maxTokens,
      countTokens,
      exclude: realpathSync(this.#dir),
      elsewhere: this.#options.elsewhere && (async (files) => (await this.#elsewhere(files)).outcomes),
      known: (docId) => (reusable ? this.#before.get(docId) : undefined),
      kept: (docId) => (this.#stays(docId) ? this.#before.get(docId)?.entry.source : undefined),
      // What others made is only put together here.
      onDocument: (done, detail) => {
        if (this.#made === null) onProgress?.({ stage: 'read', done, total: undefined, detail });
      },
      signal,
    });
    const read = new Set(collection.documents.keys());
    for (const docId of this.#reviewed.keys()) read.delete(docId);
    this.#keepUnread(collection);
    this.#keep(
      collection,
      [...this.#before.keys()].filter((docId) => this.#stays(docId)),
    );
    this.#keepReviewed(collection);
    this.#leaveOut(collection, read);
    if (collection.documents.size === 0) throw nothingToIndex(paths, collection.failures);
    if (!this.#keepMissing) this.#refuseOthers(paths, collection);
    return collection;
  }

  async #elsewhere(files: readonly InputFile[]): Promise<Made> {
    const { elsewhere, embedder, onProgress, signal } = this.#options;
    const began = performance.now();
    const call = { ...(onProgress && { onProgress }), ...(signal && { signal }) };
    this.#made = await elsewhere!(files, { maxTokens: this.#settings.maxTokens, embedder }, call);
    this.elsewhereMs = performance.now() - began;
    return this.#made;
  }

  /** What was reviewed is not undone by a file that was not. A rollback has undone it: then the index has another text. */
  #keepReviewed({ documents, leftOut }: Collection): void {
    for (const [docId, { hash, ticket }] of this.#reviewed) {
      const before = this.#before.get(docId);
      if (this.#remove.has(docId) || (before?.entry.hash ?? null) !== hash) continue;
      const found = documents.get(docId);
      if ((found?.entry.hash ?? null) === hash) continue;
      const what = hash === null ? `ticket ${ticket} took it out` : `it stays as ticket ${ticket} has it`;
      leftOut.push({ name: docId, reason: `${what}; --unreviewed takes what the files say`, of: null });
      if (before === undefined) documents.delete(docId);
      else documents.set(docId, before);
    }
  }

  /** Whether a document of the index is in it afterwards though no path holds it. */
  #stays(docId: string): boolean {
    return this.#keepMissing && !this.#remove.has(docId);
  }

  /**
   * What several files say in the same words counts once. Only what was just read is left out: what is kept would not come back
   * when what it was left out for is gone.
   */
  #leaveOut({ documents, leftOut }: Collection, read: ReadonlySet<string>): void {
    const found = new Map<string, Omit<LeftOut, 'name'>>();
    for (const repeatedIn of [duplicates, editions]) {
      for (const [name, again] of repeatedIn(documents.values())) {
        if (!read.has(name)) continue;
        documents.delete(name);
        found.set(name, again);
      }
    }
    for (const [name, { of, reason }] of found) {
      let stays = of;
      // What is named was left out later than what it is named for, if at all.
      while (stays !== null && found.has(stays)) stays = found.get(stays)!.of;
      leftOut.push({ name, reason, of: stays });
    }
    leftOut.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** What a file held that is still there and cannot be read today stays as it was. */
  #keepUnread(collection: Collection): void {
    const { documents, failures, unread } = collection;
    if (unread.size === 0) return;
    const before = [...this.#before.values()].map(({ entry }) => entry);
    const kept = before.filter(({ docId, source }) => !documents.has(docId) && comesFrom(source, unread));
    this.#keep(
      collection,
      kept.map(({ docId }) => docId),
    );
    for (const failure of failures) {
      const name = new Set(unread.has(failure.name) ? [failure.name] : []);
      const count = kept.filter(({ source }) => comesFrom(source, name)).length;
      if (count > 0)
        failure.reason += `; kept as it was (${count} ${count === 1 ? 'document' : 'documents'})`;
    }
  }

  #keep({ documents }: Collection, docIds: readonly string[]): void {
    const missing = docIds.filter((docId) => !documents.has(docId));
    if (missing.length > 0 && !this.#sameSettings()) {
      const tokens = this.#previous?.manifest.settings.maxTokens;
      throw new PragauraError(
        'USAGE',
        `${missing.length} documents cannot be kept: they were cut into passages with other settings.`,
        {
          hint:
            tokens === this.#settings.maxTokens
              ? 'Index everything again into another --out, every file of it readable.'
              : `Use --max-tokens ${tokens}, or index everything again, every file of it readable.`,
        },
      );
    }
    for (const docId of missing) documents.set(docId, this.#before.get(docId)!);
  }

  /** Paths that have nothing to do with the index are a slip more often than a wish to empty it. */
  #refuseOthers(paths: readonly string[], { documents, files }: Collection): void {
    if (this.#before.size === 0) return;
    for (const [docId, { entry }] of this.#before) {
      if (documents.has(docId) || comesFrom(entry.source, files)) return;
    }
    const count = this.#before.size === 1 ? 'the one document' : `all ${this.#before.size} documents`;
    throw new PragauraError(
      'USAGE',
      `Nothing that the index holds is in ${paths.join(', ')}: ${count} of the index would be dropped.`,
      {
        hint:
          'Say --keep-missing to add to the index, or name another --out. To start over, remove the folder ' +
          `${this.#dir} first.`,
      },
    );
  }

  compare({
    documents,
  }: Collection): Pick<IndexReport, 'added' | 'changed' | 'unchanged' | 'removed' | 'unknown'> {
    const unknown = [...this.#remove].filter((docId) => !this.#before.has(docId));
    const counts = { added: 0, changed: 0, unchanged: 0, removed: 0, unknown };
    for (const [docId, { entry }] of documents) {
      const before = this.#before.get(docId);
      if (before === undefined) counts.added += 1;
      else if (before.entry.hash === entry.hash) counts.unchanged += 1;
      else counts.changed += 1;
    }
    for (const docId of this.#before.keys()) if (!documents.has(docId)) counts.removed += 1;
    return counts;
  }

  /** What an interrupted build has left, to be closed by the caller. */
  openCache(): VectorCache {
    return writing(this.#dir, () => new VectorCache(join(this.#dir, STAGING), this.#options.embedder));
  }

  /** What has to be embedded: that of which neither the index nor an interrupted build has a vector. */
  plan(passages: readonly Passage[], cache: VectorCache): EmbedPlan {
    const stored = this.#previous !== null && this.#sameEmbedder() ? vectorsOf(this.#previous) : new Map();
    const plan = planEmbedding(
      passages,
      this.#options.embedder.dimension,
      (key) => stored.get(key) ?? cache.get(key) ?? this.#made?.vectors.get(key),
    );
    // They are in the plan: a large index need not have them twice.
    if (this.#made !== null) this.#made = { ...this.#made, vectors: new Map() };
    return plan;
  }

  /** Texts that are embedded for this build, here or elsewhere, and passages whose vectors were there before. */
  tally({ queue, reused, keys }: EmbedPlan): Pick<IndexReport, 'embedded' | 'reused'> {
    const fresh = this.#made?.fresh;
    if (fresh === undefined || fresh.size === 0) return { embedded: queue.length, reused };
    const bytes = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
    const all = Array.from({ length: bytes.length / 32 }, (_, row) =>
      bytes.toString('hex', row * 32, row * 32 + 32),
    );
    const made = all.filter((key) => fresh.has(key));
    return { embedded: queue.length + new Set(made).size, reused: reused - made.length };
  }

  /**
   * Whether words are to be searched before the vectors are there. An index with all its vectors is worth more than a
   * newer one without, unless nobody is to wait; a handful of texts is not worth writing an index twice, and what is staged is
   * searched by nobody yet.
   */
  wordsFirst({ queue }: EmbedPlan): boolean {
    if (this.#options.stage) return false;
    return queue.length > FEW && (this.#options.wait === false || !this.#isSearchable());
  }

  /** Whether what is there can be opened by a router, dense branch and all. */
  #isSearchable(): boolean {
    if (this.#previous === null || !this.#sameEmbedder()) return false;
    const { pending, settings } = this.#previous.manifest;
    return pending === undefined && settings.analysis === ANALYSIS_VERSION;
  }

  async embed(plan: EmbedPlan, cache: VectorCache): Promise<void> {
    const { embed, embedder, onProgress, signal } = this.#options;
    const total = plan.reused + plan.pending;
    await embedPlanned(plan, {
      embed,
      dimension: embedder.dimension,
      keep: (keys, vectors) => writing(this.#dir, () => cache.append(keys, vectors)),
      onProgress: (done, share) => onProgress?.({ stage: 'embed', done, total, detail: '', share }),
      signal,
    });
  }

  /** Writes an index of words alone and points at it. Vectors that are known are in the cache before. */
  writeWords(parts: Parts, failures: Failure[], plan: EmbedPlan, cache: VectorCache): Promise<Published> {
    writing(this.#dir, () => keepKnown(plan, cache));
    return this.#write('words', parts, failures, plan.pending);
  }

  /** Writes the new generation and points at it; up to the pointing, the old index is the index. */
  write(parts: Parts, failures: Failure[], vectors: Vectors): Promise<Published> {
    return this.#write('write', parts, failures, vectors);
  }

  /** Notes that it is the index now, and removes generations that are not kept; what is staged is not the index. */
  note({ name: generation, manifest: { hash } }: Published): void {
    if (this.#options.stage) return;
    noteGeneration(this.#dir, { generation, hash, why: 'built' }, this.#options.keepGenerations, new Date());
  }

  /** Adds the vectors to what `writeWords` wrote, as a generation of its own, and points at it. */
  complete(
    { name: words, manifest, identifiers }: Published,
    { passages }: Parts,
    vectors: Vectors,
  ): Promise<Published> {
    const from = join(this.#dir, words);
    return this.#publish('write', passages, vectors, () => ({
      write: (folder) => completeGeneration(folder, from, manifest, vectors),
      identifiers,
    }));
  }

  #write(
    stage: 'words' | 'write',
    parts: Parts,
    failures: Failure[],
    vectors: Generation['vectors'],
  ): Promise<Published> {
    return this.#publish(stage, parts.passages, vectors, () => {
      const postings = buildPostings(parts.passages);
      const identifiers = buildIdentifiers(parts.passages, this.#declared);
      const { declared } = loadIdentifiers({ segment: (name) => identifiers[name]! });
      const { passages, documents } = parts;
      const { embedder } = this.#options;
      const settings = this.#settings;
      const segments = [postings, identifiers, buildStructure(parts, parts.parts)];
      const generation = { passages, documents, failures, embedder, settings, vectors, segments };
      return { write: (folder) => writeGeneration(folder, generation), identifiers: declared };
    });
  }

  /** `prepare` computes what is written. */
  async #publish(
    stage: 'words' | 'write',
    passages: readonly Passage[],
    vectors: Generation['vectors'],
    prepare: () => { write: (folder: string) => Manifest; identifiers: Published['identifiers'] },
  ): Promise<Published> {
    const { onProgress, signal, stage: staged } = this.#options;
    const total = passages.length;
    onProgress?.({ stage, done: 0, total, detail: '' });
    const { write, identifiers } = prepare();
    if (signal?.aborted) throw interrupted();
    const name = nextGeneration(this.#dir);
    const folder = join(this.#dir, name);
    const manifest = writing(this.#dir, () => write(folder));
    const rows = typeof vectors === 'number' ? new Float32Array() : vectors.vectors;
    onProgress?.({ stage, done: total, total, detail: '' });
    const graph = await this.#graphFor({ folder, manifest, passages, vectors: rows });
    if (!staged) writing(this.#dir, () => pointAt(this.#dir, name));
    return { name, manifest, identifiers, graph };
  }

  async #graphFor(generation: Omit<Written, 'dir' | 'before'>): Promise<GraphKept | null> {
    const { keepGraph, embed, onProgress, signal } = this.#options;
    const current = currentName(this.#dir);
    if (keepGraph === undefined || current === undefined) return null;
    const before = join(this.#dir, current);
    if (![GRAPH_FILE, GRAPH_SOURCE].some((file) => existsSync(join(before, file)))) return null;
    const call = { embed, ...(onProgress && { onProgress }), ...(signal && { signal }) };
    return keepGraph({ ...generation, dir: this.#dir, before }, call);
  }
}

/** Known vectors are kept in the cache as well, since the index that they are in is about to be replaced. */
function keepKnown({ vectors, keys, queue }: EmbedPlan, cache: VectorCache): void {
  const kept = new Set<string>();
  const waiting = new Set(queue.flatMap(({ rows }) => rows));
  const dimension = (32 * vectors.length) / keys.length;
  const hex = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  for (let row = 0; row * 32 < keys.length; row++) {
    const key = hex.toString('hex', row * 32, row * 32 + 32);
    if (waiting.has(row) || kept.has(key) || cache.get(key) !== undefined) continue;
    kept.add(key);
    cache.append([key], [vectors.subarray(row * dimension, (row + 1) * dimension)]);
  }
}
