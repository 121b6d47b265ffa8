import { PragauraError } from '../../errors.ts';
import type { ActDistribution } from '../../profiles/index.ts';
import type { Decision, Reason, Signals } from '../contracts.ts';
import { featuresOf } from './features.ts';
import {
  conflictingEvidence,
  emptyQuery,
  list,
  noResults,
  noSupportedAnswer,
  notAQuestion,
  queryTooLong,
  refusal,
  termsNotCovered,
  tooDistant,
  unknownIdentifier,
  unresolvedReference,
} from './gates.ts';
import { scoreOf, type UncertaintyScore } from './score.ts';
import { choices, quoted, topics } from './suggestions.ts';
import type { DecisionInput, Found, GateRefusal, Outcome, Thresholds } from './types.ts';
import { uncertaintyTerms } from './uncertainty.ts';

const NOTHING: Signals = {
  D: null,
  C: null,
  E: null,
  counts: {
    branchAnswers: 0,
    distinctAnswers: 0,
    duplicatesRemoved: 0,
    independentSources: 0,
    offTopicPairs: 0,
    pairsScored: 0,
    pairsDenied: 0,
    truncatedTokens: 0,
  },
};

/** Gates that need nothing but the query: empty, too long, no question. Null: go on. `decide` repeats them. */
export function screenQuery(query: string, act: ActDistribution, thresholds: Thresholds): Outcome | null {
  const closed = screen(query, act, thresholds);
  return closed === null ? null : refuse(closed, closed.reason, NOTHING, null, act, thresholds);
}

/** Gates that need no cross-encoder: nothing found, unknown identifier, a pronoun without a noun. Null: go on. `decide` repeats them. */
export function precheck(found: Found, thresholds: Thresholds): Outcome | null {
  const closed = noResults(found) ?? unknownIdentifier(found) ?? unresolvedReference(found);
  return closed === null ? null : refuse(closed, closed.reason, NOTHING, null, found.act, thresholds);
}

/**
 * The decision: all gates in order, then U against tau. An answer needs an open gate everywhere, a span of a passage
 * in `evidence`, a claim, a U and a tau with U <= tau (a tie answers); everything else asks when the user can supply
 * the missing piece and abstains when not.
 * Throws INTERNAL when a signal is no number in [0, 1] or the answer is not where its passage says; CONFIGURATION
 * when weights or tau are no such numbers.
 */
export function decide(input: DecisionInput, thresholds: Thresholds): Outcome {
  const { act, report } = input;
  const { limits } = thresholds;
  const { D, C, E, counts } = report;
  const signals: Signals = { D, C, E, counts };
  const U = scoreOf(thresholds.score, featuresOf(input));
  const gate =
    (input.deadlineExceeded ? deadline() : null) ??
    screen(input.query, act, thresholds) ??
    noResults(input) ??
    unknownIdentifier(input) ??
    unresolvedReference(input) ??
    tooDistant(input, limits) ??
    termsNotCovered(input, limits) ??
    conflictingEvidence(input, limits) ??
    noSupportedAnswer(input, limits);
  const closed = gate ?? uncertain(input, U, thresholds);
  if (closed !== null) return refuse(closed, gate?.reason ?? null, signals, U, act, thresholds);
  return {
    action: 'ANSWER',
    answer: answerOf(input),
    gate: null,
    layers: [],
    signals,
    U,
    tau: tauOf(thresholds, act),
    guarantee: guaranteeOf(thresholds, act),
  };
}

function screen(query: string, act: ActDistribution, { limits }: Thresholds): GateRefusal | null {
  return queryTooLong(query, limits) ?? emptyQuery(query) ?? notAQuestion(act);
}

function deadline(): GateRefusal {
  return refusal(
    'DEADLINE_EXCEEDED',
    'The time for this query ran out before an answer was checked.',
    [],
    false,
  );
}

