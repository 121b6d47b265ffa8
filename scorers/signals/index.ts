/** D, C and E from raw scores, and the answer they are about. Pure functions. */
export { chooseAnswer } from './answers.ts';
export { planNli } from './plan.ts';
export { signalsFrom } from './signals.ts';
export { toStatement } from './statement.ts';
export type {
  AnswerCluster,
  Answers,
  NliPlan,
  PlannedPair,
  RivalAnswer,
  ScoredPassage,
  SignalCounts,
  SignalReport,
  SourceVerdict,
  Voice,
} from './types.ts';
