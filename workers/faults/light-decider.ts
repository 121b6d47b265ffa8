/**
 * Decides without models: a decision of the usual shape and size, computed from the query alone. It stands in where ten
 * thousand jobs must pass through faults, because what is tested there is the queue and not the scores.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PragauraError } from '../../common/index.ts';
import { ACTS, type Act } from '../../profiles/index.ts';
import type { Decision, Query, ValidFor } from '../../router/index.ts';
import { configurationOf } from '../queue/index.ts';
import type { Decider } from '../worker/types.ts';

export interface LightOptions {
  /** Mean milliseconds of a query; single ones take from nothing to twice that. */
  meanMs: number;
  /** Two that differ here decide differently, as two calibrations do. */
  variant: string;
}

export interface LightDecider extends Decider {
  /** Every query in flight fails as it does when an inference thread has died over it twice. Gives how many. */
  failInFlight(): number;
}

/** A query that begins so cannot be decided, however often it is tried. */
export const POISON = 'POISON ';

export function lightDecider({ meanMs, variant }: LightOptions): LightDecider {
  const inFlight = new Set<AbortController>();
  const versions: Decision['versions'] = {
    index: hash('index'),
    models: { light: `light@${hash(variant)}` },
    arithmetic: 'exact',
    profiles: hash('profiles'),
    layers: hash('layers'),
    vocabulary: null,
    graph: null,
    planner: null,
    calibration: null,
  };
  const { calibration: _, ...parts } = versions;
  const made: ValidFor = {
    ...parts,
    policy: 'act',
    budget: BUDGET,
    decider: 'thresholds',
    utilities: null,
    sampler: null,
  };
  return {
    configuration: configurationOf({ versions, validFor: made, cautious: null }),
    made,
    budgetMs: null,
    async route(query, { signal }) {
      const died = new AbortController();
      inFlight.add(died);
      const startedAt = performance.now();
      try {
        const stop = signal === undefined ? died.signal : AbortSignal.any([died.signal, signal]);
        await sleep(2 * meanMs * unit('service', query.id), undefined, { signal: stop });
        if (query.query.startsWith(POISON)) throw new PragauraError('INVALID_INPUT', 'This query is poison.');
        return decide(query, versions, performance.now() - startedAt);
      } catch (error) {
        if (died.signal.aborted) throw new PragauraError('SCORING_FAILED', 'the inference thread died');
        if (signal?.aborted) throw new PragauraError('ABORTED', 'The caller cancelled.');
        throw error;
      } finally {
        inFlight.delete(died);
      }
    },
    expired: (query) => ({
      ...decide(query, versions, 0),
      action: 'ABSTAIN',
      answer: undefined,
      abstention: {
        reason: 'DEADLINE_EXCEEDED',
        message: 'The deadline has passed.',
        suggestions: [],
        kind: 'OTHER',
      },
    }),
    failInFlight() {
      const struck = inFlight.size;
      for (const died of inFlight) died.abort();
      return struck;
    },
  };
}

const BUDGET = { docsScored: 40, rerankPairs: 20, nliPairs: 24, contextTokens: 4_000, ms: null };

/** Numbers and texts of every kind that JSON knows: a store that touches them shows. */
function decide(query: Query, versions: Decision['versions'], ms: number): Decision {
  const of = (name: string) => unit(name, versions.models.light!, query.id, query.query);
  const isAnswer = of('action') < 0.5;
  const text = `Ünïcode "quoted" \\ \u2028 \ud83d\ude00 ${hash('text', query.query)}`;
  const spent = { docsScored: 30, rerankPairs: 20, nliPairs: 12, contextTokens: 1_200 };
  return {
    schema: 'pragaura.decision/4',
    id: query.id,
    query: query.query,
    action: isAnswer ? 'ANSWER' : 'ABSTAIN',
    act: {
      label: 'FACT',
      probabilities: Object.fromEntries(ACTS.map((act) => [act, of(act) * 1e-21])) as Record<Act, number>,
      confident: true,
    },
    ...(isAnswer && {
      answer: {
        form: 'span',
        text,
        quotes: [{ text, docId: 'd', passageId: 'd#1', start: 0, end: text.length, role: 'answer' }],
        verdict: null,
        cut: null,
        band: 'HIGH',
        claim: text,
      },
    }),
    parts: [],
    evidence: Array.from({ length: 2 }, (_, place) => ({
      docId: 'd',
      passageId: `d#${place}`,
      start: 0,
      end: text.length,
      text,
      title: '',
      genre: 'narrative',
      source: 'd.md',
      position: '1:1',
      branches: ['lexical' as const],
      scores: {
        lexical: of(`lexical${place}`),
        dense: null,
        fused: of(`fused${place}`),
        relevance: -of('relevance') * 1e-7,
        margin: 0.1 + 0.2,
        entailment: 1,
        contradiction: 0,
      },
    })),
    ...(!isAnswer && {
      abstention: {
        reason: 'NO_SUPPORTED_ANSWER',
        message: 'Nothing supports it.',
        suggestions: [text],
        kind: 'NOTHING',
      },
    }),
    state: null,
    layers: [],
    caveats: [],
    defaults: [],
    votes: [],
    graph: null,
    plan: null,
    signals: {
      D: of('D'),
      C: 0,
      E: null,
      counts: {
        branchAnswers: 2,
        distinctAnswers: 1,
        duplicatesRemoved: 0,
        independentSources: 2,
        offTopicPairs: 0,
        pairsScored: 12,
        pairsDenied: 0,
        truncatedTokens: 0,
      },
    },
    U: of('U'),
    tau: null,
    guarantee: { status: 'NOT_CALIBRATED', sentence: 'Nothing is promised.' },
    receipt: {
      budget: BUDGET,
      spent: { ...spent, ms },
      stages: [{ stage: 'light', granted: spent, spent, ms }],
    },
    timings: { light: ms, total: ms },
    versions,
  };
}

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** In [0, 1), all 52 bits of it. */
function unit(...parts: string[]): number {
  return Number.parseInt(hash(...parts).slice(0, 13), 16) / 2 ** 52;
}
