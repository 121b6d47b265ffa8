/** Answers that a model words behind the gate, and every sentence checked: `verifyAnswer` also for the answers of others. */
export { openScorers } from '../scorers/index.ts';
export { cachedGenerator } from './cached-generator.ts';
export {
  checkFactuality,
  type FactualityThresholds,
  type FactualityValidFor,
  factualityMadeWith,
  isKept,
} from './factuality.ts';
export {
  type GenerateOptions,
  Generation,
  type GenerationBudget,
  generateAnswer,
  isWorded,
  joinerOf,
} from './generate.ts';
export {
  type Generator,
  type GeneratorLimits,
  type GeneratorOptions,
  type Message,
  openGenerator,
} from './generator.ts';
export { type LocalGeneratorOptions, openLocalGenerator } from './local-generator.ts';
export type { SourcePassage } from './premises.ts';
export { costOf, loadPrices, Prices } from './prices.ts';
export { promptOf, shortPromptOf } from './prompt.ts';
export { AnswerToVerify, type SentenceLabel, Verification, type VerifiedSentence } from './record.ts';
export {
  SAMPLER_SETTINGS,
  type SampleOptions,
  Samples,
  sampleAnswers,
  samplerFor,
  samplerOf,
  samplesOf,
  semanticEntropy,
} from './samples.ts';
export { VERIFY_THRESHOLDS, type VerifyOptions, type VerifyThresholds, verifyAnswer } from './verify.ts';
