/** How likely a passage's best span is the answer: its constants fitted anew, and what they are worth. */
import { auroc, fitLogistic, foldsOf, grouped } from '../../calibration/index.ts';
import { logit, logLoss, PragauraError } from '../../common/index.ts';

/** The best span of one passage that was read for one question. */
export interface SpanRead {
  question: string;
  /** Questions about one passage stay together. */
  group: string;
  /** Logit of the passage's relevance. */
  relevance: number;
  /** Fused score of the passage, in [0, 1]. */
  fused: number;
  /** The passage is the one that the question was asked of. */
  own: boolean;
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

/** Mean reciprocal rank and share of first places of the questions' own passages, in [0, 1]. */
export interface RankWorth {
  mrr: number;
  first: number;
}

/** What the order by relevance plus `weight` times the fused score is worth; ties are lost. */
export function rankWorthOf(spans: readonly SpanRead[], weight: number): RankWorth {
  const ranks = lists(spans).map((list) => {
    const score = ({ relevance, fused }: SpanRead) => relevance + weight * fused;
    const best = Math.max(...list.filter(({ own }) => own).map(score));
    return 1 + list.filter((span) => !span.own && score(span) >= best).length;
  });
  return {
    mrr: ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length,
    first: ranks.filter((rank) => rank === 1).length / ranks.length,
  };
}

const STEPS = 50;

/**
 * What the fused score weighs beside the relevance logit. Conditional logit (McFadden 1974): of the passages that were
 * read for a question its own is taken with a probability proportional to exp(a * relevance + b * fused); b / a at the
 * maximum of the likelihood, by Newton's method. Questions whose own passage was not read, or nothing else, say nothing.
 * Throws INVALID_INPUT where none is left, or relevance speaks against the own passages.
 */
export function fitFusedWeight(spans: readonly SpanRead[]): number {
  const asked = lists(spans).filter((list) => list.length > 1);
  let [a, b] = [0, 0];
  for (let step = 0; step < STEPS; step++) {
    // Gradient and (negative) Hessian; a trace of ridge keeps them apart.
    let [ga, gb, haa, hab, hbb] = [-RIDGE * a, -RIDGE * b, RIDGE, 0, RIDGE];
    for (const list of asked) {
      const z = list.map(({ relevance, fused }) => a * relevance + b * fused);
      const most = Math.max(...z);
      const weights = z.map((each) => Math.exp(each - most));
      const total = weights.reduce((sum, each) => sum + each, 0);
      const mean = (of: (span: SpanRead) => number) =>
        list.reduce((sum, span, i) => sum + (weights[i]! / total) * of(span), 0);
      const own = list.filter((span) => span.own);
      const [r, f] = [mean((span) => span.relevance), mean((span) => span.fused)];
      ga += own.reduce((sum, span) => sum + span.relevance, 0) / own.length - r;
      gb += own.reduce((sum, span) => sum + span.fused, 0) / own.length - f;
      haa += mean((span) => span.relevance ** 2) - r * r;
      hab += mean((span) => span.relevance * span.fused) - r * f;
      hbb += mean((span) => span.fused ** 2) - f * f;
    }
    const determinant = haa * hbb - hab * hab;
    const [da, db] = [(hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant];
    a += da;
    b += db;
    if (Math.abs(da) + Math.abs(db) < 1e-9) break;
  }
  if (!(a > 0)) {
    throw new PragauraError(
      'INVALID_INPUT',
      'Relevance does not tell the passages that the questions were asked of.',
      {
        hint: 'Take more questions, asked of passages that retrieval finds.',
      },
    );
  }
  return b / a;
}

/** What was read for each question whose own passage was among it. */
function lists(spans: readonly SpanRead[]): SpanRead[][] {
  return grouped(spans, ({ question }) => question).filter((list) => list.some(({ own }) => own));
}
