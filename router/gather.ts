/** From a query to what its decision is made on: passages, readings, comparisons, state. */
import { setImmediate as turn } from 'node:timers/promises';
import { informationState, type Requirement, repliedTo, takeReply } from '../conversation/index.ts';
import { type IndexBackend, type IndexedPassage, sentences } from '../corpus/index.ts';
import { type Allocation, allocate } from '../profiles/index.ts';
import {
  chooseAnswer,
  planNli,
  type QueryPassage,
  type ScoredPassage,
  signalsFrom,
} from '../scorers/index.ts';
import {
  ANSWERS,
  type AskedEntry,
  entryAlone,
  entryAsked,
  entryPlaces,
  formAsked,
  isBeside,
  isOfKind,
  shareBeside,
  sideEntries,
  sidesAsked,
  states,
  wordAlone,
} from './answer/index.ts';
import type { Ledger } from './budget/index.ts';
import type { Query } from './contracts.ts';
import {
  claimPairs,
  claimVerdicts,
  type Outcome,
  planningFeatures,
  precheck,
  type Thresholds,
} from './decision/index.ts';
import { evidenceFor, evidenceOf, evidenceShown, type Judged, readable } from './evidence.ts';
import type { KnowledgeGraph } from './graph/index.ts';
import {
  aboutNamed,
  concealedFor,
  inCorpusSpelling,
  inDocumentsSpelling,
  planPremises,
  premisesFrom,
  sparingNames,
  withoutInstructions,
} from './layers/index.ts';
import {
  besideLinks,
  type Candidate,
  judged,
  type Links,
  linksOf,
  pastFor,
  type RetrievalResult,
} from './retrieval/index.ts';
import { bestQuestion } from './told.ts';
import type { Run, Trail } from './trail.ts';

/** Pairs that may go to what a question takes for granted, and to what only planning asks: more where a user told something. */
const PREMISES = 2;
const CLAIMS = { alone: 1, told: 6 };
/** Passages whose vectors are compared for the state's cosine form of conflict. */
const COMPARED = 4;

/**
 * Fills the trail, stage by stage, under the ledger. Gives an outcome when a gate closes before the models run. `filters`
 * and the vector are the query's.
 */
