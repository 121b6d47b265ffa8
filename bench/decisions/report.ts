import {
  type ActionFigure,
  type ActionFigures,
  actionFigures,
  type JudgedAction,
} from '../../calibration/index.ts';
import { ofAskedType } from './entity-types.ts';
import type { GraphFigures } from './graphs.ts';
import { byPrintedRule, type Information, informationOf } from './information.ts';
import { type MeasuredSet, type Planner, reported } from './planners.ts';
import {
  allLayers,
  alwaysAnswer,
  byPlanner,
  judgedBy,
  layerAlone,
  layersThatClose,
  numbersGate,
  type Policy,
  paperGate,
  thresholds,
  thresholdsAlone,
} from './policies.ts';

export interface Row {
  policy: string;
  figures: ActionFigures;
}

/** Accuracy of a policy on queries without turns before them, and on those with. */
export interface TurnsRow {
  policy: string;
  single: ActionFigure;
  later: ActionFigure;
}

export interface SetReport {
  set: string;
  about: string;
  rows: Row[];
  /** Null where all queries are of one kind; this and what follows absent in what an earlier program measured. */
  turns?: { n: { single: number; later: number }; rows: TurnsRow[] } | null;
  information?: Information | null;
  graph?: GraphFigures;
}

/** What is fitted on the tuning halves beside planners, by what it is called. */
export type Fitted = readonly { name: string; policy: Policy }[];

/** Planners by what they are called, for one set. */
export type Planners = readonly { name: string; planner: Pick<Planner, 'model'> }[];

/** Every policy on the reported part of a set; null where nothing of it is reported. */
export function reportOn(set: MeasuredSet, planners: Planners, fitted: Fitted = []): SetReport | null {
  const { queries, facts } = reported(set);
  if (queries.length === 0) return null;
  const policies: [string, Policy][] = [
    ['always answer', alwaysAnswer],
    ["the paper's hard gate", paperGate],
    ['the same, by its numbers alone', numbersGate],
    ...layersThatClose(facts).map((layer): [string, Policy] => [`layer ${layer}`, layerAlone(layer)]),
    ['all layers', allLayers],
    ['thresholds without layers', thresholdsAlone],
    ['thresholds behind all layers', thresholds],
    ['thresholds, of the type asked for', ofAskedType(thresholds)],
    ['I(q) as printed', byPrintedRule],
    ...fitted.map(({ name, policy }): [string, Policy] => [name, policy]),
    ...planners.map(({ name, planner }): [string, Policy] => [name, byPlanner(planner.model)]),
  ];
  const judged = policies.map(([policy, decide]) => ({ policy, actions: judgedBy(decide, queries, facts) }));
  return {
    set: set.name,
    about: set.about,
    rows: judged.map(({ policy, actions }) => ({ policy, figures: actionFigures(actions) })),
    turns: turnsOf(queries, judged),
    information: informationOf(queries, facts),
    ...(set.graph && { graph: set.graph }),
  };
}

function turnsOf(
  queries: MeasuredSet['queries'],
  judged: readonly { policy: string; actions: readonly JudgedAction[] }[],
): NonNullable<SetReport['turns']> | null {
  const isLater = queries.map(({ history = [] }) => history.length > 0);
  const later = isLater.filter(Boolean).length;
  const n = { single: queries.length - later, later };
  if (n.single === 0 || n.later === 0) return null;
  const accuracy = (actions: readonly JudgedAction[], wanted: boolean) =>
    actionFigures(actions.filter((_, place) => isLater[place] === wanted)).accuracy;
  return {
    n,
    rows: judged.map(({ policy, actions }) => ({
      policy,
      single: accuracy(actions, false),
      later: accuracy(actions, true),
    })),
  };
}
