import type { Act } from '../../profiles/index.ts';
import type { Fraction, Level } from '../levels/level.ts';

/** One example as thresholds see it. */
export interface Scored {
  /** Predicted act, or that in whose form the answer is asked for; null where the query could not be decided at all: it then counts in the pool of everything only. */
  act: Act | null;
  /** Uncertainty, finite; null: a gate was closed or nothing was scored, so that no threshold answers it. */
  U: number | null;
  /** What the bar between ASK and ABSTAIN is held against, in [0, 1], where that is not U. */
  silence?: number | null;
  /** Would its answer be wrong? Null: no label says so. */
  wrong: boolean | null;
  /** Does the corpus hold an answer? Null or absent: no label says so. Only the joint target looks at it. */
  answerable?: boolean | null;
  /** True when its closed gate asks back whatever the threshold, so that it never ends in silence. */
  asked?: boolean;
  /** What its document is called, see `documentsAmong`; absent: it is the only example of its document. */
  group?: string;
  /** A number that has nothing to do with what was measured: of a document's answers the one with the least is drawn. */
  draw?: number;
}

/**
 * What is exchangeable with the queries to come. `documents`: documents are (the `group` of items), and within each
 * its questions; a promise is about a question of a new document, and every document counts alike. `questions`: every
 * question by itself, whatever document it is about; true when queries to come are about the documents calibrated on, in
 * like shares.
 */
export type Exchangeable = 'documents' | 'questions';

/**
 * Which pool of examples a threshold was earned on.
 *
 * `act`: the examples of this predicted act; the promise is about this act. `parent`: the examples of the act's
 * family (its parent and all acts with that parent). `global`: all examples. `none`: no pool reaches the level, and
 * nothing is answered (or asked).
 *
 * A promise is about the pool, not about the act that borrows it. At `parent` and `global` it says: over all queries
 * of the pool, were each of them held to this threshold, the level is kept. How often the level is kept among the
 * borrowing act's own queries is not known, and nothing is promised about it. An act borrows no threshold under which
 * its own examples already contradict the level (risk) beyond chance.
 */
export type Rung = 'act' | 'parent' | 'global' | 'none';

/** The acts that a pool gathers; 'everything': all examples, those without an act included. */
export type PoolActs = readonly Act[] | 'everything';

/**
 * Why a pool has its threshold or has none. `too-few`: with so many examples (risk: answered at the threshold tested
 * first) no outcome could have reached the level, and more may. `gates`: closed gates alone leave too few answered,
 * whatever the threshold. `errors`: there were examples enough, but too many of them went wrong. `untried`: the tune
 * split said that the pool could not pass, so that nothing of delta was spent on it.
 */
export type Why = 'reached' | 'too-few' | 'gates' | 'errors' | 'untried';

/** Split conformal on one pool. */
export interface CoverageThreshold {
  /** Examples. */
  n: number;
  /** Rank that tau has: ceil((n + 1) * level). Above n: no threshold. */
  k: number;
  tau: number | null;
  why: Why;
  /** Further examples without which the level cannot be reached; 0: enough; null: no number would do (`gates`). */
  needed: number | null;
  /** Examples beside the k-th whose score is exactly tau: with ties the realised coverage lies above the promise. */
  ties: number;
  /** Examples with open gates: open / n is the largest coverage that any threshold has here. */
  open: number;
  /**
   * Documents, and the mean over them of the share of their examples that tau answers (null without tau). `needed`
   * then counts documents. Null: examples were taken as exchangeable.
   */
  documents: { n: number; share: number | null } | null;
}

/** How the risk at a threshold was tested over documents. */
export interface RiskDocuments {
  /** Documents with a labelled example. */
  n: number;
  /** Documents with a labelled answer, and the mean over these of the share of wrong ones (null without any). */
  answered: number;
  share: number | null;
  /** `drawn`: binomial, over one answer drawn from each document; `bet`: by betting on the shares of all of them. */
  test: 'drawn' | 'bet';
  /** Part of the capital staked; null for `drawn`. */
  stake: number | null;
}

