import { list, quoted } from '../../common/index.ts';
import { hasRecoverable } from '../../conversation/index.ts';
import type { ActDistribution } from '../../profiles/index.ts';
import type { Decision, Evidence, Reason, Signals } from '../contracts.ts';
import {
  askedInstead,
  choices,
  EARLY_LAYERS,
  type LayerOutcome,
  type LayerRecord,
  runLayers,
  topics,
} from '../layers/index.ts';
import { featuresOf } from './features.ts';
import {
  deadline,
  emptyQuery,
  hardlySupported,
  indexUnavailable,
  noSupportedAnswer,
  notAQuestion,
  notVerified,
  queryTooLong,
  refusal,
  unresolvedReference,
} from './gates.ts';
import type { DecisionInput, Found } from './input.ts';
import { answerOf, barOf, DEFINED, guaranteeOf, NOTHING, tauOf } from './parts.ts';
import { asksBack, measuredOf, scoreOf, type UncertaintyScore } from './score.ts';
import type { GateRefusal, Outcome, Thresholds } from './types.ts';
import { uncertaintyTerms } from './uncertainty.ts';

/** Gates that need nothing but the query: empty, too long, no question. Null: go on. `decide` repeats them. */
export function screenQuery(query: string, act: ActDistribution, thresholds: Thresholds): Outcome | null {
  const closed = screen(query, act, thresholds);
  return closed === null ? null : refuse(closed, closed.reason, thresholds, measuredNothing(act));
}

/**
 * Layers whose word no model could change (EARLY_LAYERS): a term that the vocabulary defines or lacks, nothing found,
 * an unknown identifier, nothing but other records or poisoned passages. Null: go on. `decide` repeats them. The other
 * layers wait for the models, because what was read may tell more: who plans or measures wants both.
 */
export function precheck(found: Found, thresholds: Thresholds): Outcome | null {
  const input = { ...found, answers: null, report: null, premises: null, confidence: null };
  const { decided, record } = runLayers(input, found.layers, EARLY_LAYERS);
  if (decided === null) return null;
  return concluded(decided, thresholds, { ...measuredNothing(found.act), record });
}

/**
 * The decision: gates about the query, all layers in order, gates about the answer, then U against tau. An answer
 * needs an open gate everywhere, a span of a passage in `evidence`, a claim, a U and a tau with U <= tau (a tie
 * answers); everything else asks when the user can supply the missing piece and abstains when not. The one exception is
 * a term that the vocabulary defines: that definition is the answer, with its file as the document and no U.
 * Throws INTERNAL when a signal is no number in [0, 1] or the answer is not where its passage says; CONFIGURATION
 * when weights or tau are no such numbers.
 */
export function decide(input: DecisionInput, thresholds: Thresholds): Outcome {
  const { act, report, query } = input;
  const { D, C, E, counts } = report;
  const U = scoreOf(thresholds.score, featuresOf(input), measuredOf(input));
  const made: Made = { act, signals: { D, C, E, counts }, U, record: [] };
  const before =
    deadline(input) ??
    indexUnavailable(input) ??
    screen(query, act, thresholds) ??
    unresolvedReference(input);
  if (before !== null) return refuse(before, before.reason, thresholds, made);

  const looked = { ...input, confidence: U === null ? null : 1 - U };
  const { decided, record } = runLayers(looked, input.layers);
  if (decided !== null) return concluded(decided, thresholds, { ...made, record });
  const gate = noSupportedAnswer(input) ?? notVerified(input, thresholds.limits);
  const closed = gate ?? uncertain(input, U, thresholds);
  const passage =
    closed === null && !givesWay(U, act, thresholds)
      ? null
      : (passageAnswer(input, thresholds) ?? explained(input, closed, thresholds));
  if (closed !== null && passage === null) {
    const asked = isSilence(closed, thresholds) ? askedInstead(looked, input.layers) : null;
    if (asked !== null) return concluded(asked, thresholds, { ...made, record });
    return refuse(closed, gate?.reason ?? null, thresholds, { ...made, record });
  }
  return {
    action: 'ANSWER',
    ...(passage === null ? { answer: answerOf(input) } : { passage }),
    gate: gate?.reason ?? null,
    layers: record,
    caveats: caveatsOf(record, passage === null),
    signals: made.signals,
    U,
    tau: tauOf(thresholds, act),
    guarantee: guaranteeOf(thresholds, act),
  };
}

/** Whether nothing is said because nothing answers surely, by the rule that promises nothing: others decide what is asked. */
function isSilence({ reason, recoverable }: GateRefusal, { passages }: Thresholds): boolean {
  return (
    passages !== undefined && !recoverable && (reason === 'NO_SUPPORTED_ANSWER' || reason === 'UNCERTAIN')
  );
}

/** Whether a span below tau is still not sure enough to go before a passage that is answer enough. */
function givesWay(U: number | null, act: ActDistribution, { passages }: Thresholds): boolean {
  return passages?.spanFor !== undefined && U !== null && U > barOf(passages.spanFor(act.label), act)!;
}

