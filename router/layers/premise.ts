import { isYesNoQuestion, toStatement } from '../../scorers/index.ts';
import { quoted, topics } from '../decision/suggestions.ts';
import { abstains } from './found.ts';
import type { Layer } from './types.ts';

/** Stands for what is asked. No question holds it. */
const ASKED = 'something';
const LONGEST = 8_000;

/**
 * What a question takes for granted, as a statement: "Why did Tesla invent the telephone?" presupposes "Tesla invented
 * the telephone." By the rules that make claims of questions, with the part that is asked for left out. Null where
 * nothing is taken for granted: yes-or-no questions ask for it, and other forms are not understood.
 */
export function presuppositionOf(query: string): string | null {
  if (isYesNoQuestion(query)) return null;
  const claim = toStatement(query, ASKED);
  if (claim.startsWith('The answer to ') || /^(?:something|the [^ ]+ (?:is|was)) something/i.test(claim)) {
    return null;
  }
  const premise = claim
    .replace(/\s+(?:(?:is|was|are|were)\s+)?(?:because|by|in|on|at|for|with)?\s*\bsomething\.$/, '.')
    .replace(/^(?:I|you|we)\s+/i, 'One ');
  return premise.split(' ').length < 3 ? null : premise;
}

/**
 * The documents deny what the question takes for granted: some passage contradicts the premise with at least the limit
 * and more than any passage entails it. Contradiction is looked at first. The message quotes the passage.
 */
export const falsePremise: Layer = ({ query, premises, evidence }, { falsePremise: { contradiction } }) => {
  if (premises === null || premises.length === 0) return null;
  const against = premises.reduce((a, b) => (b.contradiction > a.contradiction ? b : a));
  const support = Math.max(...premises.map(({ entailment }) => entailment));
  if (!(against.contradiction >= contradiction) || support >= against.contradiction) return null;
  const premise = presuppositionOf(query);
  const passage = evidence.find(({ passageId }) => passageId === against.key);
  const said =
    passage === undefined
      ? ''
      : ` ${quoted(topics([passage])[0] ?? '')} says: ${quoted(nearestSentence(passage.text, query))}`;
  const taken = premise === null ? 'The question' : `The question takes for granted: ${quoted(premise)} That`;
  return abstains('falsePremise', 'FALSE_PREMISE', `${taken} is denied by the documents.${said}`, {
    measured: against.contradiction,
    limit: contradiction,
    suggestions: topics(passage === undefined ? evidence : [passage]),
  });
};

/** The sentence that shares most words with the query. */
function nearestSentence(text: string, query: string): string {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  let best = '';
  let most = -1;
  for (const sentence of text.slice(0, LONGEST).split(/(?<=[.!?])\s+/u)) {
    const shared = (sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => words.has(word));
    if (new Set(shared).size > most) [best, most] = [sentence, new Set(shared).size];
  }
  return best;
}
