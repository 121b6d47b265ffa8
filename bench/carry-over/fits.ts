/** What is fitted on the sets that are not left out. Pure. */
import {
  type AcrossReport,
  fitAcrossSets,
  fitFormula,
  fitPlanner,
  type SetRow,
} from '../../calibration/index.ts';
import { canonicalHash } from '../../common/index.ts';
import {
  ACTIONS,
  type Action,
  DEFAULT_UTILITIES,
  type FeatureGroup,
  type Features,
  MEASURED_FEATURES,
  type PlannerModel,
  provisionalThresholds,
  scoreOf,
  type UncertaintyScore,
} from '../../router/index.ts';
import type { Facts } from '../decisions/observation/facts.ts';
import { type MeasuredSet, rowsOf, sourcesOf } from '../decisions/planners.ts';
import { halfOfQuery } from '../decisions/sample.ts';
import { fitGeneral } from '../general/fit.ts';
import type { Item } from '../general/judged.ts';
import type { General } from '../general/rules.ts';
import { fitSupport, type Support } from './support.ts';

/** Worth nothing that can be seen, and there for some sets only. */
const WITHOUT: readonly FeatureGroup[] = ['graph'];

/** U and the bars of the general rule's form. */
export interface FittedBars {
  U: UncertaintyScore;
  rule: General;
}

export interface Fits {
  /** Hash of what it was fitted on: see `fitsId`. */
  id: string;
  rows: number;
  sets: string[];
  /** The general rule's form with the provisional weights of U, and with weights fitted too. */
  bars: FittedBars;
  weighed: FittedBars;
  /** The fourth paper's sigma, by the default costs. */
  support: Support;
  /** As `bench decisions --fit` has it, its prior even. */
  pooled: PlannerModel;
  /** Intercepts of sets marginalised out: over all features, and over those whose sign is the same in all sets. */
  intercepts: PlannerModel;
  stable: { model: PlannerModel; report: AcrossReport };
  /** Shares of the actions, mean over the sets. */
  prior: Record<Action, number>;
}

/**
 * Everything that is fitted, on the tuning halves of the sets that share no source with what is left out. Sets made of
 * others teach nothing that those do not. Null where no two of them, or no two actions, are left.
 */
export function fitWithout(all: readonly MeasuredSet[], leftOut: readonly string[]): Fits | null {
  const hidden = new Set(leftOut);
  const own = taughtBy(all, hidden);
  const rows = setRows(own);
  const sets = [...new Set(rows.map(({ set }) => set))];
  const due = new Set(rows.map(({ action }) => action));
  if (sets.length < 2 || due.size < 2 || !due.has('ANSWER')) return null;
  const stable = fitAcrossSets(rows, { without: WITHOUT });
  return {
    id: fitsId(all, leftOut),
    rows: rows.length,
    sets,
    ...barsOn(own),
    support: fitSupport(own, DEFAULT_UTILITIES),
    pooled: fitPlanner(rowsOf(own, hidden), { without: WITHOUT, importances: false }).model,
    intercepts: fitAcrossSets(rows, { without: WITHOUT, stable: false }).model,
    stable,
    prior: meanPrior(rows),
  };
}

function taughtBy(all: readonly MeasuredSet[], hidden: ReadonlySet<string>): MeasuredSet[] {
  return all.filter((set) => {
    const [source, ...others] = sourcesOf(set);
    return source !== undefined && others.length === 0 && !hidden.has(source);
  });
}

/** Names what `fitWithout` depends on besides the program: what was measured of the other sets, and their labels. */
export function fitsId(all: readonly MeasuredSet[], leftOut: readonly string[]): string {
  const own = taughtBy(all, new Set(leftOut)).map(({ name, queries, facts }) => ({
    name,
    queries: queries.map(({ action, group, half, fits }) => [action, group, half ?? null, fits]),
    facts: facts.map(({ final, reach, planning }) => [final, reach, planning]),
  }));
  return canonicalHash({ leftOut, own });
}

/** The planner that carries over, on everything. Null as `fitWithout`. */
export function fitOnAll(all: readonly MeasuredSet[], utilities: PlannerModel['utilities']) {
  const rows = setRows(taughtBy(all, new Set()));
  if (new Set(rows.map(({ set }) => set)).size < 2) return null;
  return fitAcrossSets(rows, { without: WITHOUT, utilities });
}

function setRows(sets: readonly MeasuredSet[]): SetRow[] {
  return sets.flatMap((set) =>
    rowsOf([set], new Set()).map(({ features, action, group }) => ({
      set: set.name,
      features,
      action,
      group,
    })),
  );
}

function meanPrior(rows: readonly SetRow[]): Record<Action, number> {
  const sets = [...new Set(rows.map(({ set }) => set))];
  const share = (set: string, action: Action) => {
    const own = rows.filter((row) => row.set === set);
    return own.filter((row) => row.action === action).length / own.length;
  };
  const mean = (action: Action) => sets.reduce((sum, set) => sum + share(set, action) / sets.length, 0);
  return Object.fromEntries(ACTIONS.map((action) => [action, mean(action)])) as Record<Action, number>;
}

/** What is looked at for a passage, as the general rule that ships. */
const PASSAGE = ['bestRelevance', 'fused'];

function barsOn(sets: readonly MeasuredSet[]): Pick<Fits, 'bars' | 'weighed'> {
  const taught = sets.flatMap(({ name, queries, facts }) =>
    queries.flatMap((query, place) => {
      const own = facts[place]!;
      const teaches =
        query.fits && halfOfQuery(query) === 'tune' && own.planning !== null && own.final === null;
      return teaches ? [{ set: name, group: query.group, action: query.action, facts: own }] : [];
    }),
  );
  const provisional = provisionalThresholds().score;
  const { score } = fitFormula(
    taught.map(({ group, action, facts }) => ({
      group,
      act: 'FACT',
      features: facts.reach.span ? featuresIn(facts) : null,
      wrong: action !== 'ANSWER',
    })),
  );
  const bars = (U: UncertaintyScore): FittedBars => {
    const items = taught.map(({ set, group, action, facts }) => itemOf(facts, U, { set, group, action }));
    const options = { span: ['U'], passage: PASSAGE, ridge: 1, shrink: Number.POSITIVE_INFINITY };
    return { U, rule: fitGeneral(items, options) };
  };
  return { bars: bars(provisional), weighed: bars(score) };
}

/** A query as the general rule sees it: what is right to show is whatever there is where ANSWER is right. */
export function itemOf(
  facts: Facts,
  score: UncertaintyScore,
  { set = '', group = '', action = 'ABSTAIN' as Action } = {},
): Item {
  const { span, passage } = facts.reach;
  const features = facts.planning === null ? null : featuresIn(facts);
  const right = action === 'ANSWER';
  return {
    set,
    group,
    // No bar differs by act here.
    act: 'FACT',
    answerable: right,
    closed: span || passage ? null : 'closed',
    reason: null,
    spanOpen: span,
    values: features === null ? {} : { ...features, U: scoreOf(score, features) },
    read: [],
    right: { span: span ? right : null, passage: passage ? right : null, first: null },
  };
}

function featuresIn({ planning }: Facts): Features {
  const measured = Object.fromEntries(MEASURED_FEATURES.map((name) => [name, planning![name]]));
  return { ...measured, semanticEntropy: null, sampleAgreement: null, sampleSupport: null } as Features;
}
