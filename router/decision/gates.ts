import type { ActDistribution } from '../../profiles/index.ts';
import { isYesNoQuestion } from '../../scorers/index.ts';
import type { Evidence } from '../contracts.ts';
import { sentenceAround } from './quotations.ts';
import { unresolvedPronoun } from './reference.ts';
import { choices, quoted, similarWords, topics, upToThree } from './suggestions.ts';
import type { DecisionInput, Found, GateRefusal, Limits } from './types.ts';

/**
 * Gates, one thing each. Null: open. They are asked in the order in which they stand here, and the first that closes
 * decides. What a gate needs and was not measured closes it, unless its comment says that another gate sees to it.
 */

/** No letter, digit or pictograph: white space, zero-width characters, punctuation. */
export function emptyQuery(query: string): GateRefusal | null {
  if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(query)) return null;
  return refusal('EMPTY_QUERY', 'The query holds no word.', [], false);
}

export function queryTooLong(query: string, limits: Limits): GateRefusal | null {
  if (query.length <= limits.queryChars) return null;
  const message = `The query has ${query.length} characters; at most ${limits.queryChars} are read.`;
  return refusal('QUERY_TOO_LONG', message, [], false);
}

/** Greetings, thanks and statements, when the classifier is sure. An unsure one goes on to the other gates. */
export function notAQuestion(act: ActDistribution): GateRefusal | null {
  if (act.label !== 'NOT_A_QUESTION' || !act.confident) return null;
  return refusal('NOT_A_QUESTION', 'This does not ask for anything that documents could answer.', [], false);
}

/** Nothing was retrieved. Candidates that no model looked at are evidence too, see `noSupportedAnswer`. */
export function noResults({ evidence }: Found): GateRefusal | null {
  if (evidence.length > 0) return null;
  return refusal('NO_RESULTS', 'No passage of the documents was found for this query.', [], false);
}

/** Something that the query names by number or code and that no passage names. */
export function unknownIdentifier({ identifiers, evidence }: Found): GateRefusal | null {
  const missing = identifiers.filter(({ known }) => !known);
  if (missing.length === 0) return null;
  const near = upToThree(missing.flatMap((each) => each.near));
  const names = missing.slice(0, 3).map(({ id }) => id);
  const message = `${list(names, 'and')} ${names.length > 1 ? 'occur' : 'occurs'} nowhere in the documents.`;
  if (near.length === 0) return refusal('UNKNOWN_IDENTIFIER', message, topics(evidence), false);
  return refusal('UNKNOWN_IDENTIFIER', `${message} Did you mean ${list(near, 'or')}?`, near, true);
}

/** A pronoun is all that the query names. Asked back even after a history, which is not read yet. */
export function unresolvedReference({ query, identifiers, evidence }: Found): GateRefusal | null {
  const pronoun = identifiers.length > 0 ? null : unresolvedPronoun(query);
  if (pronoun === null) return null;
  const person = /^(?:he|him|she)$/i.test(pronoun);
  const message = `${person ? 'Who' : 'What'} does ${quoted(pronoun.toLowerCase())} refer to?`;
  return refusal('UNRESOLVED_REFERENCE', message, topics(evidence), true);
}

/**
 * The best passage is not relevant in absolute terms, and no passage shares the words either. Open when nothing was
 * ranked: candidates then have null scores, nothing was read, and `noSupportedAnswer` closes.
 */
export function tooDistant({ evidence, coverage }: Found, limits: Limits): GateRefusal | null {
  const relevances = evidence.flatMap(({ scores }) => scores.relevance ?? []);
  if (relevances.length === 0 || Math.max(...relevances) >= limits.relevanceFloor) return null;
  const terms = coverage.terms.map((term) => term.toLowerCase());
  const supported = evidence.some(({ title, text }) => {
    const words = new Set(`${title} ${text}`.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu));
    return (
      terms.length > 0 &&
      terms.filter((term) => words.has(term)).length / terms.length >= limits.lexicalSupport
    );
  });
  if (supported) return null;
  const message = 'Nothing in the documents comes close to this question.';
  return refusal('TOO_DISTANT', message, topics(evidence), false);
}

const DEGREE = /\bhow\s+(high|long|tall|far|often|old|big|deep|wide|fast|heavy|much|many)\b/g;

/**
 * The corpus does not know what the query is about. "How high" asks for a number and is not about "high": when such
 * words are all that is unknown, the gate stays open.
 */
