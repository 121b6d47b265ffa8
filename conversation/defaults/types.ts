/** What a learned default is made of. Each record is declared once, here. */
import { z } from 'zod';

const name = z.string().trim().min(1).max(200);
const value = z.string().trim().min(1).max(1000);
const share = z.number().min(0).max(1);

/** Pairs of a condition and its value, sorted by name; null where a stratum is for queries without that condition. */
export type Stratum = readonly (readonly [name: string, value: string | null])[];

const MOST_ENTRIES = 16;

/** Not a `z.record`: that drops an entry called `__proto__` without a word. */
function smallRecord<T>(entry: z.ZodType<T>, what: string) {
  return z.custom<Readonly<Record<string, T>>>((input) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
    const entries = Object.entries(input);
    if (entries.length > MOST_ENTRIES) return false;
    return entries.every(([key, one]) => name.safeParse(key).success && entry.safeParse(one).success);
  }, `not at most ${MOST_ENTRIES} names with ${what} each`);
}

/** What is known of the request that may change the answer: kind of page, customer, region. */
export const Conditions = smallRecord(z.string().min(1).max(500), 'a text of at most 500 characters');
export type Conditions = z.infer<typeof Conditions>;

export const Tenant = z.string().min(1).max(200);

/** The missing piece. `field`: what is missing ("policy year"); `scope`: in what kind of document or collection. */
export const Need = z.strictObject({
  field: name,
  scope: z.string().trim().max(200).default(''),
  /** Every value that is possible here. A default that is none of them is not applied. Left out: any value. */
  candidates: z.array(value).optional(),
});
export type Need = z.input<typeof Need>;

/**
 * What a query says about defaults. false: apply none. By field: a value to use instead, or null to be asked. The
 * names are those of `Need.field`.
 */
export const DefaultsOverrule = z.union([z.literal(false), smallRecord(value.nullable(), 'a value or null')]);
export type DefaultsOverrule = z.infer<typeof DefaultsOverrule>;

/**
 * explicit_yes: the user named or confirmed the value. explicit_no: the user rejected it. implicit_ok: it was applied
 * and nobody objected. failure: it was applied and nothing was found with it.
 */
export const SIGNALS = ['explicit_yes', 'explicit_no', 'implicit_ok', 'failure'] as const;
export type Signal = (typeof SIGNALS)[number];

/** One thing that a user, or the router, says about one value. */
export const Answer = z.strictObject({
  tenant: Tenant,
  need: Need,
  conditions: Conditions,
  signal: z.enum(SIGNALS),
  value,
  /** The document that the value stands for, where it stands for one. */
  docId: z.string().min(1).max(2000).optional(),
  /** With explicit_no: what the user wanted. The answer then counts as an explicit_yes for it. */
  instead: z.strictObject({ value, docId: z.string().min(1).max(2000).optional() }).optional(),
  /** Milliseconds since 1970. */
  at: z.number().int().min(0),
  /** A second answer with the same key on the same field counts for nothing: what is delivered twice is one vote. */
  once: z.string().min(1).max(512).optional(),
});
export type Answer = z.input<typeof Answer>;

/** An answer as it is kept. `id` rises with every vote of a store and is never used twice. */
export interface Vote {
  readonly id: number;
  readonly at: number;
  readonly signal: Signal;
  readonly value: string;
  readonly docId: string | null;
  /** Sorted by name. */
  readonly conditions: readonly (readonly [name: string, value: string])[];
}

export const DefaultSettings = z.strictObject({
  /** Below this confidence the user is asked and nothing is proposed. */
  suggestAt: share.default(0.6),
  /** Above this confidence the default is applied; up to it, the user is asked and the default is proposed. */
  applyAt: share.default(0.85),
  /** Level of the one-sided lower bound that is the confidence. At .8, five users who agree open the gate. */
  level: z.number().min(0.5).max(0.999).default(0.8),
  /** How many users who agree open the gate, instead of `level`; see `levelFor`. null: by `level`. */
  firstDefault: z.number().int().min(1).max(100).nullable().default(null),
  /** Days after which a vote weighs half; null: votes do not age. */
  halfLifeDays: z.number().positive().nullable().default(180),
  /** Weight of a default that was applied and not objected to. */
  implicitWeight: share.default(0.5),
  /** What silence may add to a value at most, as a multiple of what users said for it. */
  implicitShare: z.number().min(0).default(1),
  /** Whether votes from before users changed their minds are left out. */
  changes: z.boolean().default(true),
  split: z
    .strictObject({
      /** Conditions on one path at most; 0: no strata. */
      depth: z.number().int().min(0).max(8).default(3),
      /** Weight of failures and disagreement that makes one look for a condition. */
      doubt: z.number().positive().default(1.5),
      /** Bayes factor that a condition must reach, times the number of conditions tried. */
      evidence: z.number().min(1).default(10),
    })
    .prefault({}),
});
export type DefaultSettings = z.infer<typeof DefaultSettings>;

const Pairs = z.array(z.tuple([z.string(), z.string().nullable()]));

