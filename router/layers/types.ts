import type { HiddenTexts } from '../../corpus/index.ts';
import type { ActDistribution } from '../../profiles/index.ts';
import type { Answers, SignalReport } from '../../scorers/index.ts';
import type { Evidence } from '../contracts.ts';
import type { Spelling, TermCoverage } from '../retrieval/types.ts';
import type { Vocabulary } from '../vocabulary/index.ts';
import type { LayerFinding } from './finding.ts';
import type { LayerSettings } from './settings.ts';

/** What the entailment model said of one passage about what the question takes for granted. */
export interface PremiseVerdict {
  /** Id of the passage, and the sentence of it that was held against the claim. */
  key: string;
  sentence: string;
  /** What is taken for granted. */
  claim: string;
  entailment: number;
  contradiction: number;
}

/** An identifier that the query names. `near`: identifiers of the corpus that may have been meant, nearest first. */
interface IdentifierFinding {
  id: string;
  known: boolean;
  near: readonly string[];
}

/** What is known of a query once retrieval is done, before any model has read anything. */
export interface Retrieved {
  query: string;
  act: ActDistribution;
  vocabulary: Vocabulary | null;
  /** Best first. Scores of stages that have not run are null. */
  evidence: readonly Evidence[];
  /** Passages that were found and are no evidence. */
  suspects: readonly Suspect[];
  /** What documents of the evidence hide from their readers and the query should know of; absent: nothing. */
  concealed?: readonly Concealed[];
  /** Of the query as it was searched for, with what was clearly meant in the place of slips. */
  coverage: TermCoverage;
  spelling: readonly Spelling[];
  identifiers: readonly IdentifierFinding[];
  /** Identifiers that a text names, in canonical form. */
  identifiersIn: (text: string) => readonly string[];
  /**
   * What the documents' own entries say of the term that the query asks about, each different description once, called by
   * what tells their places apart; absent or empty where there is none.
   */
  entries?: readonly { name: string }[];
}

/** Everything that layers look at. What a stage has not measured is null, and its layers stay open. */
export interface LayerInput extends Retrieved {
  /** Turns before the query: what it leaves open may stand there. Absent: none. */
  history?: readonly unknown[];
  answers: Answers | null;
  report: SignalReport | null;
  premises: readonly PremiseVerdict[] | null;
  /** Calibrated probability that the answer is right where there is one, else 1 - U; null when nothing was scored. */
  confidence: number | null;
}

/** What a layer says; `definition`: the passage that answers, where the vocabulary defines the term asked about. */
export type LayerOutcome = LayerFinding & { definition?: Evidence };

/** One layer: pure, and null when it has nothing to say. */
export type Layer = (input: LayerInput, settings: LayerSettings) => LayerOutcome | null;

/** A stretch of hidden text, and the document that holds it. */
export type Concealed = HiddenTexts['texts'][number] & Pick<Held, 'docId' | 'title' | 'source'>;

export interface Instruction {
  /** What it is, in words. */
  kind: string;
  /** The stretch itself, without invisible characters; empty where nothing of it can be seen. */
  excerpt: string;
}

/** The parts of a passage that are read, and by which people know it. */
export interface Held {
  passageId: string;
  docId: string;
  title: string;
  source: string;
  text: string;
}

/** A passage that was left out of the evidence because it talks to a machine. `rank`: its place among all, from 0. */
export interface Suspect extends Omit<Held, 'text'>, Instruction {
  rank: number;
}

/** What tells a question that leaves open what it is about. Shares, cosines and scores are in [0, 1]; the others are counts, and 0 or 1. */
export type OpennessFeature =
  /** The best cosine, the best share of the words' BM25, and the log odds of the best relevance of a passage. */
  | 'dense'
  | 'lexical'
  | 'relevance'
  /** Content words, those that are not generic, and the share that is. */
  | 'words'
  | 'specific'
  | 'generic'
  /** Whether a pronoun refers to something, and whether a number, a name or a quotation says what. */
  | 'refers'
  | 'marked'
  /** The largest share of the content words that the heading of a passage holds. */
  | 'heading'
  /** Sections with a passage at least half as relevant as the best. */
  | 'near';

export interface OpennessFit {
  intercept: number;
  weights: Readonly<Record<OpennessFeature, number>>;
  /** Least probability at which a question is asked back. */
  bar: number;
}
