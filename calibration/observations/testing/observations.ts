/** Contexts and observations made by hand. Tests only. */
import { FEATURES, provisionalThresholds } from '../../../router/index.ts';
import type { Observation } from '../../types.ts';
import { type Context, idOf, keyOf } from '../key.ts';

export function contextWith(more: Partial<Context> = {}): Context {
  return {
    schema: 'pragaura.observation-context/3',
    index: 'i',
    models: { read: 'reader@1' },
    arithmetic: 'exact',
    profiles: 'p',
    policy: 'act',
    budget: { docsScored: 60, rerankPairs: 20, nliPairs: 24, contextTokens: 4096, ms: null },
    layers: 'l',
    vocabulary: null,
    graph: null,
    sampler: null,
    limits: provisionalThresholds().limits,
    program: 'c',
    ...more,
  };
}

export function observationOf(context: Context, query: string): Observation {
  return {
    schema: 'pragaura.observation/3',
    key: keyOf(idOf(context), { query }),
    example: { id: `id of ${query}`, query, group: 'g', answers: ['é\u2028"\\n'] },
    error: null,
    act: 'FACT',
    closed: null,
    asks: false,
    features: Object.fromEntries(FEATURES.map((name) => [name, 0.5])) as Observation['features'],
    sources: [{ q: 0.5, entailment: 0.5, contradiction: 0.1, chosen: true }],
    planning: null,
    candidate: { text: 'x', claim: 'It is x.', docId: 'd', passageId: 'd#0', support: null },
    ranking: [{ docId: 'd', passageId: 'd#0' }],
    receipt: null,
  };
}