export async function gather(
  run: Run,
  trail: Trail,
  vector: Float32Array,
  filters: Query['filters'],
  thresholds: Thresholds,
): Promise<Outcome | null> {
  const { parts, ledger, watch, signal } = run;
  const { identifiers, retrieval, index, layers } = parts;
  const named = identifiers
    .extract(trail.query)
    .map((each) => ({ ...each, known: identifiers.has(each.id) }));
  const known = named.filter((each) => each.known);
  const written = inCorpusSpelling(trail.query, known);
  // What the filters keep from the asker is not to be suggested either.
  const open = layers.spelling.on && filters === undefined;
  const unknown = open ? retrieval.coverage(written).unknown : [];
  trail.spelling =
    unknown.length === 0
      ? []
      : sparingNames(
          written,
          await retrieval.spellings(unknown, (word) => parts.scorers.countTokens(word) === 1, signal),
        );
  const text = inDocumentsSpelling(written, trail.spelling);
  const direction = text === written ? vector : (await parts.scorers.embed([text], { signal }))[0]!;
  const share = besideLinks(retrieval, parts.share);
  const allocation = allocate(parts.profiles, trail.act, parts.policy, share);
  trail.allocation = allocation;

  const ofEach = filters === undefined ? await entriesFor(index, text, signal) : [];
  const entries = [...new Map(ofEach.flat().map((each) => [each.ordinal, each])).values()];
  const paid = paidFor(entries, ledger);
  const request = { query: text, vector: direction, filters, allocation, ledger, signal };
  trail.retrieved = await watch.time('retrieve', async () =>
    withEntries(await retrieval.retrieve(request), paid),
  );
  const passageOf = ({ indexed }: Candidate) => indexed.passage;
  const { kept, suspects } = withoutInstructions(trail.retrieved.candidates, passageOf, layers);
  trail.suspects = suspects;
  trail.judged = kept.map((candidate) => ({ candidate, early: null, relevance: null, reading: null }));
  trail.evidence = evidenceFor(trail.judged);
  const { query } = trail;
  run.observe?.({
    stage: 'retrieval',
    query,
    found: kept.length,
    evidence: evidenceShown(trail.evidence, []),
  });
  // What something is said to be now is not to be expected in the documents.
  trail.coverage = retrieval.coverage(trail.stated?.changed ? trail.stated.about : text);
  trail.identifiers = named.map((each) => ({
    id: each.id,
    known: each.known,
    // What the filters keep from the asker is not to be suggested either.
    near: each.known || filters !== undefined ? [] : identifiers.nearest(each.id, 3),
  }));
  const refused = precheck(trail, thresholds);
  if (refused === null) {
    // Other records of the kind that the query names are no evidence, for or against.
    const wanted = layers.identifierInEvidence.on ? known.map(({ id }) => id) : [];
    const wantedOf = (some: readonly Candidate[]) => aboutNamed(some, passageOf, wanted, trail.identifiersIn);
    const screen = (found: readonly Candidate[]) => {
      const screened = withoutInstructions(found, passageOf, layers);
      trail.suspects = [...trail.suspects, ...screened.suspects];
      return wantedOf(screened.kept);
    };
    const room = parts.share.docsScored - share.docsScored;
    const links = linksOf(retrieval, { request, room, screen });
    const judging = watch.time('judge', () => judge(run, text, wantedOf(kept), links, allocation));
    // Once the models have their work this thread is idle: the tagger remembers what the state will ask it.
    const tagged = turn().then(() => parts.tagger(trail.query));
    [trail.judged] = await Promise.all([judging, tagged]);
    trail.evidence = evidenceFor(trail.judged);
    await watch.time('nli', () => compare(run, text, trail));
    const { D, C, E, counts } = trail.report;
    run.observe?.({ stage: 'signals', query, signals: { D, C, E, counts } });
    trail.evidence = evidenceFor(trail.judged, trail.report);
  }
  if (layers.poisoned.on) trail.concealed = concealedFor(index.documents, trail.query, trail.evidence);
  trail.entries = placesOf(text, trail, entries);
  trail.explaining =
    comparedIn(text, trail, ofEach) ?? explainedIn(text, trail, entries) ?? statedIn(text, trail);
  await watch.time('state', () => observe(run, trail));
  trail.question = await watch.time('question', () => bestQuestion(trail));
  await watch.time('features', () => {
    trail.planning = planningFeatures({ ...trail, rewrite: run.asked.rewrite });
  });
  return refused;
}

/** Entries of a term that are looked at, whatever retrieval finds. */
const ENTRIES = 4;
/** Of each of two things that are compared. */
const EACH = 2;
/** Passages that are looked at for what states what a word is. */
const STATED = 8;

/**
 * Passages that explain the very term that the query asks about, or each of two that it compares: those that hold most of
 * what it names beside it.
 */
async function entriesFor(
  index: IndexBackend,
  query: string,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly IndexedPassage[])[]> {
  const sides = sidesAsked(query);
  const asked = sides === null ? [entryAsked(query)].filter((entry) => entry !== null) : sideEntries(sides);
  const terms = asked.flatMap(({ whole, term }) => [whole, term]);
  const explaining = terms.length === 0 ? [] : await index.entriesOf(terms, { signal });
  const isPast = pastFor(query);
  const ofOne = (entry: AskedEntry) => {
    const place = 2 * asked.indexOf(entry);
    const named = [...explaining[place]!, ...explaining[place + 1]!].filter(
      ({ passage }) => !isPast(passage),
    );
    if (sides !== null && named.length < 2) return named;
    const shares = named.map(({ passage }) => shareBeside(entry, passage));
    const most = Math.max(0, ...shares);
    const about = named.filter((_, i) => shares[i] === most && isBeside(most));
    const ofKind = about.filter(({ passage }) => isOfKind(entry, passage));
    return ofKind.length > 0 ? ofKind : about;
  };
  return asked.map((entry) => (sides === null ? ofOne(entry) : ofOne(entry).slice(0, EACH)));
}

