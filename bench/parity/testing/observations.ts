/** Observations made up by rule, for tests. */

import type { Observation } from '../../../calibration/index.ts';
import { type Random, seededRandom } from '../../../common/index.ts';
import type { Act, Budget } from '../../../profiles/index.ts';
import { FEATURES, type FeatureName } from '../../../router/index.ts';

export const BUDGET: Budget = {
  docsScored: 60,
  rerankPairs: 20,
  nliPairs: 24,
  contextTokens: 4096,
  ms: null,
};

export interface Made {
  id: string;
  group?: string;
  act?: Act;
  right?: boolean;
  features?: Partial<Record<FeatureName, number | null>>;
  closed?: Observation['closed'];
  error?: string;
  /** Rank of the gold document, from 1; null: not seen. */
  rank?: number | null;
  budget?: Budget;
  spent?: Partial<Budget>;
  opinion?: Observation['opinion'];
}

export function observation(made: Made): Observation {
  const { id, group = 'g', act = 'FACT', right = true, rank = 1, budget = BUDGET } = made;
  const failed = made.error !== undefined;
  const features = Object.fromEntries(FEATURES.map((name) => [name, null])) as Record<
    FeatureName,
    number | null
  >;
  const amounts = {
    docsScored: budget.docsScored,
    rerankPairs: budget.rerankPairs,
    nliPairs: 20,
    contextTokens: 4000,
    ...made.spent,
  };
  const docs = Array.from({ length: 20 }, (_, i) => `other ${i}`);
  if (rank !== null) docs[rank - 1] = 'gold';
  return {
    schema: 'pragaura.observation/3',
    key: id,
    example: {
      id,
      query: `What is ${id}?`,
      group,
      answers: ['gold answer'],
      passages: ['gold'],
      grades: [1],
    },
    error: made.error ?? null,
    act: failed ? null : act,
    closed: made.closed ?? null,
    features: failed ? null : { ...features, answerScore: 0.5, D: 0.2, C: 0.2, E: 0.8, ...made.features },
    sources: null,
    planning: null,
    candidate: failed
      ? null
      : {
          text: right ? 'The gold answer' : 'nonsense',
          claim: 'claim',
          docId: 'gold',
          passageId: 'gold:0',
          support: 1,
        },
    ranking: failed ? [] : docs.map((docId) => ({ docId, passageId: `${docId}:0` })),
    receipt: failed
      ? null
      : { budget, spent: { ...amounts, ms: 1 } as NonNullable<Observation['receipt']>['spent'], stages: [] },
    ...(made.opinion && { opinion: made.opinion }),
  };
}

/**
 * A world in which D and C are noise, E tells right from wrong, and more so does the margin: P(right) rises with
 * `quality`, which both see.
 */
export function world(
  n: number,
  seed: number,
  change: (made: Made, random: Random) => Made = (made) => made,
): Observation[] {
  const random = seededRandom(seed);
  return Array.from({ length: n }, (_, i) => {
    const quality = random();
    const made: Made = {
      id: `q${i}`,
      group: `g${i % Math.ceil(n / 8)}`,
      act: (['FACT', 'QUANTITY', 'DEFINITION'] as const)[i % 3]!,
      right: random() < quality,
      rank: random() < 0.9 ? 1 + Math.floor(random() * 12) : null,
      features: {
        D: random(),
        C: random() * 0.3,
        E: Math.min(1, Math.max(0, quality + 0.5 * (random() - 0.5))),
        margin: quality * 4 + random() - 2,
        answerScore: quality,
      },
    };
    return observation(change(made, random));
  });
}
