/**
 * Ways of deciding, each on what one arm measured: scores are fitted on the tune split, thresholds and orders on the
 * calibrate split, figures come from the test split alone. Pure.
 */
import {
  type BootstrapOptions,
  calibrateActs,
  clopperPearson,
  fitFormula,
  fitItems,
  fitLearned,
  type Interval,
  isWrong,
  type Level,
  lossesOf,
  type Observation,
  type Scored,
  type SplitName,
  scoredWith,
  selectiveFigures,
  withoutSamples,
} from '../../calibration/index.ts';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { UncertaintyScore } from '../../router/index.ts';
import { byCoverage, byRisk, byUncertainty, type Order } from './per-act.ts';

/** What U is. Signals that are removed leave the others to be fitted anew. */
export const SCORES = [
  'formula',
  'without D',
  'without C',
  'without E',
  'learned',
  'learned, with samples',
] as const;
type ScoreName = (typeof SCORES)[number];

/** How thresholds are set while the coverage or risk aimed at goes from strict to lax. */
const TAUS = ['global tau', 'tau per act, equal coverage', 'tau per act, equal risk'] as const;
type Tau = (typeof TAUS)[number];

export interface Contender {
  arm: string;
  score: ScoreName;
  tau: Tau;
}

export function nameOf({ arm, score, tau }: Contender): string {
  return `${arm}: ${score}, ${tau}`;
}

/** One question of the test split. `em` and `f1` are losses (1 - EM), null where it has no gold answer or failed. */
export interface Ranked {
  group: string;
  uncertainty: number | null;
  em: number | null;
  f1: number | null;
}

export interface Estimated {
  value: number;
  interval: Interval | null;
}

/** `EM` and `F1`: of the least uncertain share `coverage`. */
export type Areas = Record<
  'AURC' | 'E-AURC' | 'AUGRC' | 'EM' | 'F1' | 'AURC of F1' | 'E-AURC of F1',
  Estimated
>;

/** The thresholds at one level of coverage, put to the test. */
export interface Operating {
  level: string;
  answered: number;
  n: number;
  /** Clopper-Pearson. */
  coverage: { value: number; interval: Interval };
  /** Of the answered that have gold answers; null when there is none. */
  em: number | null;
  f1: number | null;
  /** Examples of the test split that are held to a threshold of their own act, family or all; or to none. */
  rungs: Record<string, number>;
}

export interface Standing {
  contender: Contender;
  score: UncertaintyScore;
  items: Ranked[];
  /** Questions of the test split, and those of them without a loss. */
  n: number;
  unscored: number;
  groups: number;
  areas: Areas | null;
  operating: Operating | null;
}

/** Observations of one arm by split, the same questions for every arm. */
export type Observed = Record<SplitName, readonly Observation[]>;

const wrong = (observation: Observation) =>
  observation.error === null ? isWrong(observation, { kind: 'em' }) : null;

/** Fits once what several contenders share. */
export class Field {
  readonly #observed: ReadonlyMap<string, Observed>;
  readonly #level: Level;
  readonly #coverage: number;
  readonly #bootstrap: BootstrapOptions;
  readonly #fits = new Map<string, UncertaintyScore>();
  /** Why some contenders are missing, in words. */
  readonly remarks = new Set<string>();

  /** `level`: the coverage that operating points aim at; `coverage`: the same as a number, for selective EM and F1. */
  constructor(
    observed: ReadonlyMap<string, Observed>,
    level: Level,
    coverage: number,
    bootstrap: BootstrapOptions,
  ) {
    this.#observed = observed;
    this.#level = level;
    this.#coverage = coverage;
    this.#bootstrap = bootstrap;
  }

