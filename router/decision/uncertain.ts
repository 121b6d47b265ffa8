import { list, quoted } from '../../common/index.ts';
import { hasRecoverable } from '../../conversation/index.ts';
import { choices, topics } from '../layers/index.ts';
import { featuresOf } from './features.ts';
import { hardlySupported, refusal } from './gates.ts';
import { barOf, tauOf } from './parts.ts';
import { asksBack, measuredOf, type UncertaintyScore } from './score.ts';
import type { DecisionInput, GateRefusal, Thresholds } from './types.ts';
import { uncertaintyTerms } from './uncertainty.ts';

/**
 * U against tau; says which signal weighed most. Null: U lies low enough. Asked back is within the band for asking
 * where there is one, otherwise where something is missing that a reply could supply, or branches offer a choice.
 */
export function uncertain(
  input: DecisionInput,
  U: number | null,
  thresholds: Thresholds,
): GateRefusal | null {
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
