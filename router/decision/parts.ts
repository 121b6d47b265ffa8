import { PragauraError, quoted } from '../../common/index.ts';
import type { ActDistribution } from '../../profiles/index.ts';
import type { SpanAnswer } from '../answer/index.ts';
import type { Decision, Signals } from '../contracts.ts';
import type { DecisionInput } from './input.ts';
import type { Thresholds } from './types.ts';

/** Signals of a query that was decided before anything was scored. */
export const NOTHING: Signals = {
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

/** What is promised for a definition. */
export const DEFINED: Decision['guarantee'] = {
  status: 'NOT_CALIBRATED',
  sentence:
    'Nothing is promised: the answer is the definition of a vocabulary, which no calibration is about.',
};

/** The largest U that is answered for this act; null: nothing is. Throws CONFIGURATION when it is no number in [0, 1]. */
export function tauOf(thresholds: Thresholds, act: ActDistribution): number | null {
  return barOf(thresholds.tauFor(act.label), act);
}

export function barOf(bar: number | null, act: ActDistribution): number | null {
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

/** Without a threshold nothing is promised for an act, whatever is promised for others; nor for a restricted query. */
export function guaranteeOf(thresholds: Thresholds, act: ActDistribution): Decision['guarantee'] {
  const { status: said } = thresholds;
  const status = said === 'CALIBRATED' && tauOf(thresholds, act) === null ? 'NOT_CALIBRATED' : said;
  return { status, sentence: thresholds.sentence(act.label) };
}

/** The chosen span, placed in its document. Throws INTERNAL when it does not stand where its passage has it. */
export function answerOf({ answers, evidence }: DecisionInput): SpanAnswer {
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
