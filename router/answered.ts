/** From the decision to answer to the answer that is shown. */

import { type IndexBackend, placeOf } from '../corpus/index.ts';
import { COUNTED_UNITS } from '../profiles/index.ts';
import {
  type Answer,
  byPlace,
  type Composed,
  compose,
  type Source,
  type SpanAnswer,
} from './answer/index.ts';
import { Ledger } from './budget/index.ts';
import type { Evidence } from './contracts.ts';
import { answerOf, type Outcome } from './decision/index.ts';
import { evidenceOf } from './evidence.ts';
import { inDocumentsSpelling, supportOf, tooFew, topics } from './layers/index.ts';
import { rerankedOrder } from './retrieval/index.ts';
import type { Answered, Run, Trail } from './trail.ts';

/** Passages before and behind one that a list is followed into. */
const NEIGHBOURS = 3;
/** What judging sentences and steps may cost, out of what reading has left of the budget. */
const JUDGING = { rerankPairs: 16, contextTokens: 1024, nliPairs: 6 };

/** What is shown, with the sources that support it; null where the outcome is no answer. Throws what the scorers throw. */
export async function answered(run: Run, trail: Trail, outcome: Outcome): Promise<Answered | null> {
  const shown = await shownFor(run, trail, outcome);
  if (shown === null || outcome.definition !== undefined) return shown;
  return { ...shown, answer: { ...shown.answer, support: supportShown(outcome, trail) } };
}

/** The outcome, silent where fewer independent sources say the same as its answer than are demanded, whoever decided. */
export function enoughSources(outcome: Outcome, trail: Trail): Outcome {
  const { on, sources: wanted } = trail.layers.support;
  if (!on || outcome.action !== 'ANSWER' || outcome.definition !== undefined) return outcome;
  const found = supportShown(outcome, trail);
  if (found >= wanted) return outcome;
  const { answer: _, passage: __, places: ___, whole: ____, ...rest } = outcome;
  const told = { message: tooFew(found, wanted), suggestions: topics(trail.evidence) };
  return {
    ...rest,
    action: 'ABSTAIN',
    gate: 'TOO_FEW_SOURCES',
    abstention: { reason: 'TOO_FEW_SOURCES', ...told },
  };
}

/** Of the passage that is shown first; places that say different things have one source each. */
function supportShown({ answer, passage, places }: Outcome, { answers, report }: Trail): number {
  const shown = places === undefined ? (answer?.passageId ?? passage) : undefined;
  return shown === undefined ? 1 : supportOf(answers, report, shown);
}

async function shownFor(run: Run, trail: Trail, outcome: Outcome): Promise<Answered | null> {
  const { parts, ledger } = run;
  const { definition, answer, passage, places, whole, action } = outcome;
  if (action !== 'ANSWER') return null;
  if (definition !== undefined) return { answer: defined(definition), quoted: [definition] };
  if (places !== undefined) {
    const answer: Answer = { ...byPlace(places), band: outcome.gate === null ? 'HIGH' : 'LOW', claim: null };
    return { answer, quoted: places.map(({ evidence }) => evidence) };
  }
  if (whole === true) {
    const { evidence } = sourcesOf(trail).find(({ evidence }) => evidence.passageId === passage)!;
    return { answer: asItStands(evidence), quoted: [evidence] };
  }
  const bound = answer !== undefined && parts.thresholds.status !== 'NOT_CALIBRATED';
  return composed(run, trail, { span: answer ?? null, passage: passage ?? null, bound }, ledger);
}

/**
 * For measurements, before anything is spent on what is really given: each out of a ledger of its own with what is left,
 * because a query pays for one of them at most. `bound`: as for a span of which something is promised, and then no
 * passage. Throws what the scorers throw.
 */
