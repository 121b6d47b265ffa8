/** What an evaluation says, declared once: the type, the check on reading, and `metrics.json`. */
import { z } from 'zod';
import { ACTS } from '../../profiles/index.ts';
import { ACTIONS, UncertaintyScore } from '../../router/index.ts';

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** Percentile bootstrap by document (`counts.documents`); null: fewer than two, or nothing to draw from. */
const Interval = z.strictObject({ low: z.number(), high: z.number() }).nullable();

/**
 * A figure over `n` examples, of which `unscored` could not be scored (an error, or the label that it needs is
 * missing); `value` and `interval` are over the others. `low` and `high`: the figure had every unscored one been the
 * best and the worst possible, in the last place of a ranking.
 */
export const Estimate = z.strictObject({
  value: z.number().nullable(),
  interval: Interval,
  n: count,
  unscored: count,
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type Estimate = z.infer<typeof Estimate>;

/** `of` examples, `k` of which …; the interval is Clopper-Pearson's at the level of the bootstrap. */
const Proportion = z.strictObject({
  k: count,
  of: count,
  value: share.nullable(),
  exact: z.strictObject({ low: share, high: share }).nullable(),
});
export type Proportion = z.infer<typeof Proportion>;

/**
 * What an artifact promises, levels as decimal strings. Coverage: at least `level` of the queries of a pool are
 * answered; risk and joint: at most `level` of its answers are wrong; joint: at most `ask` of its answerable queries
 * end in silence. Each pool is held to its own thresholds, whichever acts borrow them.
 */
export const Promised = z.strictObject({
  target: z.enum(['coverage', 'risk', 'joint']),
  level: z.string(),
  /** Chance, over calibrations, that a promise on risk or silence fails; null for coverage, which is an average. */
  delta: z.string().nullable(),
  ask: z.string().nullable(),
  /** `documents`: promises are about a question of a new document, every document counting alike. */
  exchangeable: z.enum(['documents', 'questions']),
  pools: z.array(
    z.strictObject({
      acts: z.union([z.literal('everything'), z.array(z.enum(ACTS)).min(1)]),
      tau: share.nullable(),
      askUpTo: share.nullable(),
      /** Coverage: the examples (documents, where these count) that tau was set on, and its rank among as many scores. */
      rank: z.strictObject({ n: count, k: count }).optional(),
    }),
  ),
});
export type Promised = z.infer<typeof Promised>;

/** When an answer that would be given counts as wrong. */
export const Rule = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('em') }),
  z.strictObject({ kind: z.literal('f1'), least: z.string() }),
]);

/**
 * AURC = `oracle` (best order that the losses allow: what the reader's errors cost whatever the ranking) + `excess`
 * (E-AURC: what the ranking costs), exactly.
 */
const Areas = z.strictObject({
  aurc: Estimate,
  oracle: Estimate,
  excess: Estimate,
  augrc: Estimate,
});
export type Areas = z.infer<typeof Areas>;

const Difference = z.strictObject({
  value: z.number().nullable(),
  interval: Interval,
  /** Two-sided, by inverting the bootstrap; not corrected for how many rankings there are. */
  p: share.nullable(),
});

/** The least uncertain `coverage` answered. `best`: what a perfect order of the same candidates would reach. */
const AtCoverage = z.strictObject({
  coverage: share,
  answered: count,
  threshold: z.number().nullable(),
  tied: count,
  em: Estimate,
  f1: Estimate,
  risk: Estimate,
  bestEm: z.number().nullable(),
  bestF1: z.number().nullable(),
  unsupportedTokens: z.number().nullable(),
  unsupportedEntailment: z.number().nullable(),
});
export type AtCoverage = z.infer<typeof AtCoverage>;

const CurvePoint = z.strictObject({
  coverage: share,
  risk: share.nullable(),
  riskEm: share.nullable(),
  riskF1: share.nullable(),
  unsupportedTokens: share.nullable(),
  unsupportedEntailment: share.nullable(),
});
export type CurvePoint = z.infer<typeof CurvePoint>;

/** One order in which queries could be answered. */
const Ranking = z.strictObject({
  name: z.string(),
  about: z.string(),
  losses: z.strictObject({ wrong: Areas, em: Areas, f1: Areas }),
  selective: z.array(AtCoverage),
  curve: z.array(CurvePoint),
  /** Loss wrong or not: this ranking less the first, paired on the same resamples of documents; null for the first. */
  againstFirst: z.strictObject({ aurc: Difference, excess: Difference, augrc: Difference }).nullable(),
});
export type Ranking = z.infer<typeof Ranking>;

const Bin = z.strictObject({
  n: count,
  confidence: share,
  right: share,
  exact: z.strictObject({ low: share, high: share }).nullable(),
});
const Probability = z.strictObject({
  brier: Estimate,
  /** Brier score of the constant that says the share of right answers: p(1-p). */
  brierOfConstant: z.number().nullable(),
  ece: Estimate,
  /** What ECE would be on average were every stated probability exact. */
  eceByChance: z.number().nullable(),
  bins: z.array(Bin),
});
/** How good 1 - U is as a probability of being right: over all that have a U, and over those answered. */
const Reliability = z.strictObject({
  name: z.string(),
  about: z.string(),
  measured: Probability,
  answered: Probability,
});
export type Reliability = z.infer<typeof Reliability>;
export type Probability = z.infer<typeof Probability>;

/**
 * What was not answered, each in one class: nothing answers it (`unanswerable`), the candidate would have been wrong
 * (`prevented`), there was no candidate (`withoutCandidate`: nothing read, nothing found), the candidate would have been
 * right (`needless`), no label tells (`unknown`). They add up to `n`.
 */
