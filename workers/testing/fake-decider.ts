/** A decider without models: what it says depends on the query alone. Tests of delivery only. */
import type { Decision, Query, RouteOptions } from '../../router/index.ts';
import type { Decider } from '../worker/index.ts';

const NONE = { docsScored: 0, rerankPairs: 0, nliPairs: 0, contextTokens: 0 };

/** A decision that fits its schema. */
export function fakeDecision(
  { id, query }: Query,
  reason: 'NO_RESULTS' | 'DEADLINE_EXCEEDED' = 'NO_RESULTS',
): Decision {
  return {
    schema: 'pragaura.decision/4',
    id,
    query,
    action: 'ABSTAIN',
    act: {
      label: 'FACT',
      probabilities: {
        FACT: 1,
        QUANTITY: 0,
        DEFINITION: 0,
        EXPLANATION: 0,
        PROCEDURE: 0,
        COMPARISON: 0,
        OPINION: 0,
        VERIFICATION: 0,
        NOT_A_QUESTION: 0,
      },
      confident: true,
    },
    parts: [],
    evidence: [],
    abstention: { reason, message: 'There is nothing here.', suggestions: [], kind: 'OTHER' },
    state: null,
    layers: [],
    caveats: [],
    defaults: [],
    votes: [],
    graph: null,
    plan: null,
    signals: {
      D: null,
      C: null,
      E: null,
      counts: {
        branchAnswers: 0,
        distinctAnswers: 0,
        duplicatesRemoved: 0,
        independentSources: 0,
        offTopicPairs: 0,
        pairsScored: 0,
        pairsDenied: 0,
        truncatedTokens: 0,
      },
    },
    U: null,
    tau: null,
    guarantee: { status: 'NOT_CALIBRATED', sentence: 'Nothing is promised.' },
    receipt: { budget: { ...NONE, ms: null }, spent: { ...NONE, ms: 0 }, stages: [] },
    timings: { total: 0 },
    versions: {
      index: 'i',
      models: {},
      arithmetic: 'exact',
      profiles: 'p',
      layers: 'l',
      vocabulary: null,
      graph: null,
      planner: null,
      calibration: null,
    },
  };
}

export interface FakeDecider extends Decider {
  /** Ids of the queries in the order in which they were taken up. */
  readonly routed: string[];
}

/** `act`: what happens before a query is decided; its `signal` is the worker's. `seed` makes another configuration. */
export function fakeDecider(
  act: (query: Query, signal: AbortSignal) => Promise<void> | void = () => {},
  seed = 'a',
): FakeDecider {
  const routed: string[] = [];
  return {
    routed,
    configuration: seed.repeat(64).slice(0, 64),
    made: { seed },
    budgetMs: null,
    expired: (query) => fakeDecision(query, 'DEADLINE_EXCEEDED'),
    route: async (query: Query, { signal }: RouteOptions) => {
      routed.push(query.id);
      await act(query, signal!);
      return fakeDecision(query);
    },
  };
}
