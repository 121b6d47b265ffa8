/** What the server takes and gives beside the records that other rooms declare. */
import { z } from 'zod';
import { parseAs } from '../common/index.ts';
import { Passage } from '../corpus/index.ts';
import { AnswerToVerify, Verification } from '../generation/index.ts';
import { ActDistribution } from '../profiles/index.ts';
import { STAGES } from '../router/commands/retrieve.ts';
import { Decision, ErrorRecord, Query, StageReport } from '../router/index.ts';
import { NliPair, QueryPair } from '../scorers/commands/score-stream.ts';
import { Problem } from './problems.ts';
import { SCOPES } from './scopes.ts';

/** As in a stream: a number becomes a string, and what has no id is called after its request. */
const id = z.union([z.string().min(1).max(512), z.number()]).nullish();

export const QueryBody = Query.extend({ id });
export const RetrieveBody = Query.pick({ query: true, filters: true }).extend({
  id,
  /** One branch alone, all of them fused, or the fused ones re-ranked. */
  stage: z.enum(STAGES).default('reranked'),
  k: z.number().int().min(1).max(1000).default(10),
});
export const ClassifyBody = Query.pick({ query: true }).extend({ id });
export const NliBody = NliPair.extend({ id });
export const PairBody = QueryPair.extend({ id });
/** Throws INVALID_INPUT. */
export const answerToVerify = parseAs(AnswerToVerify as never, 'The contract is at /openapi.json.') as (
  value: unknown,
) => z.output<typeof AnswerToVerify>;
export const VerifyBody = z.strictObject({ ...AnswerToVerify.shape, id });

/** Of a path. */
export const OfCollection = z.strictObject({ collection: z.string().max(64) });
export const WhichCollection = z.strictObject({ collection: z.string().max(64).optional() });

const recordId = z.string();
const tokens = z.number().int().min(0);
const unit = z.number().min(0).max(1);
const scored = { tokens, truncatedTokens: tokens };

export const Ranking = z.strictObject({
  schema: z.literal('pragaura.ranking/1'),
  id: recordId,
  query: z.string(),
  stage: z.enum(STAGES),
  /** Best first. Scores are those of the stage, as `pragaura retrieve` has them. */
  hits: z.array(Passage.extend({ score: z.number() })),
});
export type Ranking = z.infer<typeof Ranking>;

export const ActRecord = ActDistribution.extend({
  schema: z.literal('pragaura.act/1'),
  id: recordId,
  query: z.string(),
});

export const NliRecord = z.strictObject({
  schema: z.literal('pragaura.nli/1'),
  id: recordId,
  entailment: unit,
  neutral: unit,
  contradiction: unit,
  ...scored,
});

export const RerankRecord = z.strictObject({
  schema: z.literal('pragaura.rerank/1'),
  id: recordId,
  score: unit,
  logit: z.number(),
  ...scored,
});

const offset = z.number().int().min(0);

export const ReadRecord = z.strictObject({
  schema: z.literal('pragaura.read/1'),
  id: recordId,
  answer: z.string().nullable(),
  start: offset.nullable(),
  end: offset.nullable(),
  score: z.number().nullable(),
  lead: z.number().nullable(),
  noAnswer: z.number(),
  margin: z.number(),
  ...scored,
  candidates: z.array(z.strictObject({ text: z.string(), start: offset, end: offset, score: z.number() })),
});

export const VerificationRecord = Verification.extend({ id: recordId });

export const CollectionState = z.strictObject({
  name: z.string(),
  /** Hash of its content, as in the `versions` of decisions. */
  index: z.string(),
  /** Passages whose vectors are still being made. */
  pending: z.number().int().min(0),
  calibrated: z.boolean(),
  /** Something else lies in its folder by now and cannot be opened. */
  stale: z.boolean(),
});
export type CollectionState = z.infer<typeof CollectionState>;

export const CollectionList = z.strictObject({
  collections: z.array(CollectionState),
  /** What the caller may do here. */
  scopes: z.array(z.enum(SCOPES)),
  /** What there is here for people, by their tokens. */
  offers: z.array(z.enum(['memory', 'queries', 'tickets'])),
});
export type CollectionList = z.infer<typeof CollectionList>;

/** What a caller asked about, as far as it is kept. */
export const KeptQueries = z.strictObject({
  schema: z.literal('pragaura.kept-queries/1'),
  /** Since when the caller agrees, ISO 8601; null where they do not. */
  consent: z.iso.datetime().nullable(),
  /** Oldest first. */
  queries: z.array(z.strictObject({ at: z.iso.datetime(), things: z.array(z.string()) })),
});
export type KeptQueries = z.infer<typeof KeptQueries>;

export const Health = z.strictObject({ status: z.enum(['ok', 'ready', 'draining']) });

/** What has a name of its own in the OpenAPI file. */
export const NAMED = z.registry<{ id: string }>();
for (const [name, schema] of Object.entries({
  Query: QueryBody,
  Decision,
  StageReport,
  ErrorRecord,
  Problem,
  Ranking,
  Verification: VerificationRecord,
})) {
  NAMED.add(schema, { id: name });
}
