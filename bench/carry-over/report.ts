/** Every contender on every set, fitted without it. Pure but for fits that are kept. */
import { type ActionFigure, actionFigures, bootstrapInterval, type Signs } from '../../calibration/index.ts';
import type { Action, PlannerModel, Utilities } from '../../router/index.ts';
import { type MeasuredSet, reported, sourcesOf } from '../decisions/planners.ts';
import { judgedBy } from '../decisions/policies.ts';
import { type Decide, FIXED, fittedContenders } from './contenders.ts';
import { type Fits, fitOnAll, fitsId, fitWithout } from './fits.ts';

export interface Row {
  contender: string;
  fixed: boolean;
  macroF1: ActionFigure;
  abstainRecall: number | null;
  askRecall: number | null;
  answeredInVain: number | null;
  /** Shares of the actions that its probabilities are for; null where it has none. */
  prior: Record<Action, number> | null;
}

export interface SetReport {
  set: string;
  about: string;
  n: number;
  groups: number;
  gold: Record<Action, number>;
  /** What was left out with it, and what the contenders were fitted on. */
  sources: string[];
  fittedOn: { sets: string[]; rows: number } | null;
  /** Of the planner of the same signs: features, and what else it was given by the fit. */
  planner: { features: number; turned: string[]; variance: number; ridge: number } | null;
  rows: Row[];
  /** The best of the fixed contenders; null in a set of one action, where always doing it is best of all. */
  best: { contender: string; macroF1: number } | null;
}

export interface Total {
  contender: string;
  fixed: boolean;
  /** Means over the sets of two actions or more in which it has a figure; the interval over sets. */
  sets: number;
  macroF1: ActionFigure;
  abstainRecall: number | null;
  answeredInVain: number | null;
  /** Least macro-F1 less that of the best fixed contender, and where; null without any. */
  least: { margin: number; set: string } | null;
  /** On the open mix; null where that was not measured. */
  open: { macroF1: number; abstainRecall: number } | null;
  /** Whether it does all that it should; null where the open mix was not measured. */
  passes: boolean | null;
}

export interface Report {
  utilities: Utilities;
  totals: Total[];
  sets: SetReport[];
  /** Of the planner of the same signs on all sets. */
  signs: Signs | null;
}

/** Fits that an earlier run kept, by their id. */
export interface KeptFits {
  get(id: string): Fits | undefined;
  add(fits: Fits): Promise<void>;
}

export interface Told {
  say: (line: string) => void;
  kept?: KeptFits;
}

const OPEN_MIX = 'mix-open';
/** What a contender has to come to in order to be what everybody gets. */
export const BAR = { macroF1: 0.55, margin: -0.02, open: { macroF1: 0.6, abstainRecall: 0.6 } };

/** `all`: the planner of the same signs, fitted on everything; null where there are too few sets. */
export async function reportOn(
  sets: readonly MeasuredSet[],
  utilities: Utilities,
  { say, kept }: Told,
): Promise<{ report: Report; all: PlannerModel | null }> {
  const fits = new Map<string, Fits | null>();
  const reports: SetReport[] = [];
  for (const set of sets) {
    const sources = sourcesOf(set);
    const key = sources.join();
    if (!fits.has(key)) {
      const known = kept?.get(fitsId(sets, sources));
      if (known === undefined) say(`fitting without ${key} …`);
      const own = known ?? fitWithout(sets, sources);
      if (known === undefined && own !== null) await kept?.add(own);
      fits.set(key, own);
    }
    const report = setReport(set, fits.get(key)!, utilities);
    if (report !== null) reports.push(report);
  }
  const all = fitOnAll(sets, utilities);
  return {
    report: {
      utilities,
      totals: totalsOf(reports),
      sets: reports,
      signs: all === null ? null : all.report.signs,
    },
    all: all === null ? null : all.model,
  };
}

