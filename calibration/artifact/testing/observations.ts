/** A world of observations, without a model. Tests only. */
import { seededRandom } from '../../../common/index.ts';
import type { Act } from '../../../profiles/index.ts';
import { FEATURES, type Features } from '../../../router/index.ts';
import type { Observation } from '../../types.ts';

/**
 * `n` labelled observations, ten to a document, acts by turns as `acts` has them. Answers are right with probability
 * E; D and C say nothing; the margin knows a little. `closed`: share whose gate is closed.
 */
export function observations(
  n: number,
  {
    acts = ['FACT'],
    seed = 1,
    closed = 0,
    change = {},
  }: { acts?: readonly Act[]; seed?: number; closed?: number; change?: Partial<Observation> } = {},
): Observation[] {
  const random = seededRandom(seed);
  return Array.from({ length: n }, (_, i) => {
    const [D, C, E, margin] = [random(), random(), random(), random()];
    const right = random() < 0.9 * E + 0.1 * margin;
    const shut = random() < closed;
    const features: Features = {
      ...(Object.fromEntries(FEATURES.map((name) => [name, 0.5])) as Features),
      ...{ D, C, E, margin },
    };
    const id = `${seed}-${i}`;
    const group = `doc-${seed}-${Math.floor(i / 10)}`;
    return {
      schema: 'pragaura.observation/3',
      key: id,
      example: { id, query: `question ${id}`, answers: ['yes'], answerable: true, group },
      error: null,
      act: acts[i % acts.length]!,
      closed: shut ? 'NO_SUPPORTED_ANSWER' : null,
      asks: false,
      features,
      sources: null,
      planning: null,
      candidate: { text: right ? 'yes' : 'no', claim: '', docId: group, passageId: `${group}#0`, support: 1 },
      ranking: [],
      receipt: null,
      ...change,
    };
  });
}

/** Not decided at all. */
export function failed(observation: Observation): Observation {
  return {
    ...observation,
    error: 'SCORING_FAILED',
    act: null,
    closed: null,
    features: null,
    sources: null,
    planning: null,
    candidate: null,
  };
}
