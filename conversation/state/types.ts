import type { Evidence } from '../../corpus/index.ts';
import type { Answers, SignalReport } from '../../scorers/index.ts';
import type { Turn } from '../history/types.ts';
import type { Reply } from './turns.ts';

/**
 * A word as a part-of-speech tagger saw it. `start`/`end`: UTF-16 offsets into the text that was tagged. `tags`: the
 * tagger's names, such as "Noun", "ProperNoun", "Person".
 */
export interface TaggedWord {
  text: string;
  start: number;
  end: number;
  tags: ReadonlySet<string>;
}

/** Tags the beginning of a text. Deterministic; time bounded whatever the text. */
export type Tagger = (text: string) => readonly TaggedWord[];

/** A piece that queries about something need, as labelled queries tell that lacked it. */
export interface Requirement {
  /** What is needed: "destination country". */
  variable: string;
  /** The named thing that the queries are about. */
  of: string;
  /** The labelled queries: each asks something of it without the piece. */
  asked: readonly string[];
}

/** What the state is made from: everything the pipeline has of a query when it decides, null or empty where it has not. */
export interface StateInput {
  query: string;
  /** Turns before the query, oldest first. */
  history?: readonly Turn[];
  /** Best first. */
  evidence: readonly Evidence[];
  /** Content words of the query, folded, and those that the corpus does not know. */
  coverage: { readonly terms: readonly string[]; readonly unknown: readonly string[] };
  identifiers: readonly { readonly id: string; readonly known: boolean; readonly near: readonly string[] }[];
  answers: Answers;
  report: SignalReport;
  /** Embeddings of the first passages of `evidence`, for the cosine form of conflict; all of one dimension. */
  vectors?: readonly Float32Array[];
  /** What the graph says that queries about what this one names need; absent or empty without such a graph. */
  required?: readonly Requirement[];
  /** What the user replied to questions of ours about this query; its words stand in the query. */
  replies?: readonly Reply[];
}
