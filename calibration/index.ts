/** What other rooms may use of the calibration room: the metrics. */
export {
  bootstrapInterval,
  grouped,
  type Interval,
  type Paired,
  pairedDifference,
  quantile,
  type Summary,
  summarise,
} from './metrics/intervals.ts';
export { type Random, randomInteger, sample, seededRandom } from './metrics/random.ts';
export { answerF1, exactMatch } from './metrics/reading.ts';
export { allAt, anyAt, type Gains, ndcgAt, reciprocalRankAt } from './metrics/retrieval.ts';
export {
  augrc,
  aurc,
  excessAurc,
  riskAtCoverage,
  riskCoverage,
  type SelectiveItem,
} from './metrics/selective.ts';
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