/** Of two things that are compared, where the documents explain both, the explanation that answers best; else null. */
function comparedIn(
  query: string,
  { act, evidence }: Trail,
  ofEach: readonly (readonly IndexedPassage[])[],
): string | null {
  if (ofEach.length < 2 || formAsked(query, act.label) !== 'comparison') return null;
  const [one, other] = ofEach.map((entries) => new Set(entries.map(({ passage }) => passage.passageId)));
  const read = evidence.filter(({ passageId }) => one!.has(passageId) || other!.has(passageId));
  const both = [one, other].every((side) => read.some(({ passageId }) => side!.has(passageId)));
  return both ? read[0]!.passageId : null;
}

/** The entry that a query asks for and for nothing beside it, of several the one that answers best; else null. */
function explainedIn(query: string, { evidence }: Trail, entries: readonly IndexedPassage[]): string | null {
  if (entries.length > ENTRIES || entryAlone(query) === null) return null;
  const ids = new Set(entries.map(({ passage }) => passage.passageId));
  return evidence.find(({ passageId }) => ids.has(passageId))?.passageId ?? null;
}

/** The passage that states what the word is which alone the query asks about, of those that are ranked first; else null. */
function statedIn(query: string, { act, evidence }: Trail): string | null {
  const word = formAsked(query, act.label) === 'definition' ? wordAlone(query) : null;
  if (word === null) return null;
  const stating = evidence
    .slice(0, STATED)
    .find(({ text }) =>
      sentences(text, 0, text.length).some(({ start, end }) => states(text.slice(start, end), word)),
    );
  return stating?.passageId ?? null;
}

/**
 * Entries are paid for like any passage that a branch hands over. A term that has more of them than are looked at names
 * none by itself: then retrieval has to find them.
 */
function paidFor(found: readonly IndexedPassage[], ledger: Ledger): readonly IndexedPassage[] {
  if (found.length === 0 || found.length > ENTRIES) return found;
  const lease = ledger.lease('entries', { docsScored: found.length });
  const paid = found.slice(0, lease.take('docsScored', found.length));
  lease.close();
  return paid;
}

/** What the entries say, of those that were found: more than a few are told apart without being read. */
function placesOf(
  query: string,
  { act, evidence }: Trail,
  entries: readonly IndexedPassage[],
): Trail['entries'] {
  const read = new Map(evidence.map((each) => [each.passageId, each]));
  const sources = entries.flatMap((indexed) => {
    const { passage } = indexed;
    const found = read.get(passage.passageId);
    if (found === undefined && entries.length <= ENTRIES) return [];
    return [{ evidence: found ?? evidenceOf(passage), parts: indexed.parts }];
  });
  return entryPlaces(query, act.label, sources, evidence[0]);
}

/** The candidates with the entries before all others: those that were paid for, else those that retrieval found too. */
function withEntries(retrieved: RetrievalResult, entries: readonly IndexedPassage[]): RetrievalResult {
  const best = retrieved.candidates[0]?.fused ?? 1;
  const found = new Map(retrieved.candidates.map((candidate) => [candidate.ordinal, candidate]));
  const first = entries.flatMap((indexed): Candidate[] => {
    const { ordinal } = indexed;
    const candidate = found.get(ordinal);
    if (candidate !== undefined) return [{ ...candidate, fused: best }];
    if (entries.length > ENTRIES) return [];
    const { genre } = indexed.passage;
    return [{ ordinal, fused: best, lexical: 0, dense: null, branchScores: {}, genre, indexed }];
  });
  const lifted = new Set(first.map(({ ordinal }) => ordinal));
  const rest = retrieved.candidates.filter(({ ordinal }) => !lifted.has(ordinal));
  return { ...retrieved, candidates: [...first, ...rest] };
}

