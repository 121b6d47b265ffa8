/** What the numbers of a model say: a vector, a relevance, an entailment. Readings are in `read.ts`. */
import { sigmoid } from '../common/index.ts';
import type { PairPlan } from './runtime/windows.ts';
import type { Entailment, Relevance } from './types.ts';

/**
 * The vector of a text: `pooled`, the mean of its tokens (Reimers & Gurevych 2019) or its first, divided by its Euclidean
 * norm; a zero vector stays zero.
 */
export function unitVector(pooled: Float32Array): Float32Array {
  let sum = 0;
  for (const x of pooled) sum += x * x;
  const norm = Math.sqrt(sum);
  return Float32Array.from(pooled, (x) => (norm === 0 ? 0 : x / norm));
}

/** Relevance of a passage: that of its most relevant window. `logits`: one a window. */
export function relevanceOf(plan: PairPlan, logits: readonly number[]): Relevance {
  const logit = Math.max(...logits);
  return {
    score: sigmoid(logit),
    logit,
    tokens: plan.tokens,
    truncatedTokens: plan.truncatedTokens,
  };
}

type Label = 'entailment' | 'neutral' | 'contradiction';
type Probabilities = Record<Label, number>;

/** Softmax over three logits whose labels are given in order. */
export function probabilitiesOf(logits: Float32Array, labels: readonly Label[]): Probabilities {
  const top = Math.max(...logits);
  const powers = Array.from(logits, (x) => Math.exp(x - top));
  const sum = powers.reduce((a, b) => a + b, 0);
  const result: Probabilities = { entailment: 0, neutral: 0, contradiction: 0 };
  labels.forEach((label, i) => {
    result[label] = powers[i]! / sum;
  });
  return result;
}

/**
 * The verdict on a premise of several windows is that of one of them, contradiction looked at first: if some
 * window's most probable label is contradiction, the one that contradicts most; otherwise, if some window
 * entails, the one that entails most; otherwise the least neutral one.
 */
export function entailmentOf(plan: PairPlan, windows: readonly Probabilities[]): Entailment {
  const most = (label: Label): Probabilities | undefined =>
    windows.filter((w) => winner(w) === label).sort((a, b) => b[label] - a[label])[0];
  const leastNeutral = windows.reduce((a, b) => (b.neutral < a.neutral ? b : a));
  const verdict = most('contradiction') ?? most('entailment') ?? leastNeutral;
  return { ...verdict, tokens: plan.tokens, truncatedTokens: plan.truncatedTokens };
}

/** The most probable label; a tie goes to contradiction, then to neutral. */
export function winner(p: Probabilities): Label {
  if (p.contradiction >= p.neutral && p.contradiction >= p.entailment) return 'contradiction';
  return p.neutral >= p.entailment ? 'neutral' : 'entailment';
}
