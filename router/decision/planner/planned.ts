import { list, quoted } from '../../../common/index.ts';
import { conditionQuestion } from '../../../conversation/index.ts';
import type { Action, Decision, Reason, Utilities } from '../../contracts.ts';
import { topics } from '../../layers/index.ts';
import { caveatsOf } from '../decide.ts';
import type { DecisionInput } from '../input.ts';
import { answerOf } from '../parts.ts';
import type { Outcome } from '../types.ts';
import { type HardGateSettings, hardGate } from './hard-gate.ts';
import type { PerAction, PlannerModel } from './model.ts';
import { choose } from './utilities.ts';

/** Refusals that stay whoever decides: there is nothing to weigh, or it would be wrong whatever its probability. */
const FINAL: ReadonlySet<Reason> = new Set([
  'EMPTY_QUERY',
  'QUERY_TOO_LONG',
  'TOO_MANY_QUESTIONS',
  'NOT_A_QUESTION',
  'DEADLINE_EXCEEDED',
  'INDEX_UNAVAILABLE',
  'NO_RESULTS',
  'UNKNOWN_IDENTIFIER',
  'IDENTIFIER_NOT_IN_EVIDENCE',
  'UNKNOWN_TERM',
  'AMBIGUOUS_TERM',
  'POISONED_EVIDENCE',
  'TOO_FEW_SOURCES',
]);

const UNPROMISED = 'Nothing is promised: no calibration is about what';

/** A planner and what it weighs. `prior`: null where that of its file is meant. */
export interface PlannerParts {
  model: PlannerModel;
  utilities: Utilities;
  prior: PerAction | null;
}

/**
 * The outcome when a planner has the last word: the action of least expected cost under `probabilities` (see `choose`)
 * in the place of the one that gates, layers and thresholds came to. Final refusals and definitions of a vocabulary stay
 * as they are. ANSWER is possible only with a span that stands in a passage. Where the action changes, reason and
 * message are made for the new one; U is 1 - P(ANSWER), and nothing is promised. Pure.
 */
export function planned(
  input: DecisionInput,
  outcome: Outcome,
  {
    model: { hash },
    utilities,
    prior,
  }: Pick<PlannerParts, 'utilities' | 'prior'> & {
    model: Pick<PlannerModel, 'hash'>;
  },
  probabilities: PerAction,
): Outcome {
  if (isFinal(outcome)) return outcome;
  const action = choose(probabilities, utilities, spanStands(input));
  return {
    ...taking(input, outcome, action),
    plan: { probabilities, utilities, ...(prior !== null && { prior }), action },
    U: Math.min(1, Math.max(0, 1 - probabilities.ANSWER)),
    tau: null,
    guarantee: unpromised(`planner ${hash.slice(0, 12)} decides.`),
  };
}

/** The outcome when the paper's hard gate has the last word; otherwise as `planned`. */
export function gated(input: DecisionInput, outcome: Outcome, settings?: HardGateSettings): Outcome {
  if (isFinal(outcome)) return outcome;
  const wanted = hardGate(input.state, settings);
  const action = wanted === 'ANSWER' && !spanStands(input) ? 'ABSTAIN' : wanted;
  return { ...taking(input, outcome, action), tau: null, guarantee: unpromised('the hard gate decides.') };
}

/** Least relevance at which a passage is an answer where relevance alone decides. */
const RELEVANT = 0.5;

/**
 * The outcome when the plain rule has the last word: what is final, and terms that the documents do not know, stay; else the
 * first passage, as it stands, is the answer when one is more relevant than not. What everything cleverer has to beat.
 */
export function byRelevance(input: DecisionInput, outcome: Outcome): Outcome {
  if (outcome.definition !== undefined || stopsPlainRule(outcome.gate)) return outcome;
  const [best] = input.evidence;
  const relevance = Math.max(0, ...input.evidence.map(({ scores }) => scores.relevance ?? 0));
  const left = { tau: null, guarantee: unpromised('relevance alone decides.') };
  if (best === undefined || relevance < RELEVANT) return { ...taking(input, outcome, 'ABSTAIN'), ...left };
  const { answer: _, clarification: __, abstention: ___, ...rest } = outcome;
  const caveats = caveatsOf(outcome.layers, false);
  return { ...rest, ...left, action: 'ANSWER', gate: null, passage: best.passageId, whole: true, caveats };
}

/** Whether an outcome stays whoever decides. */
export function isFinal({ gate, definition }: Pick<Outcome, 'gate' | 'definition'>): boolean {
  return definition !== undefined || (gate !== null && FINAL.has(gate));
}

/** Whether the plain rule heeds what was closed: by what is final, or because the documents do not know the terms. */
export function stopsPlainRule(gate: Reason | null): boolean {
  return gate !== null && (FINAL.has(gate) || gate === 'TERMS_NOT_COVERED');
}

function unpromised(who: string): Decision['guarantee'] {
  return { status: 'NOT_CALIBRATED', sentence: `${UNPROMISED} ${who}` };
}

/** Whether there is an answer with a claim whose span is what its passage says there. */
export function spanStands({ answers, evidence }: DecisionInput): boolean {
  const [chosen] = answers.clusters;
  if (chosen === undefined || chosen.text.trim() === '' || chosen.claim.trim() === '') return false;
  const { key, span } = chosen.voices[0]!;
  const passage = evidence.find(({ passageId }) => passageId === key);
  return passage !== undefined && passage.text.slice(span.start, span.end) === span.text;
}

/** The outcome with this action, in its own words where it had it already. */
function taking(input: DecisionInput, outcome: Outcome, action: Action): Outcome {
  if (outcome.action === action) return outcome;
  const { answer: _, passage: __, clarification: ___, abstention: ____, ...before } = outcome;
  const rest = { ...before, caveats: caveatsOf(outcome.layers, action === 'ANSWER') };
  if (action === 'ANSWER') return { ...rest, action, gate: null, answer: answerOf(input) };
  // Other reasons say why something else was done; that sources disagree is one for asking and for silence.
  const conflict = (outcome.clarification ?? outcome.abstention)?.reason === 'CONFLICTING_EVIDENCE';
  const suggestions = topics(input.evidence);
  if (action === 'ASK') {
    const message = questionFor(input, suggestions);
    return { ...rest, action, clarification: { ...reasonOf(conflict), message, suggestions } };
  }
  const candidate = input.answers.clusters[0]?.text ?? '';
  const message = conflict
    ? 'The documents contradict each other.'
    : candidate.trim() === ''
      ? 'The documents touch on this but no passage states an answer.'
      : `A candidate is ${quoted(candidate)}, but it is not certain enough to be given as the answer.`;
  return { ...rest, action, abstention: { ...reasonOf(conflict), message, suggestions } };
}

function reasonOf(conflict: boolean): { reason: Reason } {
  return { reason: conflict ? 'CONFLICTING_EVIDENCE' : 'UNCERTAIN' };
}

/** What to ask where nothing better is known: the open condition, else which subject is meant. */
function questionFor({ state }: DecisionInput, about: readonly string[]): string {
  const condition = state?.missing.find(({ kind }) => kind === 'condition');
  if (condition !== undefined) return conditionQuestion(quoted(condition.text));
  if (about.length > 1) return `Which of these is it about: ${list(about.map(quoted), 'or')}?`;
  const [only] = about;
  return only === undefined
    ? 'What exactly do you want to know?'
    : `What exactly do you want to know about ${quoted(only)}?`;
}