const Abstentions = z.strictObject({
  n: count,
  unanswerable: count,
  prevented: count,
  withoutCandidate: count,
  needless: count,
  unknown: count,
});
export type Abstentions = z.infer<typeof Abstentions>;

/**
 * Realised against promised. `kept`: the figure itself keeps the level. `within-noise`: it does not, but chance does as
 * much: the interval reaches the level, or (coverage, promised on average over calibrations) so few would be answered
 * in more than one calibration in forty. `broken`: not even so. `nothing-to-check`: no example.
 */
const Verdict = z.enum(['kept', 'within-noise', 'broken', 'nothing-to-check']);
export type Verdict = z.infer<typeof Verdict>;

/** One pool that something is promised about, all its test examples held to its own thresholds. */
const Check = z.strictObject({
  pool: z.string(),
  /** What is promised: at least `level` for coverage, at most `level` for risk and silence. */
  about: z.enum(['coverage', 'risk', 'silence']),
  level: z.string(),
  tau: share.nullable(),
  realised: Proportion,
  /** What is promised by document, and the verdict then about: null where questions count. */
  byDocument: z
    .strictObject({
      documents: count,
      value: share.nullable(),
      low: share.nullable(),
      high: share.nullable(),
    })
    .nullable(),
  verdict: Verdict,
});
export type Check = z.infer<typeof Check>;

/** One predicted act. */
const ActRow = z.strictObject({
  act: z.enum(ACTS),
  n: count,
  tau: share.nullable(),
  sentence: z.string(),
  actions: z.record(z.enum(ACTIONS), count),
  coverage: Proportion,
  /** Wrong among the answered that are labelled. */
  risk: Proportion,
  em: Estimate,
  f1: Estimate,
  aurc: Estimate,
  augrc: Estimate,
  /** U of those with open gates: least, quartiles, largest; null without any. */
  uncertainty: z
    .strictObject({
      n: count,
      p5: share,
      p25: share,
      p50: share,
      p75: share,
      p95: share,
    })
    .nullable(),
  abstentions: Abstentions,
});
export type ActRow = z.infer<typeof ActRow>;

const named = <T extends z.ZodType>(inner: T) => z.record(z.string(), inner);

export const Evaluation = z.strictObject({
  schema: z.literal('pragaura.evaluation/2'),
  /** Hash of ids, queries and labels: evaluations with the same one were made on the same test. */
  test: z.string(),
  thresholds: z.strictObject({
    status: z.enum(['NOT_CALIBRATED', 'CALIBRATED']),
    hash: z.string().nullable(),
    score: UncertaintyScore,
    promised: Promised.nullable(),
  }),
  settings: z.strictObject({
    rule: Rule,
    resamples: count,
    seed: z.number().int(),
    level: share,
    bins: count,
  }),
  counts: z.strictObject({
    examples: count,
    groups: count,
    /** What they count as: groups that share documents or questions are one, see `documentsAmong`. */
    documents: count,
    errors: count,
    errorCodes: named(count),
    actions: z.record(z.enum(ACTIONS), count),
    withoutCandidate: count,
    gateClosed: count,
    answerable: count,
    unanswerable: count,
    answerableUnknown: count,
    withAnswers: count,
    withPassages: count,
    withAction: count,
    /** Nothing says whether the candidate is right. */
    unlabelled: count,
  }),
  remarks: z.array(z.string()),
  /** Share of all examples that are answered. An error is a query not answered: it counts, and is not unscored. */
  coverage: Estimate,
  /** Over what is answered. `risk`: share that is wrong by the rule. */
  answered: z.strictObject({ em: Estimate, f1: Estimate, risk: Estimate }),
  /** Were every candidate given, whatever gates and thresholds say. */
  everything: z.strictObject({ em: Estimate, f1: Estimate, risk: Estimate }),
  /** Shares of all labelled examples; they add up to the risk of `everything`. */
  errorCauses: z.strictObject({
    unanswerable: share.nullable(),
    notRead: share.nullable(),
    noCandidate: share.nullable(),
    misread: share.nullable(),
    /** Wrong where no passages are labelled: which of the two cannot be told. */
    untold: share.nullable(),
  }),
  unsupported: z.strictObject({
    /** 1 - SCR of answers given. */
    tokens: Estimate,
    /** 1 - E of answers given. */
    entailment: Estimate,
    /** Share of answers given that no source entails with E >= 1/2. */
    notEntailed: Estimate,
  }),
  rankings: z.array(Ranking),
  reliability: Reliability,
  abstentions: z.strictObject({
    all: Abstentions,
    byAction: z.strictObject({ ASK: Abstentions, ABSTAIN: Abstentions }),
    byReason: named(Abstentions),
  }),
  acts: z.array(ActRow),
  /** All acts together: answered of all examples, errors included; wrong of those answered. */
  overall: z.strictObject({ coverage: Proportion, risk: Proportion }),
  /** Empty where nothing is promised. */
  checks: z.array(Check),
  /** Null without any example whose passages are known. Over those, the re-ranked order of what the reader saw. */
  retrieval: z.strictObject({ figures: named(Estimate) }).nullable(),
  /** Null without any `action` label. `confusion[labelled][decided]`; decided may be ERROR. */
  decisions: z.strictObject({ accuracy: Estimate, confusion: named(named(count)) }).nullable(),
  /** Mean and 95th percentile of what one query spent; null without receipts. `ms` depends on the machine. */
  spent: named(
    z.strictObject({ mean: z.number(), p95: z.number(), budget: z.number().nullable() }),
  ).nullable(),
});
export type Evaluation = z.infer<typeof Evaluation>;
