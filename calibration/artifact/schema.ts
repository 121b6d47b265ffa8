/** What a calibration is, declared once: the type, the check on reading, the file that people read. */
import { z } from 'zod';
import { canonicalHash } from '../../common/index.ts';
import { ACTS } from '../../profiles/index.ts';
import {
  DECIDERS,
  FEATURES,
  MadeWith,
  SamplerSettings,
  UncertaintyScore,
  Utilities,
} from '../../router/index.ts';

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);
/** A probability strictly between 0 and 1 as it was written, such as "0.95". */
const level = z.string().regex(/^0?\.\d*[1-9]\d*$/);

export const RUNGS = ['act', 'parent', 'global', 'none'] as const;
const WHYS = ['reached', 'too-few', 'gates', 'errors', 'untried'] as const;
const PoolActs = z.union([z.literal('everything'), z.array(z.enum(ACTS)).min(1)]);

/** `of` examples, `k` of which …, with Clopper and Pearson's 95 % interval; null where `of` is 0. */
export const Proportion = z.strictObject({
  k: count,
  of: count,
  value: share.nullable(),
  low: share.nullable(),
  high: share.nullable(),
});
export type Proportion = z.infer<typeof Proportion>;

/** A mean over documents, each counting alike, with an interval of 95 % that holds at any number of them; null: none. */
export const Mean = z.strictObject({
  documents: count,
  value: share.nullable(),
  low: share.nullable(),
  high: share.nullable(),
});

/** What came of a threshold on the test split, which nothing was fitted on. */
const Realised = z.strictObject({
  /** Answered among all examples, errors and closed gates included. */
  coverage: Proportion,
  /** Wrong among the answered ones with a label. */
  risk: Proportion,
  /** Answered, but no label says whether rightly. */
  unlabelled: count,
  /** Joint target: ended in silence among those known to be answerable. Null for other targets. */
  silence: Proportion.nullable(),
  /** The same by document: mean share answered, of answers wrong, of answerable ones in silence. */
  byDocument: z.strictObject({ coverage: Mean, risk: Mean, silence: Mean.nullable() }),
});
export type Realised = z.infer<typeof Realised>;

/** Mean over documents, where these are exchangeable. */
const Documents = z.strictObject({ n: count, share: share.nullable() }).nullable();

/** The fields of `CoverageThreshold`, `RiskThreshold` and `SilenceThreshold`; fractions are texts such as "1/40". */
const CoverageFound = z.strictObject({
  n: count,
  k: count,
  tau: share.nullable(),
  why: z.enum(WHYS),
  needed: count.nullable(),
  ties: count,
  open: count,
  documents: Documents,
});
const RiskFound = z.strictObject({
  n: count,
  unlabelled: count,
  tau: share.nullable(),
  why: z.enum(WHYS),
  answered: count,
  wrong: count,
  pValue: share,
  delta: z.string(),
  floor: count,
  needed: count.nullable(),
  documents: z
    .strictObject({
      n: count,
      answered: count,
      share: share.nullable(),
      test: z.enum(['drawn', 'bet']),
      stake: share.nullable(),
    })
    .nullable(),
});
const SilenceFound = z.strictObject({
  n: count,
  k: count,
  askUpTo: share.nullable(),
  why: z.enum(WHYS),
  needed: count.nullable(),
  silent: count,
  delta: z.string(),
  documents: Documents,
});

/** A pool of examples and what was found on it. */
const Pool = z.strictObject({
  acts: PoolActs,
  coverage: CoverageFound.optional(),
  risk: RiskFound.optional(),
  silence: SilenceFound.optional(),
});
export type ArtifactPool = z.infer<typeof Pool>;

/** Of the curve of an act. */
export const CURVE_POINTS = 50;

const ActRow = z.strictObject({
  act: z.enum(ACTS),
  /** Whose threshold it is: the act's own, its family's, everybody's, or nobody's. */
  rung: z.enum(RUNGS),
  /** The largest U that is answered. 0 is a threshold like any other; null: nothing is answered. */
  tau: share.nullable(),
  /** Joint target: U above tau and up to here is asked back, above it is silence. */
  askUpTo: share.nullable(),
  askRung: z.enum(RUNGS),
  /** Wider pools whose threshold was not borrowed, because the act's own examples speak against it. */
  vetoed: z.array(z.enum(['act', 'parent', 'global'])),
  /** What is promised, about which queries, and what is not. */
  sentence: z.string().min(1),
  /** The act's own examples, whether or not they sufficed. */
  own: Pool,
  /** The examples that the promises of tau and of askUpTo are about. */
  pool: Pool.nullable(),
  askPool: Pool.nullable(),
  test: Realised,
  /**
   * What other thresholds would have come to on the test split: U, and up to it answered, of these wrong, of these without
   * a label. At U 0 stands what is answered at any threshold; at most `CURVE_POINTS` in all.
   */
  curve: z.array(z.tuple([share, count, count, count])),
});
export type ActRow = z.infer<typeof ActRow>;

