/** How well `verify` tells claims that their evidence bears out from others, on public sets, each left out once. */
import { auroc, bootstrapInterval, grouped, type Interval, quantilesOf } from '../../calibration/index.ts';
import { VERIFY_THRESHOLDS, type VerifiedSentence, verifyAnswer } from '../../generation/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { type Layout, ms, share, table, withInterval } from '../measure/table.ts';
import { type FactualityRow, factualityRows, renderFactuality } from './factuality.ts';
import { claimsOfSet, type JudgedRow, type LabelledClaim, VERIFY_SETS, type VerifySet } from './sets.ts';

/** A figure with its interval by document; null where it is not defined. */
interface Figure {
  value: number | null;
  interval: Interval | null;
}

export interface VerifySetReport {
  set: VerifySet;
  n: number;
  groups: number;
  supported: number;
  /** Of the entailment alone, and with what is not eligible ranked last. */
  auroc: Figure;
  aurocWithRules: Figure;
  /** Fitted on all other sets; what follows is at this threshold. */
  threshold: number;
  balancedAccuracy: Figure;
  /** The same without the rules on names, numbers and contradiction, at a threshold fitted likewise. */
  balancedAccuracyByScore: Figure;
  f1Supported: Figure;
  f1Unsupported: Figure;
  /** Share of supported claims that the rules alone turn down, and of the others. */
  turnedDown: { supported: number; others: number };
}

export interface VerifyReport {
  schema: 'pragaura.bench-verify/2';
  sets: VerifySetReport[];
  factuality: FactualityRow[];
  /** Fitted on all sets: what ships. */
  threshold: number;
  /** Milliseconds a claim, one at a time. */
  p50: number;
  p95: number;
}

/** Throws what `claimsOfSet` and opening the models throw. `limit`: rows of each set. */
export async function benchVerify(
  {
    data,
    sets,
    limit,
    threads,
  }: { data: string; sets: readonly VerifySet[]; limit: number; threads?: number },
  say: (line: string) => void,
): Promise<VerifyReport> {
  const scorers = await openScorers({ jobs: ['nli'], ...(threads !== undefined && { threads }) });
  try {
    const judged = new Map<VerifySet, JudgedRow[]>();
    for (const set of sets) {
      const rows: JudgedRow[] = [];
      for (const claim of await claimsOfSet(set, data, limit)) rows.push(await judge(claim, scorers));
      judged.set(set, rows);
      say(`${set}: ${rows.length} claims`);
    }
    const all = [...judged.values()];
    const [p50, p95] = quantilesOf(
      all.flat().map((row) => row.ms),
      [0.5, 0.95],
    )!;
    return {
      schema: 'pragaura.bench-verify/2',
      factuality: factualityRows(judged),
      sets: [...judged].map(([set, rows]) => {
        const others = all.filter((one) => one !== rows);
        const fitted = others.length === 0 ? [rows] : others;
        return reportOf(set, rows, fitThreshold(fitted), fitThreshold(fitted, byScore));
      }),
      threshold: fitThreshold(all),
      p50: p50!,
      p95: p95!,
    };
  } finally {
    await scorers.close();
  }
}

async function judge(
  { answer, passage, title, supported, group }: LabelledClaim,
  scorers: Scorers,
): Promise<JudgedRow> {
  const started = performance.now();
  const { sentences } = await verifyAnswer({ answer, passages: [{ text: passage, title }] }, { scorers });
  const compared = sentences.filter(({ label }) => label !== 'unverifiable');
  const least = (values: readonly (number | null)[]) =>
    values.length === 0 ? 0 : Math.min(...values.map((value) => value ?? 0));
  return {
    supported,
    group,
    score: least(compared.map(({ score }) => score)),
    eligible: compared.length > 0 && compared.every(isEligible),
    support: least(compared.map(({ support }) => support)),
    ms: performance.now() - started,
  };
}

/** Whether the rules alone, whatever the threshold of the score, leave a sentence standing. */
function isEligible({ label, score, faults }: VerifiedSentence): boolean {
  const lacks = faults.some(({ fault }) => fault === 'NUMBER_NOT_FOUND' || fault === 'NAME_NOT_FOUND');
  return label !== 'contradicted' && score !== null && (!lacks || score >= VERIFY_THRESHOLDS.faulted);
}

const GRID = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);

