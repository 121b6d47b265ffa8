import type { ActDistribution } from '../../profiles/index.ts';
import type { Answers, SignalReport } from '../../scorers/index.ts';
import type { Evidence } from '../contracts.ts';
import type { TermCoverage } from '../retrieval/types.ts';
import type { Vocabulary } from '../vocabulary/index.ts';
import type { LayerFinding } from './finding.ts';
import type { LayerSettings } from './settings.ts';

/** What the entailment model said of one passage about what the question takes for granted. */
export interface PremiseVerdict {
  /** Id of the passage. */
  key: string;
  entailment: number;
  contradiction: number;
}

/** Everything that layers look at. What a stage has not measured is null or empty, and its layers stay open. */
export interface LayerInput {
  query: string;
  act: ActDistribution;
  vocabulary: Vocabulary | null;
  /** Best first. */
  evidence: readonly Evidence[];
  coverage: TermCoverage;
  /** Identifiers that the query names; `near`: those of the corpus that may have been meant. */
  identifiers: readonly { id: string; known: boolean; near: readonly string[] }[];
  /** Identifiers that a text names, in canonical form. */
  identifiersIn: (text: string) => readonly string[];
  /** Null before the models have run. */
  answers: Answers | null;
  report: SignalReport | null;
  premises: readonly PremiseVerdict[] | null;
  /** Calibrated probability that the answer is right where there is one, else 1 - U; null when nothing was scored. */
  confidence: number | null;
}

/** One layer: pure, and null when it has nothing to say. */
export type Layer = (input: LayerInput, settings: LayerSettings) => LayerFinding | null;