function setReport(set: MeasuredSet, fits: Fits | null, utilities: Utilities): SetReport | null {
  const half = reported(set);
  // What has no reporting half is left out whole all the same.
  const { queries, facts } = half.queries.length > 0 ? half : set;
  if (queries.length === 0) return null;
  const fitted = fits === null ? {} : fittedContenders(fits, facts, utilities);
  const contenders: { name: string; fixed: boolean; decide: Decide; prior: Row['prior'] }[] = [
    ...Object.entries(FIXED).map(([name, decide]) => ({ name, fixed: true, decide, prior: null })),
    ...Object.entries(fitted).map(([name, each]) => ({ name, fixed: false, ...each })),
  ];
  const judged = contenders.map(({ decide, ...contender }) => ({
    ...contender,
    figures: actionFigures(judgedBy((own) => ({ action: decide(own), text: null }), queries, facts)),
  }));
  const { n, groups, gold } = judged[0]!.figures;
  const rows = judged.map(({ name, fixed, prior, figures }): Row => {
    const { macroF1, actions, answeredInVain } = figures;
    return {
      contender: name,
      fixed,
      macroF1,
      abstainRecall: gold.ABSTAIN === 0 ? null : actions.ABSTAIN.recall.value,
      askRecall: gold.ASK === 0 ? null : actions.ASK.recall.value,
      answeredInVain: answeredInVain.value,
      prior,
    };
  });
  const several = Object.values(gold).filter((count) => count > 0).length > 1;
  return {
    set: set.name,
    about: set.about,
    n,
    groups,
    gold,
    sources: sourcesOf(set),
    fittedOn: fits === null ? null : { sets: fits.sets, rows: fits.rows },
    planner:
      fits === null
        ? null
        : {
            features: fits.stable.report.features.length,
            turned: [...new Set(fits.stable.report.signs.turned.map(({ feature }) => feature))],
            variance: fits.stable.report.variance,
            ridge: fits.stable.report.ridge,
          },
    rows,
    best: several ? bestOf(rows) : null,
  };
}

function bestOf(rows: readonly Row[]): SetReport['best'] {
  const fixed = rows.filter((row) => row.fixed && row.macroF1.value !== null);
  const most = Math.max(...fixed.map(({ macroF1 }) => macroF1.value!));
  return { contender: fixed.find(({ macroF1 }) => macroF1.value === most)!.contender, macroF1: most };
}

/** Means over sets, each counting alike, and the bar. */
export function totalsOf(sets: readonly SetReport[]): Total[] {
  const names = [...new Set(sets.flatMap(({ rows }) => rows.map(({ contender }) => contender)))];
  const counted = sets.filter(({ best }) => best !== null);
  return names.map((contender) => {
    const own = counted.flatMap(({ set, rows, best }) => {
      const row = rows.find((each) => each.contender === contender);
      return row === undefined || row.macroF1.value === null ? [] : [{ set, row, best: best! }];
    });
    const macro = own.map(({ row }) => row.macroF1.value!);
    const margins = own.map(({ set, row, best }) => ({ set, margin: row.macroF1.value! - best.macroF1 }));
    const least = margins.reduce<Total['least']>(
      (worst, each) => (worst === null || each.margin < worst.margin ? each : worst),
      null,
    );
    const openRow = own.find(({ set }) => set === OPEN_MIX)?.row;
    const open =
      openRow === undefined
        ? null
        : { macroF1: openRow.macroF1.value!, abstainRecall: openRow.abstainRecall ?? 0 };
    const total = {
      contender,
      fixed: Object.hasOwn(FIXED, contender),
      sets: own.length,
      macroF1: {
        value: mean(macro),
        interval: bootstrapInterval(
          macro.map((each) => [each]),
          mean,
        ),
      },
      abstainRecall: mean(own.flatMap(({ row }) => row.abstainRecall ?? [])),
      answeredInVain: mean(own.flatMap(({ row }) => row.answeredInVain ?? [])),
      least,
      open,
    };
    return { ...total, passes: passes(total) };
  });
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;
}

/** Of a difference of two shares. */
const ROUNDING = 1e-9;

function passes({ macroF1, least, open }: Pick<Total, 'macroF1' | 'least' | 'open'>): boolean | null {
  if (open === null || least === null || macroF1.value === null) return null;
  return (
    macroF1.value >= BAR.macroF1 &&
    least.margin >= BAR.margin - ROUNDING &&
    open.macroF1 >= BAR.open.macroF1 &&
    open.abstainRecall >= BAR.open.abstainRecall
  );
}
