/** From what was measured to everything that is reported. Pure. */
import {
  type BootstrapOptions,
  brier,
  calibrationError,
  grouped,
  type Observation,
  riskAtCoverage,
  type SplitReport,
} from '../../calibration/index.ts';
import { seededRandom, shuffled } from '../../common/index.ts';
import { ACTS, type Act } from '../../profiles/index.ts';
import type { Arm } from '../parity/arms.ts';
import { CERTIFIED_UNITS, type CertifiedUnit } from '../parity/certificate.ts';
import { byCoverage } from '../parity/per-act.ts';
import { NOISE, noiseArm } from './arms.ts';
import { type Aims, type Bar, thresholdOf } from './bars.ts';
import { type Item, type Items, itemOf, scoredOf } from './items.ts';
import { type Judged, judge, type Less, less, type Played } from './judged.ts';
import type { Attempted } from './measure.ts';
import { type Recorded, Records } from './records.ts';
import { RETRIEVAL_SCORES, type SeriesRow } from './retrieval.ts';
import { SCORES, type ScoreName } from './scores.ts';

export const FAMILIES = ['thresholds', 'retrieval', 'signals', 'noise', 'settings', 'ways'] as const;
export type Family = (typeof FAMILIES)[number];

export interface Row {
  name: string;
  family: Family;
  arm: string;
  bar: Bar;
  tau: number | null;
  judged: Judged;
  /** Less the contender of this name; null for that itself. */
  less: {
    than: string;
    figures: Less;
    /** Units of which one spends more than the other by more than the tolerance: no comparison at equal compute. */
    apart: CertifiedUnit[];
  } | null;
}

/** EM, F1 and the unsupported share of the least uncertain share of the test split. */
export interface Curve {
  name: string;
  points: { coverage: number; em: number | null; f1: number | null; unsupported: number | null }[];
}

export interface SetReport {
  set: string;
  about: string;
  questions: number;
  split: SplitReport;
  aims: { level: string; risk: string; delta: string };
  arms: Pick<Arm, 'name' | 'about'>[];
  rows: Row[];
  series: SeriesRow[];
  curves: Curve[];
  /** How good 1 - U is as a probability of being right, on the test split. */
  probabilities: { name: string; n: number; brier: number | null; error: number | null }[];
  /** Predicted acts of all questions. */
  acts: { act: Act; share: number }[];
  /**
   * How far from the level of coverage one threshold ends, over `draws` new divisions of what was not fitted on into halves by
   * group: mean coverage, and mean distance from the level.
   */
  targets: {
    draws: number;
    bars: Record<(typeof TARGETED)[number], { coverage: number; off: number }>;
  } | null;
  /** What a second reading does to the test split; EM of the answers that it leaves and that it changes. */
  reflection: { n: number; changed: number; em: { same: number | null; changed: number | null } };
  remarks: string[];
}

export interface Measured extends Recorded {
  set: { name: string; about: string };
  /** The same questions for every arm, in the same order. */
  arms: readonly { arm: Arm; observations: readonly Observation[] }[];
  split: SplitReport;
  aims: Aims;
  bootstrap?: BootstrapOptions;
}

/** What everything is held against: the same for every query, one threshold tuned on the calibrate split. */
export const BASE = 'uniform, one tau';
/** One pass and the reader's score, which other ways of answering go by as well. */
export const READER = "reader's score, one tau";

/** Bars that aim at a coverage, and how often that is tried. */
const TARGETED = ['tuned', 'conformal'] as const;
const DRAWS = 200;
const DRAW_SEED = 1;

/** Contenders on the records of an arm. */
const ON_RECORDS: readonly { name: string; family: Family; arm: string; score: ScoreName; bar: Bar }[] = [
  { name: BASE, family: 'thresholds', arm: 'uniform', score: 'formula', bar: 'tuned' },
  { name: 'all answered', family: 'thresholds', arm: 'uniform', score: 'formula', bar: 'all' },
  { name: 'by act, one tau', family: 'thresholds', arm: 'act', score: 'formula', bar: 'tuned' },
  { name: 'uniform, tau per act', family: 'thresholds', arm: 'uniform', score: 'formula', bar: 'per act' },
  { name: 'by act, tau per act', family: 'thresholds', arm: 'act', score: 'formula', bar: 'per act' },
  {
    name: 'split-conformal, one tau',
    family: 'thresholds',
    arm: 'uniform',
    score: 'formula',
    bar: 'conformal',
  },
  { name: READER, family: 'thresholds', arm: 'uniform', score: 'reader', bar: 'tuned' },
  { name: 'Platt, one tau', family: 'thresholds', arm: 'uniform', score: 'Platt', bar: 'tuned' },
  { name: 'isotonic, one tau', family: 'thresholds', arm: 'uniform', score: 'isotonic', bar: 'tuned' },
  { name: 'learned, one tau', family: 'thresholds', arm: 'uniform', score: 'learned', bar: 'tuned' },
  { name: 'binomial bound', family: 'thresholds', arm: 'uniform', score: 'formula', bar: 'bounded' },
  { name: 'learned, binomial bound', family: 'thresholds', arm: 'uniform', score: 'learned', bar: 'bounded' },
  ...SCORES.filter((score) => /^without|alone$|^equal/.test(score)).map((score) => ({
    ...{ name: score, family: 'signals' as const, arm: 'uniform', score, bar: 'tuned' as const },
  })),
  ...NOISE.map((share) => ({
    ...{ name: noiseName(share), family: 'noise' as const, arm: noiseArm(share) },
    ...{ score: 'formula' as const, bar: 'per act' as const },
  })),
];