/** U against tau; says which signal weighed most. */
function uncertain(
  { act, answers, report, evidence }: DecisionInput,
  U: number | null,
  thresholds: Thresholds,
): GateRefusal | null {
  const tau = tauOf(thresholds, act);
  const text = quoted(answers.clusters[0]?.text ?? '');
  const band = thresholds.askUpTo === undefined ? null : barOf(thresholds.askUpTo(act.label), act);
  const ask = band === null || U === null ? null : U <= band;
  if (tau === null) {
    const message = `A candidate is ${text}, but for this kind of question no threshold could be calibrated.`;
    return refusal('UNCERTAIN', message, topics(evidence), ask ?? false);
  }
  if (U === null) {
    return refusal(
      'UNCERTAIN',
      `A candidate is ${text}, but nothing about it could be checked.`,
      topics(evidence),
      false,
    );
  }
  if (U <= tau) return null;
  if (disagreementWeighsMost(report, thresholds.score)) {
    const options = choices(answers.clusters[0]!.text, report.rivals);
    if (options.length > 1) {
      const message = `Different ways of searching find different answers: ${list(options.map(quoted), 'or')}. Which one is meant?`;
      return refusal('BRANCHES_DISAGREE', message, options, ask ?? true);
    }
    const message = `A candidate is ${text}, but different ways of searching do not agree on it.`;
    return refusal('BRANCHES_DISAGREE', message, topics(evidence), ask ?? false);
  }
  const message = `A candidate is ${text}, but it is not certain enough to be given as the answer.`;
  return refusal('UNCERTAIN', message, topics(evidence), ask ?? false);
}

const EVENLY = { alpha: 1 / 3, beta: 1 / 3, gamma: 1 / 3 };

/** Whether D contributes most to the formula's U; a learned score has no such terms, and D, C and 1-E count alike. */
function disagreementWeighsMost(report: DecisionInput['report'], score: UncertaintyScore): boolean {
  const terms = uncertaintyTerms(report, score.kind === 'formula' ? score.weights : EVENLY);
  return report.D !== null && terms !== null && terms.D >= terms.C && terms.D >= terms.E;
}

function refuse(
  closed: GateRefusal,
  gate: Reason | null,
  signals: Signals,
  U: number | null,
  act: ActDistribution,
  thresholds: Thresholds,
): Outcome {
  const { reason, message, suggestions, recoverable } = closed;
  const told = { reason, message, suggestions };
  return {
    ...(recoverable ? { action: 'ASK', clarification: told } : { action: 'ABSTAIN', abstention: told }),
    gate,
    layers: [],
    signals,
    U,
    tau: tauOf(thresholds, act),
    guarantee: guaranteeOf(thresholds, act),
  };
}

function tauOf(thresholds: Thresholds, act: ActDistribution): number | null {
  return barOf(thresholds.tauFor(act.label), act);
}

function barOf(bar: number | null, act: ActDistribution): number | null {
  if (bar !== null && !(bar >= 0 && bar <= 1)) {
    throw new PragauraError(
      'CONFIGURATION',
      `The threshold for ${act.label} is ${bar}, which is not between 0 and 1.`,
      {
        hint: 'A threshold is a number from 0 to 1, or null for an act that is never answered. Calibrate anew.',
      },
    );
  }
  return bar;
}

function guaranteeOf(thresholds: Thresholds, act: ActDistribution): Decision['guarantee'] {
  // Without a threshold nothing is promised for this act, whatever is promised for others.
  const status = tauOf(thresholds, act) === null ? 'NOT_CALIBRATED' : thresholds.status;
  return { status, sentence: thresholds.sentence(act.label) };
}

/** The chosen span, placed in its document. */
function answerOf({ answers, evidence }: DecisionInput): NonNullable<Decision['answer']> {
  const { claim, voices } = answers.clusters[0]!;
  const { key, span } = voices[0]!;
  const passage = evidence.find(({ passageId }) => passageId === key);
  if (passage === undefined || passage.text.slice(span.start, span.end) !== span.text) {
    throw new PragauraError(
      'INTERNAL',
      `The answer ${quoted(span.text)} does not stand where passage ${key} has it.`,
    );
  }
  return {
    text: span.text,
    claim,
    docId: passage.docId,
    passageId: key,
    start: passage.start + span.start,
    end: passage.start + span.end,
  };
}
