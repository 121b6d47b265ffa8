/** Made-up observations for tests. */
import { FEATURES, type FeatureName, provisionalThresholds, type Thresholds } from '../../../router/index.ts';
import type { Observation } from '../../types.ts';

const NO_FEATURES = Object.fromEntries(FEATURES.map((name) => [name, null])) as Record<
  FeatureName,
  number | null
>;

export interface Made {
  id?: string;
  group?: string;
  act?: Observation['act'];
  /** 1 - E, which is U under `byEntailment`; null: no features. */
  u?: number | null;
  right?: boolean;
  error?: string;
  closed?: Observation['closed'];
  asks?: boolean;
  candidate?: false;
  support?: number;
  label?: Partial<Observation['example']>;
  ranking?: Observation['ranking'];
  features?: Partial<Record<FeatureName, number>>;
}

let made = 0;

/** An answered, labelled observation, unless said otherwise. The gold answer is "gold". */
export function observed(given: Made = {}): Observation {
  const { u = 0.2, right = true, error, closed = null, label = {}, support = 1 } = given;
  const id = given.id ?? `q${made++}`;
  const measured = error === undefined && u !== null;
  return {
    schema: 'pragaura.observation/3',
    key: id,
    example: { id, query: `What is ${id}?`, answers: ['gold'], group: given.group ?? id, ...label },
    error: error ?? null,
    act: error === undefined ? (given.act ?? 'FACT') : null,
    closed: error === undefined ? closed : null,
    ...(given.asks === undefined ? {} : { asks: given.asks }),
    features: measured
      ? { ...NO_FEATURES, D: 0, C: 0, E: 1 - u, answerScore: 1 - u, ...given.features }
      : null,
    sources: null,
    planning: null,
    candidate:
      measured && given.candidate !== false
        ? { text: right ? 'gold' : 'lead', claim: 'It is.', docId: 'd1', passageId: 'd1#0', support }
        : null,
    ranking: given.ranking ?? [],
    receipt: null,
  };
}

/** U = 1 - E against one tau for every act. */
export function byEntailment(tau: number | null, askUpTo?: number): Thresholds {
  return {
    ...provisionalThresholds(),
    status: 'CALIBRATED',
    score: { kind: 'formula', weights: { alpha: 0, beta: 0, gamma: 1 } },
    tauFor: () => tau,
    ...(askUpTo === undefined ? {} : { askUpTo: () => askUpTo }),
    sentence: () => 'As the test has it.',
  };
}
