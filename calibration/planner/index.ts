/** Fitting a planner on labelled queries. */
export { fitPlanner, type PlannerReport } from './fit-planner.ts';
export type { PlannerRow } from './table.ts';