export function noiseName(share: number): string {
  return `${Math.round(share * 100)} % wrong acts, tau per act`;
}

export function settingsName(arm: string, bar: Bar): string {
  return `${arm}, ${bar === 'per act' ? 'tau per act' : 'one tau'}`;
}

export function reportOn(measured: Measured): SetReport {
  const { arms, aims, split, bootstrap = {} } = measured;
  const level = Number(aims.level.text);
  const remarks = new Set<string>();
  const observed = new Map(arms.map(({ arm, observations }) => [arm.name, observations]));
  const records = new Records(observed, measured, remarks);
  const played = new Map<string, Played[]>();
  const rows: Row[] = [];
  const add = (row: Pick<Row, 'name' | 'family' | 'arm' | 'bar'>, items: Items | null, than: string) => {
    if (items === null) return;
    const threshold = thresholdOf(row.bar, items, aims);
    const own = inOrder(row.bar, items).map((item, place) => ({
      ...item,
      given: threshold.answers(items.test[place]!),
    }));
    played.set(row.name, own);
    const other = row.name === than ? undefined : played.get(than);
    rows.push({
      ...row,
      tau: threshold.tau,
      judged: judge(own, level, bootstrap),
      less:
        other === undefined
          ? null
          : { than, figures: less(own, other, level, bootstrap), apart: apartIn(own, other) },
    });
  };
  for (const { score, ...row } of ON_RECORDS) add(row, records.under(row.arm, score), baseOf(row));
  for (const name of RETRIEVAL_SCORES) {
    const row = { name: `${name} of retrieval`, family: 'retrieval', arm: 'uniform', bar: 'tuned' } as const;
    add(
      row,
      records.byRetrieval((scores) => 1 - scores[name]),
      BASE,
    );
  }
  for (const { arm } of arms.filter(({ arm: { part } }) => part === 'paper')) {
    for (const bar of ['tuned', 'per act'] as const) {
      const row = { name: settingsName(arm.name, bar), family: 'settings', arm: arm.name, bar } as const;
      add(row, records.under(arm.name, 'formula'), BASE);
    }
  }
  for (const [pipeline, uncertainty] of waysIn(measured.attempts)) {
    const name = pipeline === uncertainty || uncertainty === 'reader' ? pipeline : uncertainty;
    const row = { name, family: 'ways', arm: pipeline, bar: 'tuned' } as const;
    add(row, records.byAttempt(pipeline, uncertainty), READER);
  }
  const all = observed.get('act') ?? [];
  return {
    set: measured.set.name,
    about: measured.set.about,
    questions: all.length,
    split,
    aims: { level: aims.level.text, risk: aims.risk.text, delta: aims.delta.text },
    arms: arms.map(({ arm: { name, about } }) => ({ name, about })),
    rows,
    series: records.series(),
    curves: [...played].map(([name, items]) => curveOf(name, items)),
    probabilities: (['formula', 'Platt', 'isotonic', 'learned'] as const).flatMap((name) => {
      const items = records.under('uniform', name);
      return items === null ? [] : [probabilitiesOf(name, items.test)];
    }),
    acts: ACTS.flatMap((act) => {
      const n = all.filter((each) => each.act === act).length;
      return n === 0 ? [] : [{ act, share: n / all.length }];
    }),
    targets: targetsOf(records.under('uniform', 'formula'), aims),
    reflection: reflectionOf(measured),
    remarks: [...split.remarks, ...remarks],
  };
}

/** As parity has it for what is spent. */
const TOLERANCE = 0.05;

function apartIn(a: readonly Item[], b: readonly Item[]): CertifiedUnit[] {
  const total = (items: readonly Item[], unit: CertifiedUnit) =>
    items.reduce((sum, { spent }) => sum + (spent?.[unit] ?? 0), 0);
  return CERTIFIED_UNITS.filter((unit) => {
    const [ours, theirs] = [total(a, unit), total(b, unit)];
    return Math.abs(ours - theirs) > TOLERANCE * Math.max(ours, theirs);
  });
}

