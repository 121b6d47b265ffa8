import { z } from 'zod';

/** Something that a passage says about two named things, as it was found. */
export const Triple = z.strictObject({
  subject: z.string(),
  /** Verb and prepositions between the two, in small letters: "was founded by". */
  relation: z.string(),
  object: z.string(),
  /** 0.8 where both stand in one sentence, 0.6 where the subject is the title that the sentence's pronoun stands for. */
  confidence: z.number(),
});
export type Triple = z.infer<typeof Triple>;

/** An edge of the graph; `subject` and `object` are places in its list of nodes. */
export interface Edge {
  subject: number;
  relation: string;
  object: number;
  /** In how many passages it was found. */
  count: number;
  /** Ordinals of passages of the index that say it, the first few. */
  passages: number[];
  /** Semantic grounding in [0, 1]: cosine of the triple's sentence to its passage, and a bonus for repetition. */
  sem: number;
  /** The confidence of its best finding, reinforced by labelled queries, in [0, 1] (000, sections 6.1 and 6.3). */
  act: number;
  /** Of an edge to a variable that labels name: the labelled queries, which lacked it. Absent of other edges. */
  asked?: string[] | undefined;
}

/** What a graph is made of. A node whose name starts with "?var:" stands for something that users can be asked. */
export interface GraphData {
  nodes: string[];
  edges: Edge[];
}

export const PathScore = z.strictObject({
  /**
   * `strong`: a path joins what the query names. `broken`: the graph knows something of it, but joins it to nothing
   * else that the query names. `absent`: it knows nothing of it.
   */
  kind: z.enum(['strong', 'broken', 'absent']),
  /** Product of the weights along the best path, in [0, 1]; 0 without one. */
  score: z.number().min(0).max(1),
  /** The best path, a statement of the documents a step. */
  path: z.array(z.strictObject({ subject: z.string(), relation: z.string(), object: z.string() })),
  /** Names of the nodes that the query names. */
  known: z.array(z.string()),
  /** Names of "?var" nodes beside them, without the mark: what ASK queries about them lacked. */
  variables: z.array(z.string()),
});
export type PathScore = z.infer<typeof PathScore>;
