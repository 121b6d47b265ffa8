/** What the fused score weighs beside the relevance logit in the order of passages: fitted, and tried on the sets left out. Pure. */
import { grouped } from '../../calibration/index.ts';
import { boundedLogit } from '../../common/index.ts';
import { FUSED_WEIGHT } from '../../router/retrieval/index.ts';
import type { Item } from './judged.ts';

type Read = Item['read'];

/** Next to nothing, but with it there is an answer even when one score parts right from wrong. */
const RIDGE = 1e-3;
const STEPS = 50;

/**
 * What the fused score weighs beside the relevance logit. Conditional logit (McFadden 1974): of the passages that were
 * read for a question one that a person would take is taken with a probability proportional to
 * exp(a * logit + b * fused), several counting alike; b / a at the maximum of the likelihood, by Newton's method.
 * Questions of which no passage is right, or all are, say nothing. Null where relevance speaks against the right
 * passages, or no question is left.
 */
export function fitFusedWeight(questions: readonly Read[]): number | null {
  const telling = questions.filter(
    (read) => read.some(({ right }) => right) && read.some(({ right }) => !right),
  );
  const lists = telling.map((read) => read.map((each) => ({ ...each, logit: logitOf(each.relevance) })));
  let [a, b] = [0, 0];
  for (let step = 0; step < STEPS; step++) {
    // Gradient and (negative) Hessian; a trace of ridge keeps them apart.
    let [ga, gb, haa, hab, hbb] = [-RIDGE * a, -RIDGE * b, RIDGE, 0, RIDGE];
    for (const list of lists) {
      const z = list.map(({ logit, fused }) => a * logit + b * fused);
      const most = Math.max(...z);
      const weights = z.map((each) => Math.exp(each - most));
      const total = weights.reduce((sum, each) => sum + each, 0);
      const mean = (of: (one: (typeof list)[number]) => number) =>
        list.reduce((sum, one, i) => sum + (weights[i]! / total) * of(one), 0);
      const right = list.filter((one) => one.right);
      const [r, f] = [mean((one) => one.logit), mean((one) => one.fused)];
      ga += right.reduce((sum, one) => sum + one.logit, 0) / right.length - r;
      gb += right.reduce((sum, one) => sum + one.fused, 0) / right.length - f;
      haa += mean((one) => one.logit ** 2) - r * r;
      hab += mean((one) => one.logit * one.fused) - r * f;
      hbb += mean((one) => one.fused ** 2) - f * f;
    }
    const determinant = haa * hbb - hab * hab;
    const [da, db] = [(hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant];
    a += da;
    b += db;
    if (Math.abs(da) + Math.abs(db) < 1e-9) break;
  }
  return a > 0 ? b / a : null;
}

/** Share of the questions, in [0, 1], whose first passage in the order of that weight is right; ties are lost. */
export function firstRight(questions: readonly Read[], weight: number): number {
  const first = questions.filter((read) => {
    const best = (some: Read) =>
      Math.max(...some.map(({ relevance, fused }) => logitOf(relevance) + weight * fused));
    return best(read.filter(({ right }) => right)) > best(read.filter(({ right }) => !right));
  });
  return first.length / questions.length;
}

/** A score that has rounded to 0 or 1 counts as far as the others go. */
function logitOf(score: number): number {
  return boundedLogit(score, 1e-9);
}

/** Of one set: questions with an answer of which something was read, the weight fitted on the others (null: it cannot be), and shares by weight. */
export interface OrderOfSet {
  set: string;
  n: number;
  fitted: number | null;
  first: { relevance: number; shipped: number; fitted: number | null };
}

export interface Order {
  /** On all sets, each question counting alike. */
  weight: number | null;
  /** The weight that ships. */
  shipped: number;
  /** Share of the first passages that are right, mean over sets, by weight. */
  byWeight: { weight: number; first: number }[];
  sets: OrderOfSet[];
}

const WEIGHTS = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 40];

/** What the weight is worth on each set when that had no part in its fit. Sets count alike in means, questions in fits. */
export function orderOf(items: readonly Item[]): Order {
  const asked = items.filter(({ answerable, read }) => answerable && read.length > 0);
  const readOf = (some: readonly Item[]) => some.map(({ read }) => read);
  const sets = grouped(asked, ({ set }) => set);
  const mean = (weight: number) =>
    sets.reduce((sum, own) => sum + firstRight(readOf(own), weight), 0) / sets.length;
  return {
    weight: fitFusedWeight(readOf(asked)),
    shipped: FUSED_WEIGHT,
    byWeight: sets.length === 0 ? [] : WEIGHTS.map((weight) => ({ weight, first: mean(weight) })),
    sets: sets.map((own) => {
      const { set } = own[0]!;
      const fitted = fitFusedWeight(readOf(asked.filter((item) => item.set !== set)));
      const first = (weight: number) => firstRight(readOf(own), weight);
      return {
        set,
        n: own.length,
        fitted,
        first: {
          relevance: first(0),
          shipped: first(FUSED_WEIGHT),
          fitted: fitted === null ? null : first(fitted),
        },
      };
    }),
  };
}
