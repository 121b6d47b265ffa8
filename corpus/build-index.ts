import { rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PragauraError } from '../common/index.ts';
import { Build, type Parts } from './build.ts';
import type { BuildOptions, IndexReport } from './build-options.ts';
import type { Collected } from './outcomes.ts';
import { isConcealed } from './readers/hidden/notes.ts';
import { prepare, writing } from './store/folder.ts';
import { sweepOthers } from './store/generations.ts';
import { STAGING } from './store/layout.ts';
import { lock } from './store/lock.ts';

function inOrder(collected: Iterable<Collected>): Parts {
  const sorted = [...collected].sort((a, b) => (a.entry.docId < b.entry.docId ? -1 : 1));
  const documents: Parts['documents'] = [];
  const passages: Parts['passages'] = [];
  for (const { entry, passages: own } of sorted) {
    const { docId, title, source, hash, hidden } = entry;
    const more = hidden === undefined ? {} : { hidden };
    documents.push({ docId, title, source, hash, first: passages.length, passages: own.length, ...more });
    for (const passage of own) passages.push(passage);
  }
  return { documents, passages, parts: sorted.map(({ parts }) => parts) };
}

/** Words of hidden text that may state something; "Quick search", which many pages hide, states nothing. */
const STATES = 4;

function concealedIn(documents: Parts['documents']): IndexReport['hidden'] {
  return documents.flatMap(({ docId: name, hidden }) => {
    const concealed = (hidden?.texts ?? []).filter(
      ({ kind, text }) => isConcealed(kind) && text.split(' ').length >= STATES,
    );
    const [first] = concealed;
    return first === undefined ? [] : [{ name, count: concealed.length, first }];
  });
}

/** What is behind us, best effort: nothing depends on it, and the next build does it again. */
function tidy(work: () => void): void {
  try {
    work();
  } catch {
    // The index is good as it is.
  }
}

/**
 * After a failure, with the lock still held: no half-written generation stays, and no staging on a disk that is
 * full. Vectors computed so far wait for the next run otherwise.
 */
function cleanUp(dir: string, error: unknown): void {
  tidy(() => sweepOthers(dir));
  const full = PragauraError.isInstance(error) && error.code === 'WRITE_FAILED';
  if (full) tidy(() => rmSync(join(dir, STAGING), { recursive: true, force: true }));
}

async function buildLocked(
  dir: string,
  paths: readonly string[],
  options: BuildOptions,
): Promise<IndexReport> {
  const started = performance.now();
  const build = new Build(dir, options);
  const collection = await build.collect(paths);
  const parts = inOrder(collection.documents.values());
  const read = performance.now();
  const cache = build.openCache();
  try {
    const plan = build.plan(parts.passages, cache);
    const planned = performance.now();
    const words = build.wordsFirst(plan)
      ? await build.writeWords(parts, collection.failures, plan, cache)
      : null;
    if (words !== null) tidy(() => sweepOthers(dir));
    const searchable = performance.now();
    const isPending = words !== null && options.wait === false;
    const insideBefore = options.insideMs?.();
    if (!isPending) await build.embed(plan, cache);
    const embedded = performance.now();
    const inside = insideBefore === undefined ? null : options.insideMs!() - insideBefore;
    const written = isPending
      ? words
      : words === null
        ? await build.write(parts, collection.failures, plan)
        : await build.complete(words, parts, plan);
    tidy(() => (isPending ? sweepOthers(dir) : build.note(written)));
    cache.close();
    if (!isPending) tidy(() => rmSync(join(dir, STAGING), { recursive: true, force: true }));
    const ended = performance.now();
    const { manifest, identifiers, graph } = written;
    return {
      schema: 'pragaura.index-report/1',
      dir,
      generation: written.name,
      hash: manifest.hash,
      counts: manifest.counts,
      ...build.compare(collection),
      ...(isPending ? { embedded: 0, reused: plan.reused } : build.tally(plan)),
      pending: isPending ? plan.pending : 0,
      failed: collection.failures,
      skipped: collection.skipped,
      leftOut: collection.leftOut,
      hidden: concealedIn(parts.documents),
      rebuilt: build.rebuilt,
      graph,
      identifiers,
      ms: {
        read: read - started - build.elsewhereMs,
        words: words === null ? null : searchable - started,
        embed: build.elsewhereMs + planned - read + embedded - searchable,
        inside,
        write: searchable - planned + ended - embedded,
        total: ended - started,
      },
    };
  } finally {
    cache.close();
  }
}

/**
 * Builds an index of everything under `paths`, or brings the one in `options.out` up to date: unchanged documents
 * keep their passages and vectors, what is gone is removed, and what a file held that cannot be read any more stays.
 * The same readable input and declared identifiers give the same bytes, whatever was there before. A crash at any moment
 * leaves the index that was there, or the new one. With `options.remove` there may be no paths. Where there is no index that could be searched meanwhile, and with
 * `wait: false` always, words come first: between the two there is then an index without vectors, which says so.
 * Files and records that cannot be read are in the report; the rest is indexed.
 * @throws USAGE when `out` is something else or an index of which nothing would be left, INDEX_LOCKED, NOT_FOUND for a path that does not exist, EMPTY_INPUT
 * when nothing can be indexed, CONFIGURATION for declared identifiers that do not fit, WRITE_FAILED, ABORTED (the vectors so far wait for the next run)
 */
export async function buildIndex(paths: readonly string[], options: BuildOptions): Promise<IndexReport> {
  const dir = resolve(options.out);
  const created = prepare(dir);
  const release = writing(dir, () => lock(dir));
  try {
    return await buildLocked(dir, paths, options);
  } catch (error) {
    cleanUp(dir, error);
    throw error;
  } finally {
    tidy(release);
    // Succeeds only on a folder that holds nothing.
    if (created) tidy(() => rmdirSync(dir));
  }
}
