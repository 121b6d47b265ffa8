import { quoted } from '../../common/index.ts';
import { contentStems } from '../../conversation/index.ts';
import { sentences } from '../../corpus/index.ts';
import {
  type Clause,
  clauseOf,
  isYesNoQuestion,
  type ScoredPassage,
  TUNING,
  toStatement,
} from '../../scorers/index.ts';
import { abstains } from './found.ts';
import type { LayerSettings } from './settings.ts';
import { nameOf, topics } from './suggestions.ts';
import type { Layer, PremiseVerdict } from './types.ts';

/** Stands for what is asked. No question holds it. */
const ASKED = 'something';
/** "The fee is something.", "The school was in something.": what is left without it states nothing. */
const BARE = /\s(?:is|was|are|were)(?: (?:because|by|in|on|at|for|with))? something\.$/;
/** What is asked for stands where it leaves no clause: "something is the fee", "something rulers had", "likes something to eat". */
const UNSAID =
  /^something (?:is|are|was|were|\S+ (?:\S+ )?(?:is|are|was|were|has|have|had|can)) |\bsomething to\b/i;
/** Passages that are looked into, the most relevant ones. */
const LOOKED_AT = 8;
const LONGEST = 8_000;
/** Least share of the premise's subject, and of what is said of it, that the sentence of a passage on it holds. */
const LEAST_SUBJECT = 1;
const LEAST_SAID = 0.75;

/** What one person is to do, or imagines: nothing is taken for granted but that it can be done. */
const STEPS =
  /\b(?:do|does|can|could|should|shall|would|will|must|may|might|to)\s+(?:i|you|we|one)\b|^how to\b/i;
const IMAGINED = /\b(?:would|could|should|might|if|unless|when|while|until|till|whenever|without|instead)\b/i;
/** More than one question, or one with a remark beside it. */
const SEVERAL =
  /[?!;:,"“”()[\]|]|\.\s|\b(?:and|or|but)\s+(?:what|which|who|whom|whose|when|where|why|how|is|are|do|does|did|can)\b/i;

/**
 * What a question takes for granted, as a statement: "Why did Tesla invent the telephone?" presupposes "Tesla invented
 * the telephone." By the rules that make claims of questions, with the part that is asked for left out. Null where
 * nothing is taken for granted but that a thing exists or can be done (yes-or-no questions ask for it, "What is the
 * fee?" states nothing, "How do I …?" wants steps), and where what is left is no whole clause of subject, verb and what
 * is said: a broken sentence is denied by anything.
 */
export function presuppositionOf(query: string): string | null {
  return presupposed(query)?.text ?? null;
}

/** A presupposition with the words of its subject and of what is said of it, the verb left out. */
interface Presupposed extends Clause {
  text: string;
}

function presupposed(query: string): Presupposed | null {
  const asked = query
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[?.!\s]+$/, '');
  if (isYesNoQuestion(asked) || STEPS.test(asked) || SEVERAL.test(asked)) return null;
  const [question, ...rest] = asked.split(' ');
  if (!/^(?:why|how|when|where|who|what|which|in|on|at|by|since)$/i.test(question!)) return null;
  if (IMAGINED.test(rest.join(' '))) return null;
  const claim = toStatement(asked, ASKED);
  if (claim.startsWith('The answer to ') || BARE.test(claim)) return null;
  const text = withoutMeasure(asked, claim).replace(
    /\s+(?:(?:is|was|are|were)\s+)?(?:because|by|in|on|at|for|with|from|since)?\s*\bsomething\.$/,
    '.',
  );
  const clause = UNSAID.test(text) ? null : clauseOf(text);
  // "Something days before …" is what is left of a measure.
  return clause === null || /^something /i.test(clause.subject) ? null : { text, ...clause };
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
 * the best sentence of the passages on the same thing, by the words that it shares with what is taken for granted, then
 * by relevance. A sentence is about the same thing when it names the subject and what is said of it itself; a pronoun
 * may stand for a subject that the title names, and then the title goes in front. None where the layer is off, nothing
 * is taken for granted or no passage is on the topic.
 */
export function planPremises(
  query: string,
  passages: readonly ScoredPassage[],
  limit: number,
  { falsePremise: { on } }: LayerSettings,
): PremisePair[] {
  const taken = on && limit > 0 ? presupposed(query) : null;
  if (taken === null) return [];
  const relevant = passages
    .map((passage) => ({ ...passage, relevance: passage.relevance?.score ?? 0 }))
    .filter(({ relevance }) => relevance >= TUNING.topicRelevance)
    .sort((a, b) => b.relevance - a.relevance)
    .slice(0, LOOKED_AT);
  const found = relevant.flatMap(({ key, docId, title, text, relevance }) => {
    const nearest = nearestSentence(title, text, taken);
    return nearest === null ? [] : [{ key, docId, relevance, ...nearest }];
  });
  found.sort((a, b) => b.shared - a.shared || b.relevance - a.relevance);
  const documents = new Set<string>();
  const first = found.filter(({ docId }) => !documents.has(docId) && documents.add(docId));
  return first
    .slice(0, limit)
    .map(({ key, premise, sentence }) => ({ premise, hypothesis: taken.text, key, sentence }));
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
  const where = passages.length === 0 ? 'A passage' : quoted(nameOf(passages[0]!));
  const message =
    `The question takes for granted: ${quoted(against.claim)} That is denied by the documents. ` +
    `${where} says: ${quoted(against.sentence)}`;
  return abstains('falsePremise', 'FALSE_PREMISE', message, {
    measured: against.contradiction,
    limit: contradiction,
    suggestions: topics(passages),
  });
};

const POINTING = /\b(?:he|she|it|they|him|her|them|his|hers|its|their)\b/i;

/** The sentence that is about the same thing and holds most of its words; null: none is. */
function nearestSentence(
  title: string,
  text: string,
  taken: Presupposed,
): { sentence: string; premise: string; shared: number } | null {
  const [subject, said] = [stemsOf(taken.subject), stemsOf(taken.said)];
  const head = title.slice(0, 200).trim();
  const titled = contentStems(head);
  let best: { sentence: string; premise: string; shared: number } | null = null;
  for (const { start, end } of sentences(text, 0, Math.min(text.length, LONGEST))) {
    const sentence = text.slice(start, end);
    const held = contentStems(sentence);
    const named = shareOf(subject, held) >= LEAST_SUBJECT;
    const pointed = !named && POINTING.test(sentence) && shareOf(subject, titled) >= LEAST_SUBJECT;
    const shared = shareOf(said, held);
    if (!(named || pointed) || shared < LEAST_SAID || shared <= (best?.shared ?? -1)) continue;
    best = { sentence, premise: named ? sentence : `${head}. ${sentence}`, shared };
  }
  return best;
}

function stemsOf(words: string): Set<string> {
  const stems = contentStems(words);
  for (const stem of contentStems(ASKED)) stems.delete(stem);
  return stems;
}

/** Share of `stems` that `held` has; 1 for none. */
function shareOf(stems: ReadonlySet<string>, held: ReadonlySet<string>): number {
  return stems.size === 0 ? 1 : [...stems].filter((stem) => held.has(stem)).length / stems.size;
}