/** All candidates, with those that links add; relevance and reading of the best, as far as pairs and tokens were granted. */
async function judge(
  { parts: { scorers }, ledger, signal }: Run,
  query: string,
  candidates: readonly Candidate[],
  links: Links | null,
  allocation: Allocation,
): Promise<Judged[]> {
  const lease = ledger.lease('judge', {
    rerankPairs: allocation.rerankDepth,
    contextTokens: allocation.contextTokens,
  });
  const read = async (pairs: readonly QueryPassage[]) => {
    // Asked for together, so that one pass of a model that has both heads serves both.
    const [relevances, readings] = await Promise.all([
      scorers.rerank(pairs, { signal }),
      scorers.read(pairs, { signal }),
    ]);
    return relevances.map((relevance, i) => ({ relevance, reading: readings[i]! }));
  };
  const all = await judged({ query, lease, scorers, links, read, signal }, candidates);
  lease.close();
  links?.close();
  return all.map(({ said, ...one }) => ({
    ...one,
    relevance: said?.relevance ?? null,
    reading: said?.reading ?? null,
  }));
}

/** Without what change logs say, where something else answers: what held once is no rival of what holds. */
function presentOf(query: string, passages: readonly ScoredPassage[]): readonly ScoredPassage[] {
  const isPast = pastFor(query);
  const present = passages.filter((passage) => !isPast(passage));
  return present.some(({ relevance }) => (relevance?.score ?? 0) >= ANSWERS) ? present : passages;
}

/** What the entailment model says of the answers and of what the question takes for granted, out of one lease. */
async function compare({ parts, ledger, signal }: Run, query: string, trail: Trail): Promise<void> {
  const passages = presentOf(query, readable(trail.judged));
  trail.answers = chooseAnswer(query, passages);
  const lease = ledger.lease('nli', { nliPairs: trail.allocation!.nliPairs });
  const limit = lease.granted.nliPairs;
  const taken = planPremises(query, passages, Math.min(PREMISES, limit), trail.layers);
  const most = trail.history.length === 0 ? CLAIMS.alone : CLAIMS.told;
  const claims = claimPairs(trail, Math.min(most, limit - taken.length));
  const plan = planNli(query, passages, trail.answers, limit - taken.length - claims.length);
  const own = plan.pairs.length;
  const pairs = [...plan.pairs, ...taken, ...claims].map(({ premise, hypothesis }) => ({
    premise,
    hypothesis,
  }));
  lease.spend('nliPairs', pairs.length);
  const scores = await parts.scorers.nli(pairs, { signal });
  lease.close();
  trail.report = signalsFrom(passages, trail.answers, plan, scores.slice(0, own));
  trail.premises = premisesFrom(taken, scores.slice(own, own + taken.length));
  trail.claims = claimVerdicts(claims, scores.slice(own + taken.length));
}

/** The information state over all that was found, and the path score of the graph. */
function observe({ parts, asked }: Run, trail: Trail): void {
  const { graph, tagger } = parts;
  const found = new Map(
    trail.judged.map(({ candidate: { indexed } }) => [indexed.passage.passageId, indexed]),
  );
  const vectors = trail.evidence
    .slice(0, COMPARED)
    .flatMap(({ passageId }) => found.get(passageId)?.vector ?? []);
  const { replies } = asked;
  const required = requiredBy(graph, trail, replies.length > 0);
  const given = { ...trail, history: [...trail.history], vectors, required, replies };
  let state = informationState(given, tagger);
  for (const reply of replies) state = takeReply(state, reply);
  trail.state = state;
  trail.path = graph?.pathScore(trail.query) ?? null;
}

/** What the graph says that the query needs, without what the user was asked for on the way to it and has replied to. */
function requiredBy(
  graph: KnowledgeGraph | null,
  { query, history }: Trail,
  replied: boolean,
): Requirement[] {
  const required = graph?.requirementsOf(query) ?? [];
  // Most queries need nothing, and the history takes a while to read.
  if (required.length === 0) return [];
  const asked = repliedTo(query, history, replied);
  return required.filter(({ variable }) => !asked.has(variable));
}