const Split = z.strictObject({
  /** Those that were used; groups, errors and what is unlabelled are counted among them. */
  examples: count,
  /**
   * Further ones with a history or filters. Nothing is promised for such queries, so that they set and test no
   * threshold; 0 of tune, where the score is fitted on all.
   */
  restricted: count,
  groups: count,
  /** What they count as: groups that share documents or questions are one, see `documentsAmong`. */
  documents: count,
  /** Examples that name no document; each counts as a group of its own. */
  ungrouped: count,
  /** Examples whose measurement failed: not answered, and part of every denominator. */
  errors: count,
  /** Examples of which no label says whether their answer is wrong. */
  unlabelled: count,
  /** SHA-256 of the ids, sorted, one a line; here and in `ties` the restricted ones are there too. */
  ids: z.string(),
  /** Short hashes of their groups, documents and questions, sorted, in a row: evaluation refuses what was fitted on. */
  ties: z.string().regex(/^[0-9a-f]*$/),
});

/** `shown`: labels with patterns, steps or a verdict were among the examples, which are judged by these instead. */
const bySome = { shown: z.literal(true).optional() };
export const WrongRuleText = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('em'), ...bySome }),
  z.strictObject({ kind: z.literal('f1'), least: level, ...bySome }),
]);

/** What the thresholds hold for, and nothing else. */
const ValidFor = MadeWith.extend({
  decider: z.enum(DECIDERS),
  planner: z.string().nullable(),
  utilities: Utilities.nullable(),
  /** Null where the score does without a language model. */
  sampler: SamplerSettings.nullable(),
});

/** Where the gates closed when the examples were measured; they close there when it is used. */
const Limits = z.strictObject({
  queryChars: z.number(),
  verification: z.number(),
});

/** How the score was fitted, on the tune split alone, or how a planner ranks it. */
const Fit = z.strictObject({
  /** Labelled examples that could be answered. */
  examples: count,
  /** What was never divided between folds: groups, those that share documents or questions as one. */
  groups: count,
  /**
   * On tune, loss wrong or not; the formula's on the examples that chose its weights, the learned score's on groups left
   * out, and so those of a planner that was fitted on tune.
   */
  aurc: share,
  augrc: share,
  /** On groups left out; null for the formula, whose U is no probability. */
  brier: share.nullable(),
  logLoss: z.number().nullable(),
  ridge: z.number().nullable(),
  /** Standard errors of the learned weights, which are per standard deviation, in log odds of being right. */
  standardErrors: z.record(z.string(), z.number()).nullable(),
  /** Points of the grid of weights that did equally well. */
  tied: count.nullable(),
  /**
   * Temperatures of the formula, see `fitTemperatures`; `used` where they lower AUGRC on groups left out. Null for other
   * scores, and where no temperature could be tried.
   */
  temperatures: z
    .strictObject({
      answer: z.number().positive(),
      entailment: z.number().positive(),
      logLoss: z.strictObject({ without: z.number(), with: z.number() }),
      augrc: z.strictObject({ without: share, with: share }),
      used: z.boolean(),
    })
    .nullable(),
  /** Learned score: what a language model's samples are worth on groups left out, see `fitSampled`; null without any. */
  samples: z
    .strictObject({
      logLoss: z.strictObject({ without: z.number(), with: z.number() }),
      standardError: z.number(),
      used: z.boolean(),
    })
    .nullable(),
});
export type Fit = z.infer<typeof Fit>;

export const CALIBRATION_SCHEMA = 'pragaura.calibration/10';

export const CalibrationArtifact = z.strictObject({
  schema: z.literal(CALIBRATION_SCHEMA),
  /** `program`: hash over the code that decides, see `programHash`. */
  createdBy: z.strictObject({ package: z.string(), version: z.string(), program: z.string() }),
  target: z.enum(['coverage', 'risk', 'joint']),
  /** Whether acts have thresholds of their own, or all have one. */
  scope: z.enum(['acts', 'global']),
  level,
  /** Chance, over calibrations, that a promise on risk or silence fails; null for coverage, which is an average. */
  delta: level.nullable(),
  /** Joint target: most of the answerable queries that may end in silence. */
  askLevel: level.nullable(),
  wrong: WrongRuleText,
  /** What promises are about: a question of a new document, or (also where no two examples share a document) any. */
  exchangeable: z.enum(['documents', 'questions']),
  /** What is promised, in plain words. */
  sentence: z.string().min(1),
  score: UncertaintyScore,
  limits: Limits,
  acts: z.array(ActRow).length(ACTS.length),
  /** All acts together: everybody's threshold if it was reached, and what the thresholds of all acts came to on test. */
  global: z.strictObject({ pool: Pool, test: Realised }),
  fit: Fit,
  splits: z.strictObject({
    seed: z.number().int(),
    /** Wanted parts; test is 0 where a file of its own was given. */
    shares: z.strictObject({ tune: z.number(), calibrate: z.number(), test: z.number() }),
    testFile: z.boolean(),
    tune: Split,
    calibrate: Split,
    test: Split,
  }),
  validFor: ValidFor,
  /** Names and order of the features that the code had. */
  features: z.array(z.enum(FEATURES)),
  /** SHA-256 over the canonical JSON of everything else. */
  integrity: z.string(),
});
export type CalibrationArtifact = z.infer<typeof CalibrationArtifact>;

/** What `integrity` of an artifact must be: SHA-256 over the canonical JSON of all its other fields. */
export function integrityOf(artifact: object): string {
  const { integrity: _, ...rest } = artifact as { integrity?: unknown };
  return canonicalHash(rest);
}
