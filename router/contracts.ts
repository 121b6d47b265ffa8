/** What goes into the router and what comes out of it. Each record is declared once, here, as a schema. */
import { z } from 'zod';
import {
  AskedQuestion,
  ClarificationRequest,
  Conditions,
  ConflictingStatement,
  DefaultsOverrule,
  DefaultUse,
  InformationState,
  OpenReference,
  RewriteReason,
  VoteCast,
} from '../conversation/index.ts';
import { Evidence, Filters } from '../corpus/index.ts';
import { ActDistribution, Budget, COUNTED_UNITS, MAX_DEADLINE_MS } from '../profiles/index.ts';
import { Answer } from './answer/record.ts';
import { PathScore } from './graph/types.ts';
import { LayerRecord } from './layers/finding.ts';
import { ParsedQuestion } from './parsed.ts';
import { REASONS } from './reasons.ts';
import { SampledOpinion } from './sampler.ts';

export { Evidence, Filters };

export const MAX_QUERY_CHARS = 2_000_000;

/** A turn of the conversation before the query. */
const Turn = z.strictObject({ role: z.enum(['user', 'assistant']), text: z.string() });

export const Query = z.strictObject({
  id: z.string().min(1).max(512),
  query: z.string().max(MAX_QUERY_CHARS),
  /** Turns before the query, oldest first. Read, never kept: a session is the caller's. */
  history: z.array(Turn).optional(),
  filters: Filters.optional(),
  /** What to do about learned defaults; left out: what was learned is applied. Without a store it changes nothing. */
  defaults: DefaultsOverrule.optional(),
  /** What is known of the request that may change a default: kind of page, customer, region. */
  conditions: Conditions.optional(),
  /** Wall-clock limit for this query in milliseconds from the moment it is taken up. */
  deadlineMs: z.number().int().positive().max(MAX_DEADLINE_MS).optional(),
  /** What the caller's set notes beside the query, as BEIR's do. Nothing reads it. */
  metadata: z.unknown().optional(),
});
export type Query = z.infer<typeof Query>;

const unit = z.number().min(0).max(1);

/** D, C and E in [0, 1], null where nothing could be scored (never 0), and the counts behind them. */
export const Signals = z.strictObject({
  D: unit.nullable(),
  C: unit.nullable(),
  E: unit.nullable(),
  counts: z.strictObject({
    branchAnswers: z.number().int(),
    distinctAnswers: z.number().int(),
    duplicatesRemoved: z.number().int(),
    independentSources: z.number().int(),
    offTopicPairs: z.number().int(),
    pairsScored: z.number().int(),
    pairsDenied: z.number().int(),
    truncatedTokens: z.number().int(),
  }),
});
export type Signals = z.infer<typeof Signals>;

const Amounts = z.strictObject(
  Object.fromEntries(COUNTED_UNITS.map((u) => [u, z.number().int().min(0)])) as Record<
    (typeof COUNTED_UNITS)[number],
    z.ZodNumber
  >,
);
export type Amounts = z.infer<typeof Amounts>;

/** What the ledger granted and what each stage spent. For every counted unit: sum of `spent` <= `budget`. */
export const Receipt = z.strictObject({
  budget: Budget,
  spent: Amounts.extend({ ms: z.number().min(0) }),
  stages: z.array(
    z.strictObject({ stage: z.string(), granted: Amounts, spent: Amounts, ms: z.number().min(0) }),
  ),
});
export type Receipt = z.infer<typeof Receipt>;

export const ACTIONS = ['ANSWER', 'ASK', 'ABSTAIN'] as const;
export type Action = (typeof ACTIONS)[number];

export { REASONS, type Reason } from './reasons.ts';

/** Reason code, one sentence for people, and up to three things that the corpus can really answer. */
const Refusal = z.strictObject({
  reason: z.enum(REASONS),
  message: z.string(),
  suggestions: z.array(z.string()).max(3),
});
export type Refusal = z.infer<typeof Refusal>;

/**
 * A question back. `question`: what is offered to choose from; absent where only the user's own words would help. `request`: the
 * same as the record that is known as ClarificationRequest.
 */
export const Clarification = Refusal.extend({
  question: AskedQuestion.optional(),
  request: ClarificationRequest.optional(),
});
export type Clarification = z.infer<typeof Clarification>;

/** `NOTHING`: the documents do not hold it; `CONTRADICTION`: they say two things, `conflict`; `OTHER`: neither. */
export const Abstention = Refusal.extend({
  kind: z.enum(['NOTHING', 'CONTRADICTION', 'OTHER']),
  conflict: z.tuple([ConflictingStatement, ConflictingStatement]).optional(),
});
export type Abstention = z.infer<typeof Abstention>;

const cost = z.number().min(0);

/** What it costs to give a wrong answer, to ask a needless question, and to be silent without need. */
export const Utilities = z.strictObject({ wrong: cost, question: cost, silence: cost });
export type Utilities = z.infer<typeof Utilities>;

/** What the planner made of a query: its probabilities, and the action of least expected cost. */
export const Plan = z.strictObject({
  probabilities: z.strictObject({ ANSWER: unit, ASK: unit, ABSTAIN: unit }),
  utilities: Utilities,
  /** Shares of the actions that the probabilities are for, where they are not those of the planner's file. */
  prior: z.strictObject({ ANSWER: unit, ASK: unit, ABSTAIN: unit }).optional(),
  action: z.enum(ACTIONS),
});
export type Plan = z.infer<typeof Plan>;

