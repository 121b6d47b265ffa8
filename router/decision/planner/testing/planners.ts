import { PLANNING_FEATURES, type PlannerFeatures, type PlannerModel, sealed } from '../index.ts';

const NONE = { ANSWER: 0, ASK: 0, ABSTAIN: 0 };

/** Nothing was measured but what is given. */
export function features(given: Partial<PlannerFeatures> = {}): PlannerFeatures {
  return {
    ...(Object.fromEntries(PLANNING_FEATURES.map((name) => [name, null])) as PlannerFeatures),
    ...given,
  };
}

/** One input, one tree: small enough to be worked out by hand. */
export function planner(given: Partial<PlannerModel> = {}): PlannerModel {
  const { schema: _, hash: __, ...more } = given;
  return sealed({
    temperature: 2,
    base: { ANSWER: 1, ASK: 0, ABSTAIN: -1 },
    linear: [
      {
        feature: 'E',
        mean: 0.5,
        scale: 0.25,
        weights: { ANSWER: 1, ASK: 0, ABSTAIN: -0.5 },
        missing: { ANSWER: -2, ASK: 0, ABSTAIN: 0 },
      },
    ],
    trees: [
      {
        feature: 'openConditions',
        at: 1,
        less: NONE,
        more: { ANSWER: -1, ASK: 3, ABSTAIN: 0 },
        missing: { ANSWER: 0, ASK: 0, ABSTAIN: 0.5 },
      },
    ],
    utilities: { wrong: 2, question: 1, silence: 1 },
    fitted: { kind: 'both', rows: 3, groups: 3, actions: { ANSWER: 1, ASK: 1, ABSTAIN: 1 }, quality: null },
    ...more,
  });
}