/** Id of the passage that answers well enough to be shown where no span of it is sure; null: none does. */
function passageAnswer(input: DecisionInput, { passages }: Thresholds): string | null {
  if (passages === undefined) return null;
  const [best] = input.evidence;
  if (best === undefined || best.scores.relevance === null) return null;
  const tau = barOf(passages.tauFor(input.act.label), input.act);
  const U = scoreOf(passages.score, featuresOf(input), measuredOf(input));
  return tau !== null && U !== null && U <= tau ? best.passageId : null;
}

/** In the place of silence: the entry of a name is what it is, and what explains two things says how they differ. */
function explained(
  { explaining = null }: DecisionInput,
  closed: GateRefusal | null,
  thresholds: Thresholds,
): string | null {
  const { passages } = thresholds;
  return closed !== null && isSilence(closed, thresholds) && passages?.explains === true ? explaining : null;
}

/** What there is to say of a query whatever comes of it. */
interface Made {
  act: ActDistribution;
  signals: Signals;
  U: number | null;
  record: LayerRecord;
}

function measuredNothing(act: ActDistribution): Made {
  return { act, signals: NOTHING, U: null, record: [] };
}

function screen(query: string, act: ActDistribution, { limits }: Thresholds): GateRefusal | null {
  return queryTooLong(query, limits) ?? emptyQuery(query) ?? notAQuestion(act);
}

/** What follows from the layer that decided. */
function concluded(
  { effect, reason, message, suggestions, definition }: LayerOutcome,
  thresholds: Thresholds,
  made: Made,
): Outcome {
  if (definition !== undefined) return defined(definition, thresholds, made);
  return refuse(refusal(reason!, message, suggestions, effect === 'ASK'), reason, thresholds, made);
}

/** The answer is what the vocabulary says. Nothing was measured, so that nothing is promised for it. */
function defined(definition: Evidence, thresholds: Thresholds, { act, record }: Made): Outcome {
  const { docId, passageId, start, end, text, title } = definition;
  return {
    action: 'ANSWER',
    answer: { text, claim: `${title}: ${text}`, docId, passageId, start, end },
    definition,
    gate: null,
    layers: record,
    caveats: caveatsOf(record, true),
    signals: NOTHING,
    U: null,
    tau: tauOf(thresholds, act),
    guarantee: DEFINED,
  };
}

function refuse(
  { reason, message, suggestions, recoverable }: GateRefusal,
  gate: Reason | null,
  thresholds: Thresholds,
  { act, signals, U, record }: Made,
): Outcome {
  const told = { reason, message, suggestions };
  return {
    ...(recoverable ? { action: 'ASK', clarification: told } : { action: 'ABSTAIN', abstention: told }),
    gate,
    layers: record,
    caveats: caveatsOf(record, false),
    signals,
    U,
    tau: tauOf(thresholds, act),
    guarantee: guaranteeOf(thresholds, act),
  };
}

/** What layers noted and left open. The bands speak of an answer and are silent where none is given. */
export function caveatsOf(record: LayerRecord, answered: boolean): Decision['caveats'] {
  return record
    .filter(({ state, layer }) => state === 'noted' && (answered || layer !== 'bands'))
    .map(({ finding }) => finding!.message);
}

/**
 * U against tau; says which signal weighed most. Null: U lies low enough. Asked back is within the band for asking
 * where there is one, otherwise where something is missing that a reply could supply, or branches offer a choice.
 */
function uncertain(input: DecisionInput, U: number | null, thresholds: Thresholds): GateRefusal | null {
  const { act, answers, report, evidence } = input;
  const tau = tauOf(thresholds, act);
  const text = quoted(answers.clusters[0]?.text ?? '');
  const band = thresholds.askUpTo === undefined ? null : barOf(thresholds.askUpTo(act.label), act);
  const banded = asksBack(thresholds.score, featuresOf(input), measuredOf(input), band);
  const ask = banded ?? (tau !== null && hasRecoverable(input.state));
  if (tau === null) {
    const message = `A candidate is ${text}, but for this kind of question no threshold could be calibrated.`;
    return refusal('UNCERTAIN', message, topics(evidence), ask);
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
  const hardly = hardlySupported(input, ask);
  if (hardly !== null) return hardly;
  if (disagreementWeighsMost(report, thresholds.score)) {
    const options = choices(answers.clusters[0]!.text, report.rivals);
    if (options.length > 1) {
      const message = `Different ways of searching find different answers. Which one is meant: ${list(options.map(quoted), 'or')}?`;
      return refusal('BRANCHES_DISAGREE', message, options, banded ?? true);
    }
    const message = `A candidate is ${text}, but different ways of searching do not agree on it.`;
    return refusal('BRANCHES_DISAGREE', message, topics(evidence), ask);
  }
  const message = `A candidate is ${text}, but it is not certain enough to be given as the answer.`;
  return refusal('UNCERTAIN', message, topics(evidence), ask);
}

const EVENLY = { alpha: 1 / 3, beta: 1 / 3, gamma: 1 / 3 };

/** Whether D contributes most to the formula's U; a learned score has no such terms, and D, C and 1-E count alike. */
function disagreementWeighsMost(report: DecisionInput['report'], score: UncertaintyScore): boolean {
  const terms = uncertaintyTerms(report, score.kind === 'formula' ? score.weights : EVENLY);
  return report.D !== null && terms !== null && terms.D >= terms.C && terms.D >= terms.E;
}