/** The threshold of the grid with the greatest mean balanced accuracy over the sets, the least of equals. */
export function fitThreshold(sets: readonly (readonly JudgedRow[])[], judging = borneOut): number {
  const mean = (threshold: number) =>
    sets.reduce((sum, rows) => sum + (balanced(rows, judging(threshold)) ?? 0.5), 0) / sets.length;
  return GRID.reduce((best, each) => (mean(each) > mean(best) ? each : best));
}

type Judge = (row: JudgedRow) => boolean;
const borneOut =
  (threshold: number): Judge =>
  ({ eligible, score }) =>
    eligible && score >= threshold;

const byScore =
  (threshold: number): Judge =>
  ({ score }) =>
    score >= threshold;

/** Mean of the shares judged rightly among supported claims and among others; null where one kind is missing. */
export function balanced(rows: readonly JudgedRow[], judged: Judge): number | null {
  const right = (supported: boolean) => {
    const own = rows.filter((row) => row.supported === supported);
    return own.length === 0 ? null : own.filter((row) => judged(row) === supported).length / own.length;
  };
  const [yes, no] = [right(true), right(false)];
  return yes === null || no === null ? null : (yes + no) / 2;
}

/** F1 of finding the claims that are `supported` (or not); 0 where none is found, null where there is none to find. */
export function f1(rows: readonly JudgedRow[], judged: Judge, supported: boolean): number | null {
  const wanted = rows.filter((row) => row.supported === supported).length;
  const found = rows.filter((row) => judged(row) === supported);
  const right = found.filter((row) => row.supported === supported).length;
  return wanted === 0 ? null : (2 * right) / (wanted + found.length);
}

function reportOf(
  set: VerifySet,
  rows: readonly JudgedRow[],
  threshold: number,
  thresholdByScore: number,
): VerifySetReport {
  const groups = grouped(rows, ({ group }) => group);
  const figure = (statistic: (items: readonly JudgedRow[]) => number | null): Figure => ({
    value: statistic(rows),
    interval: bootstrapInterval(groups, statistic),
  });
  const ranked = (scoreOf: (row: JudgedRow) => number) => (items: readonly JudgedRow[]) =>
    auroc(items.map((row) => ({ score: scoreOf(row), positive: row.supported })));
  const judged = borneOut(threshold);
  const turnedDown = (supported: boolean) => {
    const own = rows.filter((row) => row.supported === supported);
    return own.filter(({ eligible }) => !eligible).length / Math.max(1, own.length);
  };
  return {
    set,
    n: rows.length,
    groups: groups.length,
    supported: rows.filter((row) => row.supported).length,
    auroc: figure(ranked(({ score }) => score)),
    aurocWithRules: figure(ranked(({ score, eligible }) => (eligible ? score : score - 1))),
    threshold,
    balancedAccuracy: figure((items) => balanced(items, judged)),
    balancedAccuracyByScore: figure((items) => balanced(items, byScore(thresholdByScore))),
    f1Supported: figure((items) => f1(items, judged, true)),
    f1Unsupported: figure((items) => f1(items, judged, false)),
    turnedDown: { supported: turnedDown(true), others: turnedDown(false) },
  };
}

/** A row a set. */
export function renderVerify(
  { sets, factuality, threshold, p50, p95 }: VerifyReport,
  layout: Layout = table,
): string {
  const shown = ({ value, interval }: Figure) => withInterval(value, interval);
  return [
    'claims told by whether their evidence bears them out; the threshold of each set is fitted on the others, intervals by document',
    layout(
      [
        'set',
        'n',
        'supported',
        'AUROC',
        'with rules',
        'threshold',
        'balanced accuracy',
        'by score alone',
        'F1 supported',
        'F1 not supported',
      ],
      sets.map((one) => [
        one.set,
        String(one.n),
        String(one.supported),
        shown(one.auroc),
        shown(one.aurocWithRules),
        one.threshold.toFixed(2),
        shown(one.balancedAccuracy),
        shown(one.balancedAccuracyByScore),
        shown(one.f1Supported),
        shown(one.f1Unsupported),
      ]),
    ),
    '',
    layout(
      ['set', 'what', 'supported turned down by rules', 'others turned down'],
      sets.map(({ set, turnedDown }) => [
        set,
        VERIFY_SETS[set].what,
        share(turnedDown.supported),
        share(turnedDown.others),
      ]),
    ),
    '',
    renderFactuality(factuality, layout),
    '',
    `threshold fitted on all sets: ${threshold.toFixed(2)}; a claim takes ${ms(p50)} ms (p50), ${ms(p95)} (p95), one at a time`,
  ].join('\n');
}