export const CandidateVotes = z.strictObject({
  value: z.string(),
  docId: z.string().nullable(),
  /** Weights after ageing. */
  for: z.number().min(0),
  against: z.number().min(0),
});
export type CandidateVotes = z.infer<typeof CandidateVotes>;

export const GATES = ['ask', 'suggest', 'apply'] as const;

/** What was learned about one field in one stratum, at one moment. */
export const ClarificationDefault = z.strictObject({
  schema: z.literal('pragaura.clarification-default/1'),
  id: z.string(),
  tenant: z.string(),
  field: z.string(),
  scope: z.string(),
  /** The sub-conditions for which it holds; null: for queries that do not have this condition. */
  conditions: Pairs,
  /** The value with the most votes, null where there is none. */
  value: z.string().nullable(),
  docId: z.string().nullable(),
  /** Lower bound of the share of users who want `value`. */
  confidence: share,
  gate: z.enum(GATES),
  votes: z.array(CandidateVotes),
  /** Votes behind it, failures not counted, before ageing. */
  sampleSize: z.number().int().min(0),
  failures: z.number().int().min(0),
  lastRefreshed: z.iso.datetime().nullable(),
});
export type ClarificationDefault = z.infer<typeof ClarificationDefault>;

const moment = z.number().int().min(0);

/** A default, what users said, and what was done with it; newest last, moments in milliseconds since 1970. */
export const DefaultHistory = z.strictObject({
  schema: z.literal('pragaura.default-history/1'),
  default: ClarificationDefault,
  votes: z.array(
    z.strictObject({
      id: z.number().int(),
      at: moment,
      signal: z.enum(SIGNALS),
      value: z.string(),
      docId: z.string().nullable(),
      conditions: Pairs,
    }),
  ),
  audit: z.array(
    z.strictObject({
      id: z.number().int(),
      tenant: z.string(),
      at: moment,
      kind: z.enum(['use', 'forget']),
      subject: z.string(),
      query: z.string().nullable(),
      sha256: z.string().nullable(),
      /** Null where it was forgotten; its hash stays. */
      record: z.unknown(),
    }),
  ),
});

export const USE_REASONS = [
  'LEARNED',
  'UNSURE',
  /** Nothing was learned yet: where most of what was found lies in the collection. */
  'COLLECTION',
  /** The same: what most earlier questions name by themselves, where those are kept. */
  'LOGGED',
  /** What would have been proposed was taken, because the user was asked that before in the conversation. */
  'ASKED_BEFORE',
  'UNKNOWN',
  'FAILED_HERE',
  /** No answer went out with it: the time was up, or the query was cancelled. */
  'NOT_ANSWERED',
  'NOT_A_CANDIDATE',
  'DOCUMENT_GONE',
  'OVERRULED',
  /** The store could not be read or written in time: the query was decided as if nothing were known. */
  'STORE_UNAVAILABLE',
] as const;

/** For the audit trail: what was done about a missing piece, by which default, how sure it was, and why. */
export const DefaultUse = z.strictObject({
  schema: z.literal('pragaura.default-use/1'),
  outcome: z.enum(['APPLIED', 'SUGGESTED', 'ASKED', 'OVERRULED']),
  reason: z.enum(USE_REASONS),
  sentence: z.string(),
  /** The value that is used for the query: the default's or the one that the query named; else null. */
  used: z.string().nullable(),
  default: ClarificationDefault,
  /** Newest vote that was looked at: with the moment and the settings, all that the outcome depends on. */
  asOf: z.number().int().min(0),
  at: z.iso.datetime(),
});
export type DefaultUse = z.infer<typeof DefaultUse>;

/** For the record: a vote that came out of a query. */
export const VoteCast = z.strictObject({
  schema: z.literal('pragaura.default-vote-cast/1'),
  signal: z.enum(SIGNALS),
  field: z.string(),
  scope: z.string(),
  value: z.string(),
  /** With explicit_no: what the user wanted, where that was said; the vote then counts for it. */
  instead: z.string().nullable(),
  /** False: the same vote was here before, or it could not be written (`problem`). */
  counted: z.boolean(),
  problem: z.string().nullable(),
});
export type VoteCast = z.infer<typeof VoteCast>;

/**
 * What became of a question, as the store keeps it for the turn that may follow: on another day, to another process.
 * Gone after 30 days.
 */
export const OpenQuestion = z.strictObject({
  /** Whether the user was asked, a default applied, or a value taken that the query itself named. */
  kind: z.enum(['asked', 'applied', 'overruled']),
  /** The user's question as it stands without its history. */
  text: z.string(),
  /** Our words to the user, where we asked. */
  message: z.string(),
  need: z.strictObject({ field: z.string(), scope: z.string() }),
  /** What the caller said of the request, and what we add to it from the question. */
  conditions: Conditions,
  derived: Conditions,
  options: z.array(z.strictObject({ value: z.string(), docId: z.string().nullable() })),
  /** Proposed to the user or taken for the query. */
  value: z.string().nullable(),
  at: z.number().int().min(0),
});
export type OpenQuestion = z.infer<typeof OpenQuestion>;
