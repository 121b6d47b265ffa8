import { type Temperatures, tempered } from '../../router/index.ts';
import { augrc } from '../metrics/selective.ts';
import { significant } from './design.ts';
import { foldsOf } from './folds.ts';
import { type FormulaFit, fitFormula } from './formula.ts';
import { type FitItem, ranked } from './items.ts';

const FOLDS = 5;
/** Beyond, a probability is no longer told from .5, or from 0 and 1. */
const [LEAST, MOST] = [0.05, 20];
const SWEEPS = 20;
/** Of a logarithm: nearer than anything that the data could tell apart. */
const NEAR = 1e-3;
/** Of a logarithm: how far from the last sweep's the next one looks. */
const AROUND = 0.7;
const NONE: Temperatures = { answer: 1, entailment: 1 };

export interface TemperaturesReport extends Temperatures {
  /** Of E as a probability of being right, on groups left out. */
  logLoss: { without: number; with: number };
  /** Of the formula, weights fitted anew in each fold, on groups left out. */
  augrc: { without: number; with: number };
  used: boolean;
}

/**
 * The temperatures with the least log loss of E, made with them, as a probability that the answer is right: one number
 * after the other by golden section over its logarithm, until neither moves. With one source that entails fully, or
 * one answer that is certain, this is Platt scaling without an offset. Items without sources say nothing. Pure.
 */
export function fitTemperatures(items: readonly FitItem[]): Temperatures {
  const lean = items.map(leanOf);
  let found = NONE;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const before = found;
    for (const name of ['answer', 'entailment'] as const) {
      const lossAt = (log: number) => logLoss(lean, { ...found, [name]: Math.exp(log) });
      const around = sweep === 0 ? Number.POSITIVE_INFINITY : AROUND;
      const from = Math.max(Math.log(LEAST), Math.log(found[name]) - around);
      const to = Math.min(Math.log(MOST), Math.log(found[name]) + around);
      found = { ...found, [name]: Math.exp(goldenSection(lossAt, from, to)) };
    }
    const moved = (['answer', 'entailment'] as const).map((name) =>
      Math.abs(Math.log(found[name] / before[name])),
    );
    if (Math.max(...moved) < NEAR) break;
  }
  return { answer: significant(found.answer), entailment: significant(found.entailment) };
}

/**
 * The formula with its weights, and with temperatures where these lower its AUGRC on groups left out by more than one
 * standard error (five folds, temperatures and weights of each fitted without it). Null: fewer than two groups, or nothing but right or wrong.
 * Throws what `fitFormula` throws.
 */
export function fitTempered(
  items: readonly FitItem[],
): FormulaFit & { temperatures: TemperaturesReport | null } {
  const plain = fitFormula(items);
  const open = items.filter(({ features, sources }) => features !== null && sources != null);
  const wrong = open.filter((item) => item.wrong).length;
  const { folds, foldOf } = foldsOf(items, FOLDS);
  if (folds < 2 || wrong === 0 || wrong === open.length) return { ...plain, temperatures: null };
  const gains: number[] = [];
  const means = { logLoss: { without: 0, with: 0 }, augrc: { without: 0, with: 0 } };
  for (let fold = 0; fold < folds; fold++) {
    const rest = items.filter((_, i) => foldOf[i] !== fold);
    const own = items.filter((_, i) => foldOf[i] === fold);
    const temperatures = fitTemperatures(rest);
    const share = own.length / items.length;
    means.logLoss.without += logLoss(own, NONE) * share;
    means.logLoss.with += logLoss(own, temperatures) * share;
    const without = augrc(ranked(own, fitFormula(rest).score))!;
    const cooled = augrc(ranked(own, fitFormula(rest, { temperatures }).score))!;
    gains.push(without - cooled);
    means.augrc.without += without * share;
    means.augrc.with += cooled * share;
  }
  // One standard error over the folds: less is chance, and the plain formula is the paper's.
  const gain = means.augrc.without - means.augrc.with;
  const spread = gains.reduce((sum, each) => sum + (each - gain) ** 2, 0) / (folds - 1);
  const used = gain > Math.sqrt(spread / folds);
  const temperatures = fitTemperatures(items);
  return {
    ...(used ? fitFormula(items, { temperatures }) : plain),
    temperatures: { ...temperatures, ...means, used },
  };
}

/**
 * The item with those of its sources that can make E at some temperatures: not those that another one betters in q and
 * in both odds of entailment. Sources are many and these one or two.
 */
function leanOf(item: FitItem): FitItem {
  const sources = item.sources ?? [];
  const odds = sources.map(
    ({ q, entailment: e, contradiction: c }) => [q, -c / e, -Math.max(0, 1 - e - c) / e] as const,
  );
  const bettered = odds.map((own, i) =>
    odds.some((other, j) => {
      const equal = own.every((value, k) => value === other[k]);
      return equal ? j < i : own.every((value, k) => value <= other[k]!);
    }),
  );
  return { ...item, sources: item.sources == null ? item.sources : sources.filter((_, i) => !bettered[i]) };
}

/** Mean over the items that have sources, in nats; E counts as at least one in a million from 0 and 1. 0 without any. */
function logLoss(items: readonly FitItem[], temperatures: Temperatures): number {
  let [sum, n] = [0, 0];
  for (const { features, sources, wrong } of items) {
    if (features === null || sources == null) continue;
    const { E } = tempered(features, sources, temperatures);
    const p = Math.min(1 - 1e-6, Math.max(1e-6, E ?? 0));
    sum -= Math.log(wrong ? 1 - p : p);
    n++;
  }
  return n === 0 ? 0 : sum / n;
}

/** Where a function with one valley is least (Kiefer 1953). */
function goldenSection(f: (x: number) => number, from: number, to: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [from, to];
  let [c, d] = [b - ratio * (b - a), a + ratio * (b - a)];
  let [fc, fd] = [f(c), f(d)];
  while (b - a > NEAR / 4) {
    if (fc <= fd) {
      [b, d, fd] = [d, c, fc];
      c = b - ratio * (b - a);
      fc = f(c);
    } else {
      [a, c, fc] = [c, d, fd];
      d = a + ratio * (b - a);
      fd = f(d);
    }
  }
  return (a + b) / 2;
}
