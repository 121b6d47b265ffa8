import type { DecisionInput } from './input.ts';

/** What is measured of every query; a planner looks at these too. */
export const MEASURED_FEATURES = [
  /** D, C and E as in `Signals`, in [0, 1]. */
  'D',
  'C',
  'E',
  /** Score of the chosen answer, in [0, 1], and how far the best other answer lies below it, in [0, 1] (none: null). */
  'answerScore',
  'lead',
  /** Reader's margin of the chosen span over "no answer here" (logits), and over its passage's next span. */
  'margin',
  'spanLead',
  /** Relevance of the chosen span's passage and of the most relevant passage, in [0, 1]. */
  'relevance',
  'bestRelevance',
  /** Fused retrieval score of the chosen span's passage, in [0, 1]. */
  'fused',
  /** Share of the query's idf mass that the corpus knows, in [0, 1]. */
  'knownTerms',
  /** Independent sources that give the answer; answers that differ. */
  'voices',
  'distinctAnswers',
  /** Words of the answer and of the query. */
  'answerWords',
  'queryWords',
  /** Probability of the predicted act, in [0, 1]. */
  'actProbability',
] as const;

/** What a sampler adds: semantic entropy of the answers drawn, their agreement, and the share that means the candidate. */
export const SAMPLE_FEATURES = ['semanticEntropy', 'sampleAgreement', 'sampleSupport'] as const;

/**
 * What an uncertainty score may look at: numbers about one query's best candidate, null where nothing was scored
 * (never 0). The order is part of the contract of learned scores, which name what they use.
 */
export const FEATURES = [...MEASURED_FEATURES, ...SAMPLE_FEATURES] as const;

export type FeatureName = (typeof FEATURES)[number];
export type Features = Record<FeatureName, number | null>;
type MeasuredFeatures = Pick<Features, (typeof MEASURED_FEATURES)[number]>;

/** The features of a query as far as it got. Pure. */
export function featuresOf(input: DecisionInput): Features {
  const drawn = input.opinion?.drawn;
  return {
    ...measuredFeaturesOf(input),
    semanticEntropy: drawn?.semanticEntropy ?? null,
    sampleAgreement: drawn?.agreement ?? null,
    sampleSupport: drawn?.support ?? null,
  };
}

/** Those without a sampler. Pure. */
export function measuredFeaturesOf({
  query,
  act,
  evidence,
  coverage,
  answers,
  report,
}: DecisionInput): MeasuredFeatures {
  const [chosen, rival] = answers.clusters;
  const voice = chosen?.voices[0];
  const passage = evidence.find(({ passageId }) => passageId === voice?.key);
  const relevances = evidence.flatMap(({ scores }) => scores.relevance ?? []);
  return {
    D: report.D,
    C: report.C,
    E: report.E,
    answerScore: chosen?.score ?? null,
    lead: chosen === undefined || rival === undefined ? null : chosen.score - rival.score,
    margin: passage?.scores.margin ?? null,
    spanLead: voice?.spanLead ?? null,
    relevance: passage?.scores.relevance ?? null,
    bestRelevance: relevances.length === 0 ? null : Math.max(...relevances),
    fused: passage?.scores.fused ?? null,
    knownTerms: coverage.known,
    voices: chosen?.voices.length ?? null,
    distinctAnswers: answers.clusters.length,
    answerWords: chosen === undefined ? null : words(chosen.text),
    queryWords: words(query),
    actProbability: act.probabilities[act.label] ?? null,
  };
}

function words(text: string): number {
  return text.split(/\s+/u).filter((word) => word !== '').length;
}
