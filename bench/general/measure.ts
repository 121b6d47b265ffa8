/** Every question of a drawn set, asked once, with all that any rule would look at. */
import path from 'node:path';
import { codeHash } from '../../calibration/index.ts';
import { type Explanation, indexDocuments, openRouter, type Router } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { writtenPages } from '../documents/public-sets.ts';
import { type Shown, shownOf } from '../documents/shown.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import type { Drawn } from './draw.ts';
import { isRight } from './judged.ts';
import type { Measured, PoolQuestion, PoolSet } from './types.ts';

export interface MeasureOptions {
  scorers: Scorers;
  /** Folder of indexes and pages. */
  cache: string;
  /** Folder of results. */
  out: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** Layers that decide before a model has read anything. */
const UNREAD = {
  vocabulary: OFF(),
  spelling: OFF(),
  identifierExists: OFF(),
  identifierInEvidence: OFF(),
  poisoned: OFF(),
};
function OFF() {
  return { on: false };
}

/** The folder of an index of these documents, made or brought up to date. */
export async function indexDrawn(
  { name, paths }: PoolSet,
  { documents }: Drawn,
  { cache, scorers, say, signal }: MeasureOptions,
): Promise<string> {
  if (paths === undefined && documents[0]?.html === undefined) {
    const plain = documents.map(({ id, title, text }) => ({ docId: id, title, text, source: name }));
    return indexOf({ name, documents: plain }, path.join(cache, 'general'), scorers, say);
  }
  const pages = documents.map(({ id, html }) => ({ name: id, html: html! }));
  const from = paths ?? [await writtenPages(name, pages, cache)];
  const out = path.join(cache, 'general', name);
  const { counts } = await indexDocuments(from, { out, scorers, signal });
  say(`${name}: ${counts.documents} documents, ${counts.passages} passages`);
  return out;
}

/** What was measured of each question; what an earlier run asked under the same versions is not asked again. */
export async function measure(
  set: string,
  index: string,
  questions: readonly PoolQuestion[],
  { scorers, out, say, signal }: MeasureOptions,
): Promise<Measured[]> {
  const opening = { index, scorers, rule: 'provisional', announce: say } as const;
  const router = await openRouter(opening);
  const reading = await openRouter({ ...opening, layers: UNREAD });
  const { calibration: _, ...versions } = router.versions;
  const depends = { ...versions, threads: scorers.info.threads, code: await codeHash() };
  const file = await ResultsFile.open<Measured>(path.join(out, 'asked'), `general-${set}`, depends);
  const progress = new Progress(`general ${set}`, questions.length, say);
  try {
    const all: Measured[] = [];
    for (const question of questions) {
      const kept = file.get(question.id);
      const known = kept?.query === question.query;
      if (!known) await file.add(await measureOne(set, router, reading, question, signal));
      all.push(file.get(question.id)!);
      progress.step(known);
    }
    return all;
  } finally {
    await Promise.all([file.close(), router.close(), reading.close()]);
  }
}

async function measureOne(
  set: string,
  router: Pick<Router, 'explain'>,
  reading: Pick<Router, 'explain'>,
  question: PoolQuestion,
  signal: AbortSignal,
): Promise<Measured> {
  const { id, query, history, filters } = question;
  const asked = { id, query, ...(history && { history }), ...(filters && { filters }) };
  const options = { compose: 'free', signal } as const;
  const first = await router.explain(asked, options);
  const decided = first.decision.layers.find(({ state }) => state === 'decided')?.layer ?? null;
  const early = decided !== null && isUnread(first);
  const read = early ? await reading.explain(asked, options) : first;
  const { act, U, parts } = read.decision;
  return {
    id,
    set,
    query,
    act: act.label,
    closed: first.closed,
    layer: decided,
    early,
    several: parts.length > 0,
    features: read.features,
    U,
    planning: read.planning,
    passages: (read.input?.evidence ?? []).flatMap(({ scores, text }) => {
      const { relevance, margin, fused, entailment, contradiction } = scores;
      if (relevance === null) return [];
      const right = isRight(question, asItStands(text));
      return [{ relevance, margin, fused, entailment, contradiction, right }];
    }),
    span: shown(read.composed?.span),
    passage: shown(read.composed?.passage),
    ms: first.decision.timings.total!,
  };
}

function isUnread({ composed }: Explanation): boolean {
  return composed === null || (composed.span === null && composed.passage === null);
}

function shown(answer: NonNullable<Explanation['composed']>['span'] | undefined): Measured['span'] {
  return answer == null ? null : shownOf({ action: 'ANSWER', answer, parts: [] });
}

function asItStands(text: string): Shown {
  return { text, quotes: [text], verdict: null, form: 'passage', band: 'LOW', cut: null };
}
