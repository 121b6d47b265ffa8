import { describe, expect, it } from 'vitest';
import type { Utilities } from '../../contracts.ts';
import { choose, FEATURE_GROUPS, PLANNING_FEATURES, plan, readPlanner } from './index.ts';
import { features, planner } from './testing/planners.ts';

const softmax = (z: number[]): number[] => {
  const e = z.map(Math.exp);
  return e.map((each) => each / e.reduce((sum, one) => sum + one, 0));
};

describe('plan', () => {
  it('adds base, regression and trees, divides by the temperature and normalises', () => {
    const p = plan(planner(), features({ E: 0.75, openConditions: 2 }));
    // E lies one scale above its mean: 1+1-1, 0+0+3, -1-.5+0, over 2.
    const [answer, ask, abstain] = softmax([0.5, 1.5, -0.75]);
    expect(p.ANSWER).toBeCloseTo(answer!, 12);
    expect(p.ASK).toBeCloseTo(ask!, 12);
    expect(p.ABSTAIN).toBeCloseTo(abstain!, 12);
  });

  it('sends a threshold itself to more, and what was not measured a way of its own', () => {
    const at = plan(planner({ linear: [] }), features({ openConditions: 1 }));
    const below = plan(planner({ linear: [] }), features({ openConditions: 0.999 }));
    const missing = plan(planner({ linear: [] }), features());
    expect(at.ASK).toBeCloseTo(softmax([0, 1.5, -0.5])[1]!, 12);
    expect(below.ASK).toBeCloseTo(softmax([0.5, 0, -0.5])[1]!, 12);
    expect(missing.ABSTAIN).toBeCloseTo(softmax([0.5, 0, -0.25])[2]!, 12);
    const unmeasured = plan(planner({ trees: [] }), features());
    expect(unmeasured.ANSWER).toBeCloseTo(softmax([-0.5, 0, -0.5])[0]!, 12);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined as unknown as number])('refuses %s', (value) => {
    expect(() => plan(planner(), { ...features(), voices: value })).toThrow(/Feature voices is/);
  });

  it('says the same of large logits', () => {
    const base = { ANSWER: 4_000, ASK: 3_990, ABSTAIN: -4_000 };
    const p = plan(planner({ base, linear: [], trees: [] }), features());
    expect(p.ANSWER).toBeCloseTo(1 / (1 + Math.exp(-5)), 12);
    expect(p.ABSTAIN).toBe(0);
  });
});

describe('the list of features', () => {
  it('names each once', () => {
    expect(new Set(PLANNING_FEATURES).size).toBe(PLANNING_FEATURES.length);
    expect(PLANNING_FEATURES).toEqual(Object.values(FEATURE_GROUPS).flat());
  });
});

describe('choose', () => {
  const even: Utilities = { wrong: 1, question: 1, silence: 1 };

  it('takes the likeliest where all mistakes cost the same', () => {
    expect(choose({ ANSWER: 0.4, ASK: 0.35, ABSTAIN: 0.25 }, even)).toBe('ANSWER');
    expect(choose({ ANSWER: 0.3, ASK: 0.4, ABSTAIN: 0.3 }, even)).toBe('ASK');
  });

  it('answers only where 2 (1 - P(ANSWER)) is less than the least other cost', () => {
    const utilities = { ...even, wrong: 2 };
    // 2 (1 - .625) = 1 - .25: a tie is not answered.
    expect(choose({ ANSWER: 0.625, ASK: 0.25, ABSTAIN: 0.125 }, utilities)).toBe('ASK');
    expect(choose({ ANSWER: 0.66, ASK: 0.29, ABSTAIN: 0.05 }, utilities)).toBe('ANSWER');
    expect(choose({ ANSWER: 0.6, ASK: 0.25, ABSTAIN: 0.15 }, utilities)).toBe('ASK');
  });

  it('is careful where everything costs the same, and never takes what cannot be done', () => {
    expect(choose({ ANSWER: 1 / 3, ASK: 1 / 3, ABSTAIN: 1 / 3 }, even)).toBe('ABSTAIN');
    expect(choose({ ANSWER: 0.9, ASK: 0.06, ABSTAIN: 0.04 }, even, false)).toBe('ASK');
    expect(choose({ ANSWER: 0.1, ASK: 0.1, ABSTAIN: 0.8 }, { wrong: 0, question: 1, silence: 1 })).toBe(
      'ANSWER',
    );
  });

  it('refuses what is no probability', () => {
    expect(() => choose({ ANSWER: Number.NaN, ASK: 0, ABSTAIN: 1 }, even)).toThrow(/no probability/);
  });
});

describe('a planner file', () => {
  const text = (given?: object) => JSON.stringify({ ...planner(), ...given });

  it('is read as it was written, in any order of its names', () => {
    const written = planner();
    expect(readPlanner(JSON.stringify(written, null, 2), 'p.json')).toEqual(written);
    const reversed = Object.fromEntries(Object.entries(written).reverse());
    expect(readPlanner(JSON.stringify(reversed), 'p.json')).toEqual(written);
  });

  it.each([
    ['no JSON', '{', 'it is no JSON'],
    ['something else', '[]', 'it is no planner'],
    ['another schema', '{"schema":"pragaura.planner/9"}', 'of schema "pragaura.planner/9"'],
    ['a change', text({ temperature: 1 }), 'changed after it was written'],
    ['a hash of nothing', text({ hash: null }), 'its hash says nothing'],
  ])('refuses %s', (_, written, why) => {
    expect(() => readPlanner(written, 'p.json')).toThrow(why);
    expect(() => readPlanner(written, 'p.json')).toThrow(/^The planner p.json cannot be used/);
  });

  it('refuses other features, and says which', () => {
    const less = planner({ features: PLANNING_FEATURES.filter((name) => name !== 'distance') });
    expect(() => readPlanner(JSON.stringify(less), 'p')).toThrow('other features: without distance');
    const more = planner({ features: [...PLANNING_FEATURES, 'weather'] });
    expect(() => readPlanner(JSON.stringify(more), 'p')).toThrow(
      'weather that this program does not measure',
    );
    const turned = planner({ features: [...PLANNING_FEATURES].reverse() });
    expect(() => readPlanner(JSON.stringify(turned), 'p')).toThrow('the same in another order');
  });

  it('refuses what no schema allows, whatever its hash', () => {
    const odd = planner({ temperature: -1 });
    expect(() => readPlanner(JSON.stringify(odd), 'p')).toThrow(/temperature/);
    const bottomless = `{"schema":"pragaura.planner/1","trees":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(() => readPlanner(bottomless, 'p')).toThrow('nested too deeply');
    const chain = planner({ trees: [chainOf(2_000)] });
    expect(() => readPlanner(JSON.stringify(chain), 'p')).toThrow(/cannot be used: trees/);
  });
});

/** A tree of one long branch. */
function chainOf(depth: number) {
  const leaf = { ANSWER: 0, ASK: 0, ABSTAIN: 0 };
  let node = planner().trees[0]!;
  for (let i = 0; i < depth; i++) node = { feature: 'E', at: 0, less: node, more: leaf, missing: leaf };
  return node;
}
