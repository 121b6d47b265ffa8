import { isYesNoQuestion, type ScoredPassage, TUNING, toStatement } from '../../scorers/index.ts';
import { sentences } from '../corpus/passages/sentences.ts';
import { contentStems } from '../state/index.ts';
import { abstains } from './found.ts';
import type { LayerSettings } from './settings.ts';
import { quoted, topics } from './suggestions.ts';
import type { Layer, PremiseVerdict } from './types.ts';

/** Stands for what is asked. No question holds it. */
const ASKED = 'something';
/** "The fee is something.", "The school was in something.": what is left without it states nothing. */
const BARE = /\s(?:is|was|are|were)(?: (?:because|by|in|on|at|for|with))? something\.$/;
/** "The mast must be.": nothing is stated either. */
const LINKS = /\s(?:is|was|are|were|be|been)\.$/;
/** Passages that are looked into, the most relevant ones. */
const LOOKED_AT = 8;
const LONGEST = 8_000;
/** A sentence that holds fewer of the premise's words speaks of something else, and "contradicts" by accident. */
const LEAST_SHARED = 0.5;

/**
 * What a question takes for granted, as a statement: "Why did Tesla invent the telephone?" presupposes "Tesla invented
 * the telephone." By the rules that make claims of questions, with the part that is asked for left out. Null where
 * nothing is taken for granted but that a thing exists: yes-or-no questions ask for it, "What is the fee?" states
 * nothing, and other forms are not understood.
 */
export function presuppositionOf(query: string): string | null {
  if (isYesNoQuestion(query)) return null;
  const claim = toStatement(query, ASKED);
  if (claim.startsWith('The answer to ') || /^(?:something|the [^ ]+ (?:is|was)) something/i.test(claim)) {
    return null;
  }
  if (BARE.test(claim)) return null;
  const premise = withoutMeasure(query, claim)
    .replace(/\s+(?:(?:is|was|are|were)\s+)?(?:because|by|in|on|at|for|with)?\s*\bsomething\.$/, '.')
    .replace(/^(?:I|you|we)\s+/i, 'One ');
  return premise.split(' ').length < 3 || LINKS.test(premise) ? null : premise;
}

/** "Observations are kept something long." and "The network has something stations.": without the measure asked for. */
function withoutMeasure(query: string, claim: string): string {
  const measured = /^how\s+(\p{L}+)/iu.exec(query)?.[1];
  if (measured === undefined) return claim;
  if (/^(?:many|much)$/i.test(measured)) return claim.replace(/ something (?=\p{L})/u, ' ');
  return claim.replace(new RegExp(` something ${measured}\\.$`, 'iu'), '.');
}

/** A pair for the entailment model: what a passage says, under its title, and what the question takes for granted. */
interface PremisePair {
  premise: string;
  hypothesis: string;
  /** Id of the passage, and its sentence. */
  key: string;
  sentence: string;
}

/**
 * The pairs that tell whether the documents deny what a question takes for granted, at most `limit`, one a document:
 * title and best sentence of the passages that speak of it most, by the words that they share with it, then by
 * relevance. None where the layer is off, nothing is taken for granted or no passage is on the topic.
 */
export function planPremises(
  query: string,
  passages: readonly ScoredPassage[],
  limit: number,
  { falsePremise: { on } }: LayerSettings,
): PremisePair[] {
  const hypothesis = on && limit > 0 ? presuppositionOf(query) : null;
  if (hypothesis === null) return [];
  const stems = contentStems(hypothesis);
  for (const stem of contentStems(ASKED)) stems.delete(stem);
  const relevant = passages
    .map((passage) => ({ ...passage, relevance: passage.relevance?.score ?? 0 }))
    .filter(({ relevance }) => relevance >= TUNING.topicRelevance)
    .sort((a, b) => b.relevance - a.relevance)
    .slice(0, LOOKED_AT);
  const found = relevant.flatMap(({ key, docId, title, text, relevance }) => {
    const { sentence, shared } = nearestSentence(title, text, stems);
    if (!(shared >= LEAST_SHARED)) return [];
    const head = title.slice(0, 200).trim();
    const premise = head === '' ? sentence : `${head}. ${sentence}`;
    return [{ key, docId, premise, sentence, shared, relevance }];
  });
  found.sort((a, b) => b.shared - a.shared || b.relevance - a.relevance);
  const documents = new Set<string>();
  const first = found.filter(({ docId }) => !documents.has(docId) && documents.add(docId));
  return first.slice(0, limit).map(({ key, premise, sentence }) => ({ premise, hypothesis, key, sentence }));
}

/** What the entailment model said of the pairs, `scores[i]` of `pairs[i]`; null when it was asked nothing. */
export function premisesFrom(
  pairs: readonly PremisePair[],
  scores: readonly ({ entailment: number; contradiction: number } | null)[],
): PremiseVerdict[] | null {
  if (pairs.length === 0) return null;
  return pairs.flatMap(({ key, hypothesis, sentence }, i) => {
    const score = scores[i] ?? null;
    if (score === null) return [];
    const { entailment, contradiction } = score;
    return [{ key, claim: hypothesis, sentence, entailment, contradiction }];
  });
}

/**
 * The documents deny what the question takes for granted: some passage contradicts the premise with at least the limit
 * and more than any passage entails it. Contradiction is looked at first. A passage that answers the question bears it
 * out, whatever another one says of its words, unless that one is sure. The message quotes the passage.
 */
export const falsePremise: Layer = ({ premises, evidence, answers }, { falsePremise: limits }) => {
  const { contradiction, answered, sure } = limits;
  if (premises === null || premises.length === 0) return null;
  const against = premises.reduce((a, b) => (b.contradiction > a.contradiction ? b : a));
  const support = Math.max(...premises.map(({ entailment }) => entailment));
  if (!(against.contradiction >= contradiction) || support >= against.contradiction) return null;
  if ((answers?.clusters[0]?.score ?? 0) >= answered && against.contradiction < sure) return null;
  const passages = evidence.filter(({ passageId }) => passageId === against.key);
  const where = passages.length === 0 ? 'A passage' : quoted(topics(passages)[0]!);
  const message =
    `The question takes for granted: ${quoted(against.claim)} That is denied by the documents. ` +
    `${where} says: ${quoted(against.sentence)}`;
  return abstains('falsePremise', 'FALSE_PREMISE', message, {
    measured: against.contradiction,
    limit: contradiction,
    suggestions: topics(passages),
  });
};

/** The sentence that, with the title, holds most of the stems, and the share that it holds. */
function nearestSentence(
  title: string,
  text: string,
  stems: ReadonlySet<string>,
): { sentence: string; shared: number } {
  const head = contentStems(title);
  let best = { sentence: '', shared: -1 };
  for (const { start, end } of sentences(text, 0, Math.min(text.length, LONGEST))) {
    const sentence = text.slice(start, end);
    const held = contentStems(sentence);
    const shared = [...stems].filter((stem) => held.has(stem) || head.has(stem)).length / stems.size;
    if (shared > best.shared) best = { sentence, shared };
  }
  return best;
}
