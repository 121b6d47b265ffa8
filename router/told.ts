/** What a query that is not answered is told: one question with its choices, or which kind of silence it is. Pure. */

import { list, quoted } from '../common/index.ts';
import {
  abstentionText,
  type ClarifyingQuestion,
  chooseQuestion,
  questionAbout,
  repliedTo,
  variableIn,
  withoutQuestion,
} from '../conversation/index.ts';
import type { Abstention, Clarification, Reason, Refusal } from './contracts.ts';
import type { DecisionInput, Outcome } from './decision/index.ts';
import { similarWords, termAsked, upToThree } from './layers/index.ts';
import type { Told, Trail } from './trail.ts';

/** Reasons for which the documents hold nothing. */
const NOTHING: ReadonlySet<Reason> = new Set([
  'NO_RESULTS',
  'TOO_DISTANT',
  'OUT_OF_SCOPE',
  'UNKNOWN_IDENTIFIER',
  'IDENTIFIER_NOT_IN_EVIDENCE',
  'TERMS_NOT_COVERED',
  'NO_SUPPORTED_ANSWER',
] as const);
/** Those among them that do not name what is missing in their own words. */
const UNNAMED: ReadonlySet<Reason> = new Set([
  'NO_RESULTS',
  'TOO_DISTANT',
  'OUT_OF_SCOPE',
  'NO_SUPPORTED_ANSWER',
] as const);
/** Unknown words for which near ones are looked for. */
const TERMS = 4;

/** The outcome, silent for the same reason where the user was asked that question about this query and has replied. */
export function onceAsked(outcome: Outcome, input: Trail): Outcome {
  const { clarification, ...rest } = outcome;
  if (clarification === undefined) return outcome;
  const replied = repliedTo(input.query, input.history, (input.state?.turn ?? 0) > 0);
  // Most queries reply to nothing, and a question takes a while to choose.
  if (replied.size === 0) return outcome;
  const variable = variableIn(asked(clarification, questionFor(clarification, input)).message);
  if (variable === null || !replied.has(variable)) return outcome;
  const said = withoutQuestion(clarification.message);
  const silence = said === '' ? 'What is meant stays open, so nothing is answered.' : said;
  return { ...rest, action: 'ABSTAIN', abstention: { ...clarification, message: silence } };
}

/** Silences that a slip of the pen may be the reason of. */
const PERHAPS_MISSPELT: ReadonlySet<Reason> = new Set([
  'TOO_DISTANT',
  'OUT_OF_SCOPE',
  'TERMS_NOT_COVERED',
  'NO_SUPPORTED_ANSWER',
  'BRANCHES_DISAGREE',
  'LOW_CONFIDENCE',
  'UNCERTAIN',
] as const);

/**
 * The outcome, asked back where a word of the query is near to one that the documents know and nothing was answered, or
 * no span is sure and that word is all that the query is about.
 */
export function unlessMisspelt(outcome: Outcome, input: Trail): Outcome {
  const { abstention, passage, ...rest } = outcome;
  const slip = input.spelling[0];
  const guessed = passage !== undefined && slip !== undefined && input.coverage.terms.length === 1;
  if (slip === undefined) return outcome;
  if (!guessed && (abstention === undefined || !PERHAPS_MISSPELT.has(abstention.reason))) return outcome;
  const near = slip.meant === null ? slip.near : [slip.meant];
  const message = `The documents do not know ${quoted(slip.written)}. Did you mean ${list(near.map(quoted), 'or')}?`;
  return {
    ...rest,
    action: 'ASK',
    clarification: { reason: 'TERMS_NOT_COVERED', message, suggestions: near },
  };
}

/** Asked only for want of an answer, with nothing to choose from: the answer would not change, so nothing is asked. */
export function worthAsking(outcome: Outcome, input: Trail): Outcome {
  const { clarification, ...rest } = outcome;
  if (clarification === undefined || input.question !== null || clarification.message.includes('?'))
    return outcome;
  if (!PERHAPS_MISSPELT.has(clarification.reason)) return outcome;
  return { ...rest, action: 'ABSTAIN', abstention: clarification };
}

/** Puts an outcome into words for the user. */
export function told({ clarification, abstention }: Outcome, input: Trail): Told {
  if (clarification !== undefined) {
    const question = questionFor(clarification, input);
    return { clarification: asked(clarification, question), question };
  }
  if (abstention !== undefined) return { abstention: silent(abstention, input), question: null };
  return { question: null };
}

/** A clarification with this question in it; without one it says what it said, as a question. */
export function asked(refusal: Refusal, question: ClarifyingQuestion | null): Clarification {
  if (question === null) {
    const message = refusal.message.includes('?')
      ? refusal.message
      : `${refusal.message} Can you say in more words what you want to know?`;
    return { ...refusal, message };
  }
  const { message, considered: _, ...rest } = question;
  const values = upToThree(rest.options.map(({ value }) => value));
  return {
    reason: refusal.reason,
    message,
    suggestions: values.length > 0 ? values : refusal.suggestions,
    question: rest,
  };
}

/** Readings that the vocabulary offers are the vocabulary's to ask about; all else goes by information gain. */
function questionFor(refusal: Refusal, input: Trail): ClarifyingQuestion | null {
  const { reason, message, suggestions } = refusal;
  if (reason === 'AMBIGUOUS_TERM' || reason === 'UNKNOWN_TERM') {
    const term = termAsked(input.query)?.text;
    return term === undefined
      ? null
      : questionAbout(input, { kind: 'term', variable: term }, message, suggestions);
  }
  if (reason === 'UNDERSPECIFIED') {
    return questionAbout(input, { kind: 'subject', variable: 'subject' }, message, suggestions);
  }
  const slip = input.spelling.find(({ near }) => near[0] === suggestions[0]);
  if (reason === 'TERMS_NOT_COVERED' && slip !== undefined) {
    return questionAbout(input, { kind: 'term', variable: slip.written }, message, slip.near);
  }
  return input.question ?? null;
}

/** What would be asked of a query if it were asked: the one question whose answer would help most; null: none would. */
export function bestQuestion(input: DecisionInput): ClarifyingQuestion | null {
  const { state, evidence, coverage } = input;
  if (state === null) return null;
  const nearTerms = new Map(
    coverage.unknown.slice(0, TERMS).map((term) => [term, similarWords([term], evidence)] as const),
  );
  return chooseQuestion({ ...input, history: [...input.history], state, nearTerms });
}

function silent(refusal: Refusal, input: DecisionInput): Abstention {
  const { reason } = refusal;
  const { state } = input;
  if (state === null) return { ...refusal, kind: NOTHING.has(reason) ? 'NOTHING' : 'OTHER' };
  const text = abstentionText({ ...input, history: [...input.history], state });
  if (reason === 'CONFLICTING_EVIDENCE' && text.kind === 'CONTRADICTION') {
    return { ...refusal, message: text.message, kind: 'CONTRADICTION', conflict: text.conflict };
  }
  if (!NOTHING.has(reason)) return { ...refusal, kind: 'OTHER' };
  const named = text.kind === 'NOTHING' && text.missing.length > 0 && UNNAMED.has(reason);
  return { ...refusal, ...(named && { message: text.message }), kind: 'NOTHING' };
}