export function termsNotCovered({ query, coverage, evidence }: Found, limits: Limits): GateRefusal | null {
  if (coverage.known >= limits.knownTerms) return null;
  const degrees = new Set(Array.from(query.toLowerCase().matchAll(DEGREE), ([, word]) => word));
  const unknown = coverage.unknown.filter((word) => !degrees.has(word.toLowerCase()));
  if (coverage.known >= 0 && coverage.unknown.length > 0 && unknown.length === 0) return null;
  const names = unknown.slice(0, 3).map(quoted);
  const message =
    names.length === 0
      ? 'The documents do not know the words of this question.'
      : `The documents do not know ${list(names, 'or')}.`;
  const similar = similarWords(unknown, evidence);
  if (similar.length === 0) return refusal('TERMS_NOT_COVERED', message, topics(evidence), false);
  return refusal(
    'TERMS_NOT_COVERED',
    `${message} Did you mean ${list(similar.map(quoted), 'or')}?`,
    similar,
    true,
  );
}

/** Independent sources contradict the answer. With a second supported answer of its kind, the user can choose. */
export function conflictingEvidence(input: DecisionInput, limits: Limits): GateRefusal | null {
  const { report, answers, evidence } = input;
  const [chosen] = answers.clusters;
  if (chosen === undefined || report.C === null || report.C <= limits.conflict) return null;
  const options = choices(chosen.text, report.rivals);
  if (options.length > 1) {
    const message = `The documents give different answers: ${list(options.map(quoted), 'or')}. Which one is meant?`;
    return refusal('CONFLICTING_EVIDENCE', message, options, true);
  }
  const ours = chosen.voices.map(({ key, span }) => said(evidence, key, span)).find((side) => side !== null);
  const contradicting = report.verdicts
    .filter(({ stance }) => stance === 'contradicts')
    .sort((a, b) => b.contradiction - a.contradiction)
    .flatMap(({ key }) => {
      const own = answers.byPassage.get(key);
      return own?.cluster === 0 ? [] : (said(evidence, key, own?.span ?? null) ?? []);
    });
  const theirs = contradicting.find(({ words }) => words !== null) ?? contradicting[0];
  const message =
    ours == null
      ? 'The documents contradict each other.'
      : `The documents contradict each other: ${told(ours)}, but ${theirs === undefined ? 'another passage speaks against it' : told(theirs)}`;
  const sides = [ours, theirs, ...contradicting].flatMap((side) => side?.passage ?? []);
  return refusal(
    'CONFLICTING_EVIDENCE',
    /[.!?…]"?$/.test(message) ? message : `${message}.`,
    topics(sides),
    false,
  );
}

interface Side {
  passage: Evidence;
  /** Words of the passage; null when it is not known which of them matter. */
  words: string | null;
}

/** A passage and its own sentence; null when the passage is not in the evidence. */
function said(
  evidence: readonly Evidence[],
  key: string,
  span: { text: string; start: number; end: number } | null,
): Side | null {
  const passage = evidence.find(({ passageId }) => passageId === key);
  if (passage === undefined) return null;
  const holds = span !== null && passage.text.slice(span.start, span.end) === span.text;
  return { passage, words: holds ? sentenceAround(passage.text, span) : null };
}

function told({ passage, words }: Side): string {
  const [title] = topics([passage]);
  return `${quoted(title ?? 'a passage')} ${words === null ? 'speaks against it' : `says ${quoted(words)}`}`;
}

/**
 * Nothing read, no span, a span that the reader itself doubts, or a claim that no source entails. A span says neither
 * yes nor no, so a yes-or-no question needs a clearer entailment. Unmeasured is unsupported.
 */
export function noSupportedAnswer(input: DecisionInput, limits: Limits): GateRefusal | null {
  const { query, report, answers, evidence } = input;
  const [chosen] = answers.clusters;
  const close = (message: string) => refusal('NO_SUPPORTED_ANSWER', message, topics(evidence), false);
  const unread = evidence.every(({ scores }) => scores.relevance === null && scores.margin === null);
  if (chosen === undefined && unread) {
    return close('Passages were found, but none could be read within the budget.');
  }
  if (chosen === undefined || chosen.text.trim() === '' || chosen.claim.trim() === '') {
    return close('The documents touch on this but no passage states an answer.');
  }
  const home = evidence.find(({ passageId }) => passageId === chosen.voices[0]!.key);
  const margin = home?.scores.margin ?? null;
  if (margin === null || !(margin >= limits.margin)) {
    return close('The documents touch on this, but the nearest passages do not seem to state the answer.');
  }
  if (report.E === null || !(report.E >= limits.entailment)) {
    return close(`The nearest candidate is ${quoted(chosen.text)}, but no passage supports it.`);
  }
  if (isYesNoQuestion(query) && !(report.E >= limits.verification)) {
    return close('The documents touch on this, but whether it is so is not stated clearly enough.');
  }
  return null;
}

export function refusal(
  reason: GateRefusal['reason'],
  message: string,
  suggestions: string[],
  recoverable: boolean,
): GateRefusal {
  return { reason, message, suggestions, recoverable };
}

/** "a", "a or b", "a, b or c". */
export function list(items: readonly string[], conjunction: 'and' | 'or'): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;
}
