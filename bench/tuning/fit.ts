/** How likely a passage's best span is the answer: its constants fitted anew, and what they are worth. */
import { auroc, fitLogistic, foldsOf } from '../../calibration/index.ts';
import { logit, logLoss } from '../../common/index.ts';

/** The best span of one passage that was read for one question. */
export interface SpanRead {
  question: string;
  /** Questions about one passage stay together. */
  group: string;
  /** Logit of the passage's relevance. */
  relevance: number;
  margin: number;
  /** The span is a gold answer, word for word as SQuAD compares. */
  right: boolean;
}

export interface Weights {
  relevanceWeight: number;
  marginWeight: number;
  offset: number;
}

export interface Worth {
  /** Mean negative log likelihood of right and wrong, in nats. */
  logLoss: number;
  /** How often a right span scores above a wrong one, ties half; null when there are not both. */
  auroc: number | null;
  /** Share of the questions whose best-scored span is right. */
  chosen: number;
}

const FOLDS = 5;
/** Next to nothing, but with it there is an answer even when one feature parts right from wrong. */
const RIDGE = 1e-3;

function linear({ relevanceWeight, marginWeight, offset }: Weights, { relevance, margin }: SpanRead): number {
  return relevanceWeight * relevance + marginWeight * margin + offset;
}

/**
 * Logistic regression of right on relevance and margin. Neither may speak against a span: one whose weight would be
 * negative beside the other is left out. Throws INTERNAL when it does not converge.
 */
export function fitWeights(spans: readonly SpanRead[]): Weights {
  const right = spans.map((span) => span.right);
  const solve = (signals: readonly ('relevance' | 'margin')[]): Weights => {
    const rows = spans.map((span) => Float64Array.from(signals, (signal) => span[signal]));
    const [offset, ...weights] = fitLogistic({ rows, right, ridge: RIDGE });
    const weightOf = (signal: 'relevance' | 'margin') => weights[signals.indexOf(signal)] ?? 0;
    const kept = signals.filter((signal) => weightOf(signal) > 0);
    if (kept.length < signals.length && kept.length > 0) return solve(kept);
    return { relevanceWeight: weightOf('relevance'), marginWeight: weightOf('margin'), offset: offset! };
  };
  return solve(['relevance', 'margin']);
}

/** What given constants are worth on these spans. */
export function worthOf(spans: readonly SpanRead[], weights: Weights): Worth {
  return worth(
    spans,
    spans.map((span) => linear(weights, span)),
  );
}

/** What fitting is worth: each span scored by constants that were fitted without its group, in five folds. */
export function worthOfFitting(spans: readonly SpanRead[]): Worth {
  const { folds, foldOf } = foldsOf(spans, FOLDS);
  const scores = new Array<number>(spans.length);
  for (let fold = 0; fold < folds; fold++) {
    const weights = fitWeights(spans.filter((_, i) => foldOf[i] !== fold));
    for (const [i, span] of spans.entries()) if (foldOf[i] === fold) scores[i] = linear(weights, span);
  }
  return worth(spans, scores);
}

function worth(spans: readonly SpanRead[], scores: readonly number[]): Worth {
  let loss = 0;
  const best = new Map<string, { score: number; right: boolean }>();
  for (const [i, { question, right }] of spans.entries()) {
    loss += logLoss(right ? scores[i]! : -scores[i]!);
    if (scores[i]! > (best.get(question)?.score ?? Number.NEGATIVE_INFINITY)) {
      best.set(question, { score: scores[i]!, right });
    }
  }
  const hits = [...best.values()].filter(({ right }) => right).length;
  return {
    logLoss: loss / spans.length,
    auroc: auroc(spans.map(({ right }, i) => ({ score: scores[i]!, positive: right }))),
    chosen: hits / best.size,
  };
}

/** Shares of passages whose relevance is below a topical gate: of those with a right span, and of the others. */
export interface Gate {
  relevance: number;
  rightLost: number | null;
  othersKeptOut: number | null;
}

export function gateAt(spans: readonly SpanRead[], relevance: number): Gate {
  const bar = logit(relevance);
  const below = (chosen: readonly SpanRead[]) =>
    chosen.length === 0 ? null : chosen.filter((span) => span.relevance < bar).length / chosen.length;
  return {
    relevance,
    rightLost: below(spans.filter(({ right }) => right)),
    othersKeptOut: below(spans.filter(({ right }) => !right)),
  };
}