  /** How a contender does on the test split; null, with a remark, when its score cannot be fitted. */
  standing(contender: Contender): Standing | null {
    const observed = this.#observed.get(contender.arm);
    if (observed === undefined) return null;
    const score = this.#fit(contender, observed.tune);
    if (score === null) return null;
    const scored = (observations: readonly Observation[]) =>
      observations.map((observation) => scoredWith(score, observation, wrong));
    const calibrate = scored(observed.calibrate);
    const test = scored(observed.test);
    const order = orderOf(contender.tau, calibrate);
    const items = observed.test.map((observation, i) => rankedBy(order, observation, test[i]!));
    return {
      contender,
      score,
      items,
      n: items.length,
      unscored: items.filter(({ em }) => em === null).length,
      groups: new Set(items.map(({ group }) => group)).size,
      areas: areasOf(items, this.#coverage, this.#bootstrap),
      operating: this.#operating(contender.tau, calibrate, test, items),
    };
  }

  #fit({ arm, score }: Contender, tune: readonly Observation[]): UncertaintyScore | null {
    const key = `${arm}: ${score}`;
    const known = this.#fits.get(key);
    if (known !== undefined) return known;
    const sampled = score === 'learned, with samples';
    if (sampled && tune.every(({ opinion }) => opinion === undefined)) return null;
    try {
      const { items } = fitItems(tune, wrong);
      const fit =
        score === 'learned' || sampled
          ? fitLearned(sampled ? items : items.map(withoutSamples)).score
          : fitFormula(items, score === 'formula' ? {} : { without: [score.slice(-1) as 'D' | 'C' | 'E'] })
              .score;
      this.#fits.set(key, fit);
      return fit;
    } catch (error) {
      if (!PragauraError.isInstance(error) || error.code !== 'INVALID_INPUT') throw error;
      this.remarks.add(`${key}: not fitted. ${messageOf(error)}`);
      return null;
    }
  }

  #operating(
    tau: Tau,
    calibrate: readonly Scored[],
    test: readonly Scored[],
    items: readonly Ranked[],
  ): Operating | null {
    if (tau === 'tau per act, equal risk' || test.length === 0) return null;
    const { acts, global } = calibrateActs(calibrate, {
      target: 'coverage',
      level: this.#level,
      scope: tau === 'global tau' ? 'global' : 'acts',
      // Policies are compared, nothing is promised: by documents few acts would have a threshold of their own.
      exchangeable: 'questions',
    });
    const rungs: Record<string, number> = {};
    const answered = items.filter((_, i) => {
      const { act, U } = test[i]!;
      const held = act === null ? null : acts[act];
      const rung = held?.rung ?? 'none';
      rungs[rung] = (rungs[rung] ?? 0) + 1;
      const bar = held === null ? (global.coverage?.tau ?? null) : held.tau;
      return U !== null && bar !== null && U <= bar;
    });
    const mean = (of: (item: Ranked) => number | null) => {
      const losses = answered.flatMap((item) => of(item) ?? []);
      return losses.length === 0 ? null : 1 - losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    };
    return {
      level: this.#level.text,
      answered: answered.length,
      n: items.length,
      coverage: {
        value: answered.length / items.length,
        interval: clopperPearson(answered.length, items.length)!,
      },
      em: mean(({ em }) => em),
      f1: mean(({ f1 }) => f1),
      rungs,
    };
  }
}

function orderOf(tau: Tau, calibrate: readonly Scored[]): Order {
  switch (tau) {
    case 'global tau':
      return byUncertainty;
    case 'tau per act, equal coverage':
      return byCoverage(calibrate);
    case 'tau per act, equal risk':
      return byRisk(calibrate);
  }
}

/** What is never answered (a closed gate, no candidate) has no uncertainty and comes last. */
function rankedBy(order: Order, observation: Observation, { act, U }: Scored): Ranked {
  const losses = observation.error === null ? lossesOf(observation) : { em: null, f1: null };
  return {
    group: observation.example.group,
    uncertainty: act === null || U === null ? null : order(act, U),
    ...losses,
  };
}

function areasOf(items: readonly Ranked[], coverage: number, bootstrap: BootstrapOptions): Areas | null {
  const figures = (loss: 'em' | 'f1') =>
    selectiveFigures(
      items.flatMap((item) => {
        const lost = item[loss];
        return lost === null ? [] : [{ group: item.group, uncertainty: item.uncertainty, loss: lost }];
      }),
      [coverage],
      bootstrap,
    );
  const [em, f1] = [figures('em'), figures('f1')];
  if (em === null || f1 === null) return null;
  const kept = ({ values, intervals }: typeof em): Estimated => {
    const interval = intervals.risks[0]!;
    return {
      value: 1 - values.risks[0]!,
      interval: interval === null ? null : { low: 1 - interval.high, high: 1 - interval.low },
    };
  };
  return {
    AURC: { value: em.values.aurc, interval: em.intervals.aurc },
    'E-AURC': { value: em.values.excess, interval: em.intervals.excess },
    AUGRC: { value: em.values.augrc, interval: em.intervals.augrc },
    EM: kept(em),
    F1: kept(f1),
    'AURC of F1': { value: f1.values.aurc, interval: f1.intervals.aurc },
    'E-AURC of F1': { value: f1.values.excess, interval: f1.intervals.excess },
  };
}
