/** Figures of a classification, with intervals. */
import { mulberry32 } from '../../../common/index.ts';
import { ACTS, type Act, PARENT_ACT } from '../../../profiles/index.ts';

export interface Outcome {
  gold: Act;
  label: Act;
  /** Probability of the likeliest act, and which that is. */
  top: number;
  likeliest: Act;
  /** Near-duplicates are drawn together. */
  group: number;
  confident: boolean;
}

/** A share in [0, 1] with its 95 % interval. */
export interface Figure {
  value: number;
  low: number;
  high: number;
}

/** Refinements folded into their parents. */
export function fold(act: Act): Act {
  return PARENT_ACT[act] ?? act;
}

export function accuracy(outcomes: readonly Outcome[]): number {
  return share(outcomes, ({ gold, label }) => gold === label);
}

/** Over questions only; a question taken for none counts as wrong. */
export function coreAccuracy(outcomes: readonly Outcome[]): number {
  const questions = outcomes.filter(({ gold }) => gold !== 'NOT_A_QUESTION');
  return share(questions, ({ gold, label }) => fold(gold) === fold(label));
}

/** Mean F1 over the acts that occur. */
export function macroF1(outcomes: readonly Outcome[]): number {
  const present = ACTS.filter((act) => outcomes.some(({ gold }) => gold === act));
  const sum = present.reduce((total, act) => total + scoresOf(outcomes, act).f1, 0);
  return sum / present.length;
}

export function scoresOf(outcomes: readonly Outcome[], act: Act) {
  const both = outcomes.filter(({ gold, label }) => gold === act && label === act).length;
  const predicted = outcomes.filter(({ label }) => label === act).length;
  const support = outcomes.filter(({ gold }) => gold === act).length;
  const precision = predicted === 0 ? Number.NaN : both / predicted;
  const recall = support === 0 ? Number.NaN : both / support;
  return { precision, recall, f1: both === 0 ? 0 : (2 * both) / (predicted + support), predicted, support };
}

/** Expected calibration error of the top probability, fifteen bins of equal width. */
export function calibrationError(outcomes: readonly Outcome[]): number {
  const bins = Array.from({ length: 15 }, () => ({ n: 0, right: 0, sum: 0 }));
  for (const { gold, likeliest, top } of outcomes) {
    const bin = bins[Math.min(14, Math.floor(top * 15))]!;
    bin.n++;
    bin.sum += top;
    if (gold === likeliest) bin.right++;
  }
  return bins.reduce((total, bin) => total + Math.abs(bin.right - bin.sum), 0) / outcomes.length;
}

/** Percentile bootstrap over groups, 500 draws from a fixed seed. */
export function withInterval(
  outcomes: readonly Outcome[],
  figure: (o: readonly Outcome[]) => number,
): Figure {
  const byGroup = new Map<number, Outcome[]>();
  for (const outcome of outcomes)
    byGroup.set(outcome.group, [...(byGroup.get(outcome.group) ?? []), outcome]);
  const groups = [...byGroup.values()];
  const random = mulberry32(20_26);
  const draws = Array.from({ length: 500 }, () =>
    figure(groups.flatMap(() => groups[Math.floor(random() * groups.length)]!)),
  ).sort((a, b) => a - b);
  return { value: figure(outcomes), low: draws[12]!, high: draws[487]! };
}

/** Rows: what it is; columns: what it was called. */
export function confusion(outcomes: readonly Outcome[]): string {
  const short = (act: Act) => act.slice(0, 6).padStart(7);
  const lines = [`${''.padEnd(15)}${ACTS.map(short).join('')}`];
  for (const gold of ACTS) {
    const row = outcomes.filter((outcome) => outcome.gold === gold);
    const cells = ACTS.map((label) => String(row.filter((o) => o.label === label).length).padStart(7));
    lines.push(gold.padEnd(15) + cells.join(''));
  }
  return lines.join('\n');
}

export function share<T>(items: readonly T[], test: (item: T) => boolean): number {
  return items.length === 0 ? Number.NaN : items.filter(test).length / items.length;
}