/** Wrong acts are held against right ones. */
function baseOf({ family }: Pick<Row, 'family'>): string {
  return family === 'noise' ? noiseName(0) : BASE;
}

/** The items of the test split as their thresholds answer them from strict to lax. */
function inOrder(bar: Bar, { calibrate, test }: Items): readonly Item[] {
  if (bar !== 'per act') return test;
  const order = byCoverage(calibrate.map(scoredOf));
  return test.map((item) =>
    item.act === null || item.U === null ? item : { ...item, U: order(item.act, item.U) },
  );
}

/** Ways of answering with the uncertainties that each has, as they come first. */
function waysIn(attempts: readonly Attempted[]): [string, string][] {
  const ways = attempts.flatMap(({ attempts: own }) =>
    Object.entries(own).flatMap(([pipeline, { uncertainty }]) =>
      Object.keys(uncertainty).map((name): [string, string] => [pipeline, name]),
    ),
  );
  return [...new Map(ways.map((way) => [way.join('\n'), way])).values()];
}

function curveOf(name: string, items: readonly Played[]): Curve {
  const at = (of: (item: Played) => number | null, coverage: number) => {
    const losses = items.flatMap((item) => {
      const value = of(item);
      return value === null ? [] : [{ uncertainty: item.U, loss: value }];
    });
    return riskAtCoverage(losses, coverage)?.risk ?? null;
  };
  const gain = (of: (item: Played) => number | null, coverage: number) => {
    const lost = at((item) => {
      const value = of(item);
      return value === null ? null : 1 - value;
    }, coverage);
    return lost === null ? null : 1 - lost;
  };
  const points = Array.from({ length: 10 }, (_, tenth) => {
    const coverage = (tenth + 1) / 10;
    return {
      coverage,
      em: gain(({ em }) => em, coverage),
      f1: gain(({ f1 }) => f1, coverage),
      unsupported: at(({ unsupported }) => unsupported, coverage),
    };
  });
  return { name, points };
}

/** Bins of the calibration error. */
const BINS = 10;

function probabilitiesOf(name: string, items: readonly Item[]): SetReport['probabilities'][number] {
  const stated = items.flatMap(({ U, em }) =>
    U === null || em === null ? [] : [{ confidence: 1 - U, right: em }],
  );
  return { name, n: stated.length, brier: brier(stated), error: calibrationError(stated, BINS) };
}

function targetsOf(items: Items | null, aims: Aims): SetReport['targets'] {
  if (items === null) return null;
  const groups = grouped([...items.calibrate, ...items.test], ({ group }) => group);
  if (groups.length < 2) return null;
  const random = seededRandom(DRAW_SEED);
  const level = Number(aims.level.text);
  const sums = TARGETED.map(() => ({ coverage: 0, off: 0 }));
  for (let draw = 0; draw < DRAWS; draw++) {
    const drawn = shuffled(groups, random);
    const half = Math.floor(groups.length / 2);
    const [calibrate, test] = [drawn.slice(0, half).flat(), drawn.slice(half).flat()];
    for (const [place, bar] of TARGETED.entries()) {
      const { answers } = thresholdOf(bar, { tune: [], calibrate }, aims);
      const coverage = test.filter(answers).length / test.length;
      sums[place]!.coverage += coverage / DRAWS;
      sums[place]!.off += Math.abs(coverage - level) / DRAWS;
    }
  }
  const bars = Object.fromEntries(TARGETED.map((bar, place) => [bar, sums[place]!]));
  return { draws: DRAWS, bars: bars as NonNullable<SetReport['targets']>['bars'] };
}

function reflectionOf({ attempts, arms, splitOf }: Measured): SetReport['reflection'] {
  const uniform = arms.find(({ arm }) => arm.name === 'uniform')?.observations ?? [];
  const emOf = new Map(uniform.map((each) => [each.example.id, itemOf(each, null, null).em]));
  const seen = attempts.flatMap(({ id, attempts: own }) => {
    const changed = own['second reading']?.changed;
    const em = emOf.get(id) ?? null;
    return splitOf.get(id) !== 'test' || changed === undefined || em === null ? [] : [{ changed, em }];
  });
  const mean = (changed: boolean) => {
    const own = seen.filter((each) => each.changed === changed);
    return own.length === 0 ? null : own.reduce((sum, { em }) => sum + em, 0) / own.length;
  };
  return {
    n: seen.length,
    changed: seen.length === 0 ? 0 : seen.filter(({ changed }) => changed).length / seen.length,
    em: { same: mean(false), changed: mean(true) },
  };
}
