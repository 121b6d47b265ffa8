/** Policies under budgets that contenders decide on. Data, not code. */
import type { Budget } from '../../profiles/index.ts';
import { type Arm, armsOver, paperBudget } from '../parity/arms.ts';

/** Shares of the questions whose act is taken for another. */
export const NOISE = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4] as const;

/** The arm that decides with so many wrong acts. */
export function noiseArm(share: number): string {
  return share === 0 ? 'act' : `act-noise-${Math.round(share * 100)}`;
}

/** The two settings of the paper's Table 1 for a set: documents and depth. Whole documents: its 40.4 is a mean. */
function paperSettings(set: string): readonly (readonly [number, number])[] {
  return set.startsWith('hotpot')
    ? [
        [30, 3],
        [40, 4],
      ]
    : [
        [40, 40],
        [55, 50],
      ];
}

/** How many documents and pairs are granted, in an arm's name. */
export function settingsArm(policy: 'act' | 'uniform', docs: number, depth: number): string {
  return `${policy}-${docs}-${depth}`;
}

/** Both policies under the package's budget and under the paper's two; acts with noise. */
export function contenderArms(set: string, own: Budget): Arm[] {
  const known = armsOver(own);
  const act = known.find(({ name }) => name === 'act')!;
  const uniform = known.find(({ name }) => name === 'uniform')!;
  return [
    uniform,
    act,
    ...paperSettings(set).flatMap(([docs, depth]) =>
      [uniform, act].map((arm): Arm => {
        const about = `${arm.about}, ${docs} documents, depth ${depth}`;
        const budget = paperBudget(own, docs, depth);
        return { ...arm, name: settingsArm(arm.policy, docs, depth), about, part: 'paper', budget };
      }),
    ),
    ...NOISE.filter((share) => share > 0).map((share): Arm => {
      const about = `${act.about}, ${Math.round(share * 100)} % wrong acts`;
      return { ...act, name: noiseArm(share), about, noise: share };
    }),
  ];
}
