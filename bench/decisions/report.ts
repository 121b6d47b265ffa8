import { type ActionFigures, actionFigures } from '../../calibration/index.ts';
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

export interface SetReport {
  set: string;
  about: string;
  rows: Row[];
}

/** Planners by what they are called, for one set. */
export type Planners = readonly { name: string; planner: Pick<Planner, 'model'> }[];

/** Every policy on the reported part of a set; null where nothing of it is reported. */
export function reportOn(set: MeasuredSet, planners: Planners): SetReport | null {
  const { queries, facts } = reported(set);
  if (queries.length === 0) return null;
  const row = (policy: string, decide: Policy): Row => ({
    policy,
    figures: actionFigures(judgedBy(decide, queries, facts)),
  });
  return {
    set: set.name,
    about: set.about,
    rows: [
      row('always answer', alwaysAnswer),
      row("the paper's hard gate", paperGate),
      row('the same, by its numbers alone', numbersGate),
      ...layersThatClose(facts).map((layer) => row(`layer ${layer}`, layerAlone(layer))),
      row('all layers', allLayers),
      row('thresholds without layers', thresholdsAlone),
      row('thresholds behind all layers', thresholds),
      ...planners.map(({ name, planner }) => row(name, byPlanner(planner.model))),
    ],
  };
}
