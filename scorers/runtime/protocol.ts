/** What passes between the pool and its inference threads. */
import type { Provider } from '../types.ts';
import type { ProcessorSums } from './arithmetic.ts';

/**
 * `row`: `width` numbers for each sequence; `tokens`: `width` numbers a token; `mean` and `first`: a row of `width` a token, of
 * which the tokens' average or the first token's is taken.
 */
export interface OutputSpec {
  name: string;
  kind: 'row' | 'tokens' | 'mean' | 'first';
  width: number;
}

export interface ThreadModel {
  name: string;
  weights: Uint8Array<SharedArrayBuffer>;
  /** Computed for every sequence: the trunk costs, the heads do not. */
  outputs: readonly OutputSpec[];
  /** Every output that the lock file knows; a graph with others is refused. */
  declared: readonly string[];
  batching: 'single' | 'stacked';
  /** The upper half of a graph: its input in place of word pieces, `width` numbers a token. */
  takes?: { name: string; width: number } | undefined;
}

/** Given to a thread as its workerData. */
export interface ThreadSetup {
  provider: Provider;
  /** See `ScorersOptions`. */
  widen?: boolean | undefined;
}

/** The first message to a thread: what it is to run. It comes up while the files are still read and checked. */
export interface LoadRequest {
  load: readonly ThreadModel[];
}

/** Sequences laid end to end. `seconds[i]`: the place in sequence i from which on the token type is 1. */
export interface BatchRequest {
  id: number;
  model: string;
  ids: Int32Array<ArrayBuffer>;
  lengths: Int32Array<ArrayBuffer>;
  seconds: Int32Array<ArrayBuffer>;
  /** For an upper half: what its lower half made of the tokens. */
  hidden?: Float32Array<ArrayBuffer> | undefined;
}

export type ToThread = LoadRequest | BatchRequest | 'close';

/** Each output as specified, the sequences' numbers laid end to end. */
export interface BatchReply {
  id: number;
  /** Milliseconds inside the runtime. */
  ms: number;
  outputs: Float32Array<ArrayBuffer>[];
}

export interface BatchFailure {
  id: number;
  failed: string;
}

/** `sums`: null on a device. */
export interface Ready {
  ready: true;
  sums: ProcessorSums | null;
}

export type FromThread = Ready | { unusable: string; model: string } | BatchReply | BatchFailure;
