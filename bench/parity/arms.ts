/** What is run on every question: policies under budgets. Data, not code. */
import type { Budget, CountedUnit } from '../../profiles/index.ts';
import type { Policy } from '../../router/index.ts';

/** `policies`: the arms of issue and paper at one budget; `paper`: the paper's own settings; `budgets`: a sweep. */
export const PARTS = ['policies', 'paper', 'budgets'] as const;
export type Part = (typeof PARTS)[number];

export interface Arm {
  /** Stands in file names. */
  name: string;
  about: string;
  part: Part;
  policy: Policy;
  /** Only what differs from the package's budget. */
  budget: Partial<Budget>;
  /** `general`: the package's profiles without their act-specialised branches. */
  profiles: 'own' | 'general' | { readonly folder: string };
  /** Share of questions whose act is taken for another. */
  noise: number | null;
}

export const NOISE_SEED = 15;

const plain = { budget: {}, profiles: 'own', noise: null } as const;

/** Word pieces that go with one re-ranked passage in the package's own budget. */
export function paperBudget(own: Budget, docsScored: number, depth: number): Partial<Budget> {
  const tokens = Math.round((depth * own.contextTokens) / own.rerankPairs);
  return { docsScored, rerankPairs: depth, contextTokens: tokens };
}

function scaled(own: Budget, factor: number): Partial<Budget> {
  const part = (unit: CountedUnit) => Math.round(own[unit] * factor);
  return {
    docsScored: part('docsScored'),
    rerankPairs: part('rerankPairs'),
    nliPairs: part('nliPairs'),
    contextTokens: part('contextTokens'),
  };
}

/**
 * All arms over the package's own budget. The paper's budgets are 40 documents re-ranked to depth 40 for its baseline
 * and 55 to depth 50 for its own method (its Table 1); both policies are run under both, so that what the budget is
 * worth can be told from what the policy is worth.
 */
export function armsOver(own: Budget): Arm[] {
  const paper40 = paperBudget(own, 40, 40);
  const paper55 = paperBudget(own, 55, 50);
  return [
    { ...plain, name: 'uniform', about: 'uniform', part: 'policies', policy: 'uniform' },
    { ...plain, name: 'act', about: 'act-conditioned', part: 'policies', policy: 'act' },
    {
      ...plain,
      name: 'act-general',
      about: 'act-conditioned without special branches',
      part: 'policies',
      policy: 'act',
      profiles: 'general',
    },
    {
      ...plain,
      name: 'act-noise',
      about: 'act-conditioned, 15 % label noise',
      part: 'policies',
      policy: 'act',
      noise: 0.15,
    },
    ...(['uniform', 'act'] as const).flatMap((policy): Arm[] => [
      {
        ...plain,
        name: `${policy}-40`,
        about: `${policy}, 40 documents, depth 40`,
        part: 'paper',
        policy,
        budget: paper40,
      },
      {
        ...plain,
        name: `${policy}-55`,
        about: `${policy}, 55 documents, depth 50`,
        part: 'paper',
        policy,
        budget: paper55,
      },
      {
        ...plain,
        name: `${policy}-half`,
        about: `${policy}, half the budget`,
        part: 'budgets',
        policy,
        budget: scaled(own, 0.5),
      },
      {
        ...plain,
        name: `${policy}-double`,
        about: `${policy}, twice the budget`,
        part: 'budgets',
        policy,
        budget: scaled(own, 2),
      },
    ]),
  ];
}

/** Pairs of arms that are compared, the first less the second; where their certificate allows it. */
export const COMPARISONS: readonly (readonly [string, string])[] = [
  ['act', 'uniform'],
  ['act', 'act-general'],
  ['act-noise', 'act'],
  ['act-noise', 'uniform'],
  ['act-55', 'uniform-40'],
  ['act-40', 'uniform-40'],
  ['act-55', 'uniform-55'],
  ['act-half', 'uniform-half'],
  ['act-double', 'uniform-double'],
];
