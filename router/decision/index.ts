/** Gates, then U against tau: answer, ask or abstain. Pure functions. */
export { decide, precheck, screenQuery } from './decide.ts';
export { PROVISIONAL, provisionalThresholds } from './provisional.ts';
export type { DecisionInput, Outcome, Thresholds } from './types.ts';
export { uncertainty } from './uncertainty.ts';
