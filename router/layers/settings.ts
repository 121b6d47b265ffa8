import { z } from 'zod';

const share = z.number().min(0).max(1);
const on = z.boolean().default(true);
/** 1 - cosine of the query's vector and a passage's, in [0, 2]. */
const distance = z.number().min(0).max(2);

/**
 * The paper's are .85 and .6. Of 52 answers on those articles one has a confidence (1 - U) above .85; of the 20 from
 * .75 on 19 were right, of the 32 below 21.
 */
const BANDS = { high: 0.75, low: 0.6 };
/** More passages are never read, so that no answer has more sources. */
const MOST_SOURCES = 20;
/** Everything a collection may set for itself; what it leaves out is as for all documents. */
const CollectionLimits = z.strictObject({
  distance: distance.optional(),
  inEvidence: share.optional(),
  high: share.optional(),
  low: share.optional(),
});

/**
 * The layers before the decision, each with its own switch. Limits of `distance`, `scope` and `coverage` were looked at
 * on SQuAD's training articles with the shipped models: of 70 questions about 220 paragraphs they close together 0, of
 * 50 about paragraphs of the same articles that were left out 18, of 50 about other articles 45. Relevance tells most (0,
 * 14 and 41 lie below its floor without the words); a cosine beyond .7 (0, 2 and 11) only serves where nothing was
 * read: the paper's .5 refuses 10 of the 70. `known` and `contradiction` are the limits that the gates before had.
 * Another embedder needs other distances.
 */
export const LayerSettings = z.strictObject({
  vocabulary: z
    .strictObject({
      on,
      /**
       * A term whose meaning is asked and which the vocabulary lacks: `ask` always, `ask-unless-documented` only where
       * no passage found holds it either, `pass` never.
       */
      unknownTerm: z.enum(['ask', 'ask-unless-documented', 'pass']).default('ask'),
    })
    .prefault({}),
  /** Off: words are searched for as they are written. */
  spelling: z.strictObject({ on }).prefault({}),
  noResults: z.strictObject({ on }).prefault({}),
  identifierExists: z.strictObject({ on }).prefault({}),
  identifierInEvidence: z.strictObject({ on }).prefault({}),
  distance: z
    .strictObject({
      on,
      limit: distance.default(0.7),
      /** Best relevance under which a query is too distant, unless one passage holds this share of its words. */
      relevance: share.default(0.1),
      support: share.default(0.5),
    })
    .prefault({}),
  scope: z
    .strictObject({
      on,
      distance: distance.default(0.5),
      inEvidence: share.default(0.5),
      /** A passage that the cross-encoder holds as relevant as this is in scope, however far its vector lies. */
      relevance: share.default(0.25),
    })
    .prefault({}),
  coverage: z.strictObject({ on, known: share.default(0.4), inEvidence: share.default(0.2) }).prefault({}),
  poisoned: z.strictObject({ on }).prefault({}),
  underspecified: z.strictObject({ on }).prefault({}),
  /**
   * `contradiction`: of 59 questions that were asked about and that their documents answer, one goes beyond it, at .92.
   * `answered`: where a passage answers with such a score, it bears the question out, unless the contradiction is `sure`.
   * On the tuning half of SQuAD 2, of what goes beyond `contradiction`, 24 of 32 unanswerable questions lie below
   * `answered` and 4 of 8 answerable ones; from .85 on there are 12 of the first and none of the others.
   */
  falsePremise: z
    .strictObject({
      on,
      contradiction: share.default(0.7),
      answered: share.default(0.3),
      sure: share.default(0.9),
    })
    .prefault({}),
  /** A lone contradictor who is half as sure as the answer counts; against two supporters it does not. */
  contradiction: z.strictObject({ on, limit: share.default(0.3) }).prefault({}),
  /** `sources`: independent sources that have to say the same as an answer, from 1, which every answer has. */
  support: z.strictObject({ on, sources: z.number().int().min(1).max(MOST_SOURCES).default(1) }).prefault({}),
  bands: z
    .strictObject({
      on,
      high: share.default(BANDS.high),
      low: share.default(BANDS.low),
      /** Whether the lowest band abstains. Off: a calibrated threshold does that, with a promise. */
      abstain: z.boolean().default(false),
    })
    .prefault({}),
  /** By the name of a collection: the first part of a document's id, which is the folder that was indexed. */
  collections: z.record(z.string(), CollectionLimits).default({}),
});
export type LayerSettings = z.infer<typeof LayerSettings>;