export async function composedApart(run: Run, trail: Trail, bound: boolean): Promise<Composed> {
  const left = Object.fromEntries(COUNTED_UNITS.map((unit) => [unit, run.ledger.remaining(unit)]));
  const budget = { ...run.parts.budget, ...left };
  const [best] = trail.evidence;
  const as = async (from: Showing) => (await composed(run, trail, from, new Ledger(budget))).answer;
  const span = trail.answers.clusters.length === 0 ? null : answerOf(trail);
  return {
    span: span === null ? null : await as({ span, passage: null, bound }),
    passage:
      bound || best === undefined || best.scores.relevance === null
        ? null
        : await as({ span: null, passage: best.passageId, bound: false }),
  };
}

/** Either is given. */
interface Showing {
  span: SpanAnswer | null;
  /** Id of the passage that answers where no span does. */
  passage: string | null;
  bound: boolean;
}

async function composed(
  { parts, signal }: Run,
  trail: Trail,
  { span, passage, bound }: Showing,
  ledger: Ledger,
): Promise<Answered> {
  const known = sourcesOf(trail);
  const first = known.filter(({ evidence }) => evidence.passageId === (span?.passageId ?? passage));
  const sources = [...first, ...known.filter((each) => !first.includes(each))];
  const seen = new Map<string, Evidence>(known.map(({ evidence }) => [evidence.passageId, evidence]));
  const around = async (source: Source, reach = NEIGHBOURS) => {
    const passages = await neighbours(parts.index, source, reach, signal);
    for (const { evidence } of passages)
      if (!seen.has(evidence.passageId)) seen.set(evidence.passageId, evidence);
    return passages.map((each) => (each.evidence.passageId === source.evidence.passageId ? source : each));
  };
  const lease = ledger.lease('answer', JUDGING);
  const answer = await compose({
    query: inDocumentsSpelling(trail.query, trail.spelling),
    act: trail.act.label,
    span,
    bound,
    sources,
    around,
    lease,
    scorers: parts.scorers,
    signal,
  });
  lease.close();
  const ids = new Set(answer.quotes.map(({ passageId }) => passageId));
  return { answer, quoted: [...ids].map((id) => seen.get(id)!) };
}

function asItStands({ docId, passageId, start, end, text }: Evidence): Answer {
  const quotes: Answer['quotes'] = [{ text, docId, passageId, start, end, role: 'answer' }];
  return { form: 'passage', text, quotes, verdict: null, band: 'LOW', claim: null, cut: null };
}

/** What a vocabulary says, from the first to the last word. */
function defined({ docId, passageId, start, end, text, title }: Evidence): Answer {
  const quotes: Answer['quotes'] = [{ text, docId, passageId, start, end, role: 'answer' }];
  const claim = `${title}: ${text}`;
  return { form: 'definition', text, quotes, verdict: null, band: 'HIGH', claim, cut: null };
}

/** The passages that were read, in the order after re-ranking, and whatever else is shown as evidence. */
function sourcesOf({ judged, evidence }: Trail): Source[] {
  const byId = new Map(evidence.map((each) => [each.passageId, each]));
  return rerankedOrder(judged)
    .filter(({ relevance }) => relevance !== null)
    .flatMap(({ candidate: { indexed } }) => {
      const each = byId.get(indexed.passage.passageId);
      return each === undefined ? [] : [{ evidence: each, parts: indexed.parts }];
    });
}

/** The passages of a document around one, as far as `reach` before and behind it: they stand together, in the order of its text. */
async function neighbours(
  index: IndexBackend,
  { evidence: { docId, passageId } }: Source,
  reach: number,
  signal: AbortSignal | undefined,
): Promise<Source[]> {
  const { first, passages } = index.documents.find((each) => each.docId === docId)!;
  const at = first + placeOf(passageId);
  const from = Math.max(first, at - reach);
  const to = Math.min(first + passages, at + reach + 1);
  const ordinals = Array.from({ length: to - from }, (_, i) => from + i);
  const found = await index.passages(ordinals, { signal });
  return found.map(({ passage, parts }) => ({ evidence: evidenceOf(passage), parts }));
}