/** Learn-Then-Test on one pool. */
export interface RiskThreshold {
  /** Labelled examples. */
  n: number;
  /** Examples with open gates left out because no label says whether their answer is wrong. */
  unlabelled: number;
  tau: number | null;
  why: Why;
  /** Labelled examples answered at tau (without tau: at the threshold tested first), and how many of them wrong. */
  answered: number;
  wrong: number;
  /** How surprising so few errors would be, at most, if the risk were above the level: P(Binomial(answered, level) <= wrong). */
  pValue: number;
  /** The share of delta that the deciding test had; `untried`: would have had. */
  delta: Fraction;
  /** Answered examples (documents with an answer) without which that test cannot pass, even without an error. */
  floor: number;
  /**
   * Without tau: further examples with which a test would pass at the rates of answers and errors seen here (an
   * estimate, never fewer than the floor asks for); null: at these rates no number would do. 0 with tau.
   */
  needed: number | null;
  /** `floor` and `needed` then count documents. Null: examples were taken as exchangeable. */
  documents: RiskDocuments | null;
}

/** The bar between ASK and ABSTAIN on one pool. */
export interface SilenceThreshold {
  /** Examples known to be answerable. */
  n: number;
  /** Rank of askUpTo among their uncertainties. */
  k: number;
  askUpTo: number | null;
  why: Why;
  /** As in CoverageThreshold. */
  needed: number | null;
  /** Of the n, those that end in silence at askUpTo (without it: at any threshold, because their gate is closed). */
  silent: number;
  delta: Fraction;
  /** As in CoverageThreshold; `share`: mean over documents of the share of their answerable examples in silence. */
  documents: { n: number; share: number | null } | null;
}

/** A pool with what it reached. Which of the three are there is said by the target. */
export interface Pool {
  acts: PoolActs;
  coverage?: CoverageThreshold;
  risk?: RiskThreshold;
  silence?: SilenceThreshold;
}

/** The thresholds of one act. */
export interface ActThreshold {
  rung: Rung;
  /** The largest U that is answered; null: nothing is. */
  tau: number | null;
  /** Joint target: what is not answered and up to here ASK, beyond ABSTAIN; never below tau. Null: no such bar. */
  askUpTo: number | null;
  /** Rung of askUpTo: like tau it may be borrowed, and then its promise is about that pool. */
  askRung: Rung;
  /** The act's own pool, whether or not it reached the level: n, k, needed. Scope 'global': everything. */
  own: Pool;
  /** The pools that the promises of tau and of askUpTo are about. */
  pool: Pool | null;
  askPool: Pool | null;
  vetoed: Exclude<Rung, 'none'>[];
}

interface Common {
  level: Level;
  /** Default 'documents', which is 'questions' where no two examples share a document. */
  exchangeable?: Exchangeable;
  /** 'global': one threshold for every act, which then has the whole of delta. Default 'acts'. */
  scope?: 'acts' | 'global';
}

export interface CoverageRequest extends Common {
  target: 'coverage';
  /**
   * Examples that an act or family must have for a threshold of its own, however few the level itself would need;
   * default LEAST_EXAMPLES. Of documents it must have so many or LEAST_DOCUMENTS, whichever is less.
   */
  least?: number;
}

export interface RiskRequest extends Common {
  target: 'risk';
  /** Most probability with which any threshold of the family may break its promise. */
  delta: Level;
  /** Examples of another split, with the same score: grids, first tests and shares of delta are planned on them. */
  tune: readonly Scored[];
}

export interface JointRequest extends Common {
  target: 'joint';
  delta: Level;
  tune: readonly Scored[];
  /** Most share of the answerable queries that may end in ABSTAIN. */
  ask: Level;
}

export type CalibrationRequest = CoverageRequest | RiskRequest | JointRequest;

/** A request whose tune split is yet to be drawn. */
export type Untuned = CalibrationRequest extends infer R
  ? R extends { tune: unknown }
    ? Omit<R, 'tune'>
    : never
  : never;

export interface ActThresholds {
  acts: Record<Act, ActThreshold>;
  global: Pool;
  /** Every pool that was looked at. */
  pools: Pool[];
}
