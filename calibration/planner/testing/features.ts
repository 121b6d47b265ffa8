import { PLANNING_FEATURES, type PlannerFeatures } from '../../../router/index.ts';

/** Nothing was measured. */
export const NOTHING = Object.fromEntries(PLANNING_FEATURES.map((name) => [name, null])) as PlannerFeatures;
