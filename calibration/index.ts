/** What other rooms may use of the calibration room: the metrics. */

export { loadCalibration, readArtifact } from './artifact/load.ts';
export type { CalibrationArtifact } from './artifact/schema.ts';
export type { Evaluation } from './evaluation/types.ts';
export { type MeasuredAnswer, measureAnswer } from './factuality/answers.ts';
export { loadFactuality } from './factuality/artifact.ts';
export { fitFactuality, leastSafeThreshold, realised as realisedFactuality } from './factuality/fit.ts';
export { recordsIn } from './labels/files.ts';
export { loadLabelled } from './labels/load.ts';
export { isWrong, lossesOf } from './labels/wrong.ts';
export { asNumber, type Level, levelOf, parseLevel } from './levels/level.ts';
export {
  type ActionFigure,
  type ActionFigures,
  actionFigures,
  type JudgedAction,
} from './metrics/actions.ts';
export {
  type BootstrapOptions,
  bootstrapInterval,
  grouped,
  type Interval,
  type Paired,
  pairedDifference,
  quantile,
  quantilesOf,
  type Summary,
  summarise,
} from './metrics/intervals.ts';
export {
  AREAS,
  type Area,
  type Contrast,
  contrastOfAreas,
  contrastOfMeans,
  holm,
  mcnemarExact,
  type PairedSelective,
} from './metrics/paired.ts';
export { auroc, brier, calibrationError } from './metrics/probability.ts';
export { clopperPearson } from './metrics/proportions.ts';
export { answerF1, answerRecall, exactMatch, normaliseAnswer } from './metrics/reading.ts';
export { bootstrapFigures, selectiveFigures } from './metrics/resampled.ts';
export { allAt, anyAt, type Gains, ndcgAt, reciprocalRankAt } from './metrics/retrieval.ts';
export {
  augrc,
  aurc,
  excessAurc,
  riskAtCoverage,
  riskCoverage,
  type SelectiveItem,
} from './metrics/selective.ts';
export { baselineOf, judgeOf } from './monitor/baseline.ts';
export { Monitor } from './monitor/monitor.ts';
export { Alarm, Label, labelFault, Status } from './monitor/records.ts';
export { openStateFile, type StateFile } from './monitor/state-file.ts';
export { codeHash } from './observations/code-hash.ts';
export { concurrently } from './observations/concurrently.ts';
export { askedOf, DECIDES_NOTHING } from './observations/key.ts';
export { supportOf } from './observations/measure.ts';
export { observeWith } from './observations/observe.ts';
export { measuringProgress } from './observations/progress.ts';
export {
  type AcrossReport,
  fitAcrossSets,
  fitPlanner,
  type PlannerReport,
  type PlannerRow,
  type SetRow,
  type Signs,
} from './planner/index.ts';
export { documentsForRisk, faultOf, openLabelFile } from './proposals/label-file.ts';
export { csvOf } from './report/csv.ts';
export { ablation, areaBars, uncertaintyByAct } from './report/figures/bars.ts';
export {
  overCoverage,
  riskCoverage as riskCoverageFigure,
  selectiveAccuracy,
  unsupported,
} from './report/figures/curves.ts';
export { type Figure, framed, percent, series, topFor } from './report/figures/theme.ts';
export { htmlOf } from './report/html.ts';
export type { Section } from './report/sections.ts';
export type { Table } from './report/tables.ts';
export { checkFolder, drawnOf, type Part as ReportPart, writeParts } from './report/write-report.ts';
export { foldsOf } from './scores/folds.ts';
export { fitFormula } from './scores/formula.ts';
export { isotonicMap } from './scores/isotonic.ts';
export { type FitItem, fitItems } from './scores/items.ts';
export { fitLearned } from './scores/learned.ts';
export { fitLogistic } from './scores/logistic.ts';
export { withoutSamples } from './scores/sampled.ts';
export { scoredWith } from './scores/scored.ts';
export { SPLITS, type SplitName, type SplitReport, splitExamples } from './splits/split.ts';
export { calibrateActs, LEAST_EXAMPLES } from './thresholds/calibrate-acts.ts';
export { countBelow } from './thresholds/conformal.ts';
export type { Scored } from './thresholds/types.ts';
export { type Example, Labelled, type Observation } from './types.ts';
