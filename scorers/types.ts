/**
 * `exact`: sums of 8-bit products are what they are on paper, those of floats are fused; `saturating`: some 8-bit sums
 * are cut off; `unfused`: exact in 8 bits, floats rounded in between. Scores of one arithmetic are the same to the bit on
 * all x86-64 processors; other processors have their name behind it.
 */
export type Sums = 'exact' | 'saturating' | 'unfused';

export type Arithmetic = Sums | `${Sums} ${string}`;

/** What the scoring room promises to its callers. Everything runs on inference threads, never on the caller's. */

export type Provider = 'cpu' | 'webgpu' | 'cuda';
export type Job = 'embed' | 'rerank' | 'read' | 'nli';

/** `signal`: the caller has gone away, skip what has not started. `deadline`: epoch milliseconds. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  deadline?: number | undefined;
}

/**
 * `title`: of the document that the passage is from. `heading`: that it stands under, read before its words and no part of
 * any span. A model that takes no titles leaves both out.
 */
export interface QueryPassage {
  query: string;
  passage: string;
  title?: string | undefined;
  heading?: string | undefined;
}

export interface PremiseHypothesis {
  premise: string;
  hypothesis: string;
}

/**
 * What every score says about the text behind it: word pieces of its texts that some window covered, each
 * counted once, and those that none covered. A title counts where the model takes titles.
 */
export interface Scored {
  tokens: number;
  truncatedTokens: number;
}

/** `score`: relevance in [0, 1] (sigmoid of the logit `logit`). */
export interface Relevance extends Scored {
  score: number;
  logit: number;
}

/** A stretch of the passage: UTF-16 offsets into it, `text` being exactly that slice; `score`: start + end logit. */
export interface Span {
  text: string;
  start: number;
  end: number;
  score: number;
}

/**
 * An extractive reading. `best` is null only when the passage holds no word. `noAnswer`: start + end logit of
 * "no answer here". `margin` = best.score - noAnswer (negative: the reader would rather not answer;
 * -100 where `best` is null).
 * `alternatives`: further non-overlapping spans, best first. `lead`: the margin of `best` less that of the next one, each in
 * its own window; null where there is none.
 */
export interface Reading extends Scored {
  best: Span | null;
  alternatives: Span[];
  lead: number | null;
  noAnswer: number;
  margin: number;
}

/** Probabilities that sum to one. */
export interface Entailment extends Scored {
  entailment: number;
  neutral: number;
  contradiction: number;
}

/** Which model does a job, and where models lie. */
export interface ModelChoice {
  /** Model name per job, from the lock file; default: the lock file's `defaults`. */
  models?: Partial<Record<Job, string>>;
  /** Folder of `models.lock.json` and the weights; default: the package's own. */
  modelsDir?: string;
}

export interface ScorersOptions extends ModelChoice {
  /** Inference threads; default: one a core, at most 4; on a device 1. */
  threads?: number;
  /** Default `cpu`. Falls back to `cpu`, announced, when it cannot run here. */
  provider?: Provider;
  /** Only these jobs are needed: models of others are not loaded. Default: all. */
  jobs?: readonly Job[];
  /**
   * For measurements: whether weights are taken as unsigned. Default: where this processor would cut off sums of products
   * otherwise, see `ScorersInfo.widened`.
   */
  widen?: boolean;
  /**
   * For measurements: `false` leaves a softmax to the runtime, whose sums are other ones on wider processors. Models that
   * are run so have another identity. Default: it is written out.
   */
  softmax?: boolean;
  /** Told, once, of a provider fallback and the like. */
  announce?: (message: string) => void;
  /** Told of every batch that goes to a thread. Must be quick and throw nothing. */
  onBatch?: (batch: Batch) => void;
  /** Told, for every batch that comes back, the milliseconds that its thread was inside the runtime. As quick. */
  onRun?: (ms: number) => void;
}

/** `fill`: its word pieces (padded, where the model stacks) as a share of the most that a batch may have, from 0; one long sequence may be more than 1. */
export interface Batch {
  model: string;
  sequences: number;
  fill: number;
}

export interface ScorersInfo {
  threads: number;
  requestedProvider: Provider;
  provider: Provider;
  /** How 8-bit products are summed: scores of two arithmetics are not the same. On a device its provider's name. */
  arithmetic: Arithmetic | Provider;
  /** Whether sums are exact only because weights are taken as unsigned: this processor lacks VNNI, and is slower for it. */
  widened: boolean;
  /** `sha256`: of everything about the model that its scores depend on, not of its weights alone. */
  models: Partial<Record<Job, { name: string; sha256: string }>>;
  /** Word pieces of a title, and of a heading, that the reader takes at most; 0 where it takes no titles. */
  titleTokens: number;
  /**
   * How many passages are worth reading once `early` has ranked them; null where the reader has no `early`, or another
   * model re-ranks.
   */
  keep: number | null;
}

/**
 * A pool of inference threads behind one micro-batcher. Results come in the order of the inputs. Every call throws
 * PragauraError: CONFIGURATION for a job that was not opened; ABORTED and DEADLINE_EXCEEDED as its options say;
 * SCORING_FAILED when a text failed twice, no thread can be started, or the scorers are closed.
 */
export interface Scorers {
  readonly info: ScorersInfo;
  /**
   * Unit vectors of the embedder's dimension (zero where the model gives zero). A text is cut, silently, at the most
   * tokens that the embedder takes.
   */
  embed(texts: readonly string[], options?: CallOptions): Promise<Float32Array[]>;
  /**
   * A first look, by the lower half of the reader: half the price of a reading. The same pair objects given to `rerank`
   * and `read` afterwards are not looked at again. Throws CONFIGURATION where the re-ranker is whole.
   */
  early(pairs: readonly QueryPassage[], options?: CallOptions): Promise<Relevance[]>;
  rerank(pairs: readonly QueryPassage[], options?: CallOptions): Promise<Relevance[]>;
  read(pairs: readonly QueryPassage[], options?: CallOptions): Promise<Reading[]>;
  nli(pairs: readonly PremiseHypothesis[], options?: CallOptions): Promise<Entailment[]>;
  /**
   * Word pieces of a text, without special tokens; synchronous, on the caller's thread. By the tokenizer of the first
   * job that is open, of embed, rerank, read, nli; 0 where none is.
   */
  countTokens(text: string): number;
  /** Takes no further calls, lets those under way finish, then ends the threads. */
  close(): Promise<void>;
}
