/** D, C and E from raw scores, and the answer they are about. Pure functions. */
export { chooseAnswer } from './answers.ts';
export { type Clause, clauseOf } from './clause.ts';
export { planNli } from './plan.ts';
export { signalsFrom } from './signals.ts';
export { isStatement, isYesNoQuestion, toStatement } from './statement.ts';
export { contentWords } from './text.ts';
export { TUNING } from './tuning.ts';
export type { Answers, ScoredPassage, SignalReport } from './types.ts';
export { type SourceReading, sourcesOf, weighed } from './weighed.ts';
