import { quoted } from '../../common/index.ts';
import { hasRecoverable } from '../../conversation/index.ts';
import type { ActDistribution } from '../../profiles/index.ts';
import { isYesNoQuestion } from '../../scorers/index.ts';
import type { Evidence } from '../contracts.ts';
import { topics } from '../layers/index.ts';
import type { DecisionInput, Found } from './input.ts';
import { unresolvedPronoun } from './reference.ts';
import type { GateRefusal, Limits } from './types.ts';

/**
 * Gates: what closes beside the layers, because it is about the query alone (before them) or about the answer that was
 * read (after them). Null: open. What a gate needs and was not measured closes it.
 */

export function deadline({ deadlineExceeded }: DecisionInput): GateRefusal | null {
  if (deadlineExceeded !== true) return null;
  const message = 'The time for this query ran out before an answer was checked.';
  return refusal('DEADLINE_EXCEEDED', message, [], false);
}

export function indexUnavailable({ indexUnavailable: failed }: DecisionInput): GateRefusal | null {
  if (failed !== true) return null;
  const message =
    'The documents could not be searched, so nothing is known of what they say. Ask again later.';
  return refusal('INDEX_UNAVAILABLE', message, [], false);
}

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

/**
 * A pronoun is all that the query names, after whatever its history gave it. Open where nothing was found: then there
 * is nothing that it could refer to, and a layer says so.
 */
export function unresolvedReference({ query, identifiers, evidence }: Found): GateRefusal | null {
  if (identifiers.length > 0 || evidence.length === 0) return null;
  const pronoun = unresolvedPronoun(query);
  if (pronoun === null) return null;
  const person = /^(?:he|him|she)$/i.test(pronoun);
  const message = `${person ? 'Who' : 'What'} does ${quoted(pronoun.toLowerCase())} refer to?`;
  return refusal('UNRESOLVED_REFERENCE', message, topics(evidence), true);
}

/**
 * Nothing read, no span, or nothing measured of it. How well anything is supported is left to U: a gate would keep a
 * calibrated threshold from answering what it could.
 */
export function noSupportedAnswer(input: DecisionInput): GateRefusal | null {
  const message = unsupported(input);
  return message === null ? null : withoutSupport(input, message, false);
}

/**
 * A span says neither yes nor no, so a yes-or-no question needs a clear entailment by the passage of the answer. Asked
 * back where something is missing that a reply could supply.
 */
export function notVerified(input: DecisionInput, { verification }: Limits): GateRefusal | null {
  const { query, report, answers, state } = input;
  if (!isYesNoQuestion(query)) return null;
  const home = report.verdicts.find(({ key }) => key === answers.clusters[0]!.voices[0]!.key);
  if ((report.E ?? 0) >= verification && home?.stance !== 'contradicts') return null;
  const message = 'The documents touch on this, but whether it is so is not stated clearly enough.';
  return withoutSupport(input, message, hasRecoverable(state));
}

/** Where the passage that came first was left out because it talks to a machine, that is the reason. */
function withoutSupport(input: DecisionInput, message: string, recoverable: boolean): GateRefusal {
  if (input.suspects.some(({ rank }) => rank === 0)) {
    const instead = 'The nearest passage was left out as evidence, and no other one states an answer.';
    return refusal('POISONED_EVIDENCE', instead, topics(input.evidence), recoverable);
  }
  return refusal('NO_SUPPORTED_ANSWER', message, topics(input.evidence), recoverable);
}

function unsupported({ report, answers, evidence }: DecisionInput): string | null {
  const [chosen] = answers.clusters;
  if (chosen === undefined && unread(evidence)) {
    return 'Passages were found, but none could be read within the budget.';
  }
  if (chosen === undefined || chosen.text.trim() === '' || chosen.claim.trim() === '') {
    return 'The documents touch on this but no passage states an answer.';
  }
  if (!Number.isFinite(marginOf({ answers, evidence }))) return NOT_STATED;
  return report.E === null ? unsupportedBy(chosen.text) : null;
}

const NOT_STATED = 'The documents touch on this, but the nearest passages do not seem to state the answer.';
/** Less support than this is spoken of as none. */
const SUPPORT = 0.05;

/** What U above tau is put down to where the reader would rather not answer, or next to nothing supports the answer. */
export function hardlySupported(input: DecisionInput, recoverable: boolean): GateRefusal | null {
  const margin = marginOf(input);
  if (margin !== null && margin < 0) return withoutSupport(input, NOT_STATED, recoverable);
  const { E } = input.report;
  if (E === null || E >= SUPPORT) return null;
  return withoutSupport(input, unsupportedBy(input.answers.clusters[0]!.text), recoverable);
}

function unsupportedBy(text: string): string {
  return `The nearest candidate is ${quoted(text)}, but no passage supports it.`;
}

/** Of the chosen span: below 0 the reader would rather not answer. Null where its passage was not read. */
function marginOf({ answers, evidence }: Pick<DecisionInput, 'answers' | 'evidence'>): number | null {
  const home = evidence.find(({ passageId }) => passageId === answers.clusters[0]!.voices[0]!.key);
  return home?.scores.margin ?? null;
}

function unread(evidence: readonly Evidence[]): boolean {
  return (
    evidence.length > 0 && evidence.every(({ scores }) => scores.relevance === null && scores.margin === null)
  );
}

export function refusal(
  reason: GateRefusal['reason'],
  message: string,
  suggestions: string[],
  recoverable: boolean,
): GateRefusal {
  return { reason, message, suggestions, recoverable };
}
