/** Fitting a planner on labelled queries. */
export { type AcrossReport, fitAcrossSets } from './across-sets.ts';
export { fitPlanner, type PlannerReport } from './fit-planner.ts';
export type { SetRow, Signs } from './stable-signs.ts';
export type { PlannerRow } from './table.ts';