/** One question of a query that asks several. `query`: as it was routed, made to stand alone. */
export const Part = z.strictObject({
  query: z.string(),
  act: ActDistribution,
  action: z.enum(ACTIONS),
  answer: Answer.optional(),
  clarification: Clarification.optional(),
  abstention: Abstention.optional(),
  U: unit.nullable(),
  tau: unit.nullable(),
});
export type Part = z.infer<typeof Part>;

/**
 * What a stage came to, told before the decision is made. `query`: what was routed; a query of several questions, or one
 * that is routed again with a default, has each stage more than once. What is refused early ends without the later ones.
 */
export const StageReport = z.discriminatedUnion('stage', [
  z.strictObject({ stage: z.literal('act'), query: z.string(), act: ActDistribution }),
  /** `found`: passages that are looked at; `evidence`: the first few, as fused, nothing of them judged yet. */
  z.strictObject({
    stage: z.literal('retrieval'),
    query: z.string(),
    found: z.number().int().min(0),
    evidence: z.array(Evidence),
  }),
  z.strictObject({ stage: z.literal('signals'), query: z.string(), signals: Signals }),
]);
export type StageReport = z.infer<typeof StageReport>;

export const Decision = z.strictObject({
  schema: z.literal('pragaura.decision/4'),
  id: z.string(),
  /** As the user sent it. */
  query: z.string(),
  /** The query as it stands without its history; present where the history changed it. All that follows is about it. */
  selfContained: z
    .strictObject({ text: z.string(), reasons: z.array(RewriteReason), open: z.array(OpenReference) })
    .optional(),
  /** What the query says of the asker's own, and what he has told of it: that stands in the query as it was decided. */
  remembered: z.array(z.strictObject({ word: z.string(), value: z.string() })).optional(),
  /** The question as it was taken apart: what is wanted, where, and on what kind of page. Absent in older records. */
  parsed: ParsedQuestion.optional(),
  /**
   * What would have been asked, and was asked before in this conversation (at `turn` of the history): answered with what was
   * replied then, with what would have been proposed, or not at all.
   */
  askedBefore: z
    .strictObject({
      variable: z.string(),
      turn: z.number().int().min(0),
      value: z.string().nullable(),
      instead: z.enum(['REPLY', 'PROPOSAL', 'SILENCE']),
    })
    .optional(),
  /** What was routed in the end, where a value that was settled without asking was put into the query. */
  routed: z.string().optional(),
  /**
   * What the query says is so, where it asks nothing, without "I heard that": verified, and no evidence. Whether the documents bear
   * it out is said by the answer's `verdict`.
   */
  claim: z.string().optional(),
  action: z.enum(ACTIONS),
  act: ActDistribution,
  /** In the form that the act asks for; absent where the whole is not answered. Of several questions: all, in order. */
  answer: Answer.optional(),
  /** The questions of a query that asks several, each decided by itself; empty for one question. */
  parts: z.array(Part),
  evidence: z.array(Evidence),
  clarification: Clarification.optional(),
  abstention: Abstention.optional(),
  /** What is known, missing and asked for; null for what was refused before retrieval. */
  state: InformationState.nullable(),
  /** Every layer with what became of it; empty for what was refused before any of them. */
  layers: LayerRecord,
  /** What should be said beside the answer. */
  caveats: z.array(z.string()),
  /** Each use of a learned default, and each vote that the query cast; empty when no store is open. */
  defaults: z.array(DefaultUse),
  votes: z.array(VoteCast),
  /** What a language model makes of the evidence; absent without a sampler, and where U has no word. */
  opinion: SampledOpinion.optional(),
  /** Null without a graph beside the index. */
  graph: PathScore.nullable(),
  /** Null when no planner was asked. */
  plan: Plan.nullable(),
  signals: Signals,
  U: unit.nullable(),
  tau: unit.nullable(),
  guarantee: z.strictObject({
    /** RESTRICTED: the calibration is not about such a query (history, filters, a deadline, a default, several questions). */
    status: z.enum(['NOT_CALIBRATED', 'CALIBRATED', 'RESTRICTED']),
    sentence: z.string(),
  }),
  receipt: Receipt,
  /** Milliseconds by stage. */
  timings: z.record(z.string(), z.number()),
  versions: z.strictObject({
    index: z.string(),
    models: z.record(z.string(), z.string()),
    /** How the models' 8-bit products were summed (`exact` wherever it can be), or the provider that did it. */
    arithmetic: z.string(),
    profiles: z.string(),
    layers: z.string(),
    vocabulary: z.string().nullable(),
    graph: z.string().nullable(),
    planner: z.string().nullable(),
    calibration: z.string().nullable(),
  }),
});
export type Decision = z.infer<typeof Decision>;

/** What decisions are made with: whatever is fitted on them says so, by hashes. */
export const MadeWith = z.strictObject({
  index: z.string(),
  models: z.record(z.string(), z.string()),
  arithmetic: z.string(),
  profiles: z.string(),
  policy: z.enum(['act', 'uniform']),
  budget: Budget,
  layers: z.string(),
  vocabulary: z.string().nullable(),
  graph: z.string().nullable(),
});

/** Stands on a line of its own where the input line could not be decided. */
export const ErrorRecord = z.strictObject({
  schema: z.literal('pragaura.error/1'),
  id: z.string().nullable(),
  line: z.number().int().nullable(),
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});
export type ErrorRecord = z.infer<typeof ErrorRecord>;
