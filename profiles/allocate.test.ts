import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { largestRemainder } from './allocate.ts';
import {
  ACTS,
  type Act,
  type ActDistribution,
  Allocation,
  type AllocationProfile,
  allocate,
  BRANCHES,
  type Budget,
  documentsOf,
  loadProfiles,
  type ProfileSet,
  profileSetOf,
} from './index.ts';

const SET = loadProfiles();
const QUESTIONS = ACTS.filter((act) => act !== 'NOT_A_QUESTION');

function distribution(weights: Partial<Record<Act, number>>, confident = false): ActDistribution {
  const sum = Object.values(weights).reduce((a, b) => a + b, 0);
  const probabilities = Object.fromEntries(ACTS.map((act) => [act, (weights[act] ?? 0) / sum]));
  const label = ACTS.reduce((best, act) => ((weights[act] ?? 0) > (weights[best] ?? 0) ? act : best));
  return { label, probabilities: probabilities as Record<Act, number>, confident };
}

const total = documentsOf;

/** At least one question act has some weight. */
const weights = fc
  .record(
    Object.fromEntries(ACTS.map((act) => [act, fc.nat({ max: 1000 })])) as Record<Act, fc.Arbitrary<number>>,
  )
  .filter((w) => QUESTIONS.some((act) => w[act] > 0));
const budget: fc.Arbitrary<Budget> = fc.record({
  docsScored: fc.nat({ max: 500 }),
  rerankPairs: fc.nat({ max: 100 }),
  nliPairs: fc.nat({ max: 100 }),
  contextTokens: fc.nat({ max: 20_000 }),
  ms: fc.constant(null),
});

describe('largest remainder', () => {
  it('gives what a hand calculation gives', () => {
    expect(largestRemainder([47_000, 16_000, 15_800, 12_000, 6_100, 3_100], 10)).toEqual([5, 2, 1, 1, 1, 0]);
    expect(largestRemainder([1, 1, 1], 10)).toEqual([4, 3, 3]);
    expect(largestRemainder([1, 1, 1], 2)).toEqual([1, 1, 0]);
    expect(largestRemainder([0, 0], 5)).toEqual([0, 0]);
    expect(largestRemainder([0.1, 0.2, 0.3], 60)).toEqual([10, 20, 30]);
    // 0.1 + 0.2 is a little more than 0.3: noise does not win a tie.
    expect(largestRemainder([0.3, 0.1 + 0.2], 1)).toEqual([1, 0]);
  });

  it('always gives out everything, each place its quota rounded down or up', () => {
    const shares = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(shares, fc.nat({ max: 100_000 }), (given, whole) => {
        const sum = given.reduce((a, b) => a + b, 0);
        fc.pre(sum > 1e-3);
        const out = largestRemainder(given, whole);
        expect(out.reduce((a, b) => a + b, 0)).toBe(whole);
        for (const [place, share] of given.entries()) {
          const quota = (share / sum) * whole;
          expect(Math.abs(out[place]! - quota)).toBeLessThan(1 + 1e-6);
        }
      }),
    );
  });

  it('leaves whole numbers that add up already as they are', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 8 }), (ks) => {
        expect(
          largestRemainder(
            ks,
            ks.reduce((a, b) => a + b, 0),
          ),
        ).toEqual(ks);
      }),
    );
  });
});

describe('a confident distribution', () => {
  it.each([...ACTS])('runs under the profile of %s', (act) => {
    const { blendedFrom, ...profile } = allocate(SET, distribution({ [act]: 6, OPINION: 2 }, true), 'act');
    expect(profile).toEqual(SET.profiles[act]);
    expect(blendedFrom).toEqual([{ act, weight: 1 }]);
  });
});

describe('policy uniform', () => {
  it('does not look at the act', () => {
    fc.assert(
      fc.property(weights, fc.boolean(), (w, confident) => {
        const { blendedFrom, ...profile } = allocate(SET, distribution(w, confident), 'uniform');
        expect(profile).toEqual(SET.profiles.UNIFORM);
        expect(blendedFrom).toEqual([{ act: 'UNIFORM', weight: 1 }]);
      }),
    );
  });
});

describe('an unsure distribution', () => {
  it('blends by probability, by hand', () => {
    const mixed = allocate(SET, distribution({ FACT: 0.5, QUANTITY: 0.25, NOT_A_QUESTION: 0.25 }), 'act');
    const { FACT: f, QUANTITY: q } = SET.profiles;
    expect(mixed.act).toBe('FACT');
    expect(mixed.blendedFrom.map((part) => part.act)).toEqual(['FACT', 'QUANTITY']);
    expect(mixed.blendedFrom[0]?.weight).toBeCloseTo(2 / 3, 12);
    for (const branch of BRANCHES) {
      const mean = (2 * f.branches[branch] + q.branches[branch]) / 3;
      expect(Math.abs(mixed.branches[branch] - mean)).toBeLessThan(1);
    }
    expect(mixed.genres.weight).toBeCloseTo((2 * f.genres.weight + q.genres.weight) / 3, 12);
    expect(mixed.genres.floor).toBeCloseTo((2 * f.genres.floor + q.genres.floor) / 3, 12);
    expect(mixed.genres.preference.numbers).toBeCloseTo(
      (2 * f.genres.preference.numbers + q.genres.preference.numbers) / 3,
      12,
    );
  });

  it('gives out all documents, and the share of the rest that reading has of the set, whatever the probabilities and the budget', () => {
    fc.assert(
      fc.property(weights, fc.boolean(), budget, (w, confident, limits) => {
        const given = distribution(w, confident);
        const allocation = allocate(SET, given, 'act', limits);
        expect(Allocation.parse(allocation)).toEqual(allocation);
        const costsNothing = confident && given.label === 'NOT_A_QUESTION';
        expect(total(allocation)).toBe(costsNothing ? 0 : limits.docsScored);
        const { budget: whole, profiles } = SET;
        const { rerankDepth, nliPairs, contextTokens } = profiles.UNIFORM;
        const reading = (share: number) => (costsNothing ? 0 : Math.round(share));
        expect(allocation.rerankDepth).toBe(reading((rerankDepth / whole.rerankPairs) * limits.rerankPairs));
        expect(allocation.nliPairs).toBe(reading((nliPairs / whole.nliPairs) * limits.nliPairs));
        expect(allocation.contextTokens).toBe(
          reading((contextTokens / whole.contextTokens) * limits.contextTokens),
        );
        const sum = allocation.blendedFrom.reduce((s, part) => s + part.weight, 0);
        expect(sum).toBeCloseTo(1, 9);
      }),
    );
  });

  it('divides nothing of a unit that the set has none of', () => {
    const without = (act: Act) => ({ ...SET.profiles[act], nliPairs: 0 });
    const profiles = { ...SET.profiles, FACT: without('FACT'), OPINION: without('OPINION') };
    const set = { ...SET, profiles, budget: { ...SET.budget, nliPairs: 0 } };
    expect(allocate(set, distribution({ FACT: 2, OPINION: 1 }), 'act').nliPairs).toBe(0);
    expect(allocate(set, distribution({ FACT: 1 }, true), 'act', SET.budget).nliPairs).toBe(0);
  });

  it.each(QUESTIONS)('is the profile of %s when nothing else is likely', (act) => {
    const { blendedFrom, ...profile } = allocate(SET, distribution({ [act]: 1, NOT_A_QUESTION: 3 }), 'act');
    expect(profile).toEqual(SET.profiles[act]);
    expect(blendedFrom).toEqual([{ act, weight: 1 }]);
  });

  it('retrieves nothing when no question is likely at all', () => {
    const allocation = allocate(SET, distribution({ NOT_A_QUESTION: 1 }), 'act');
    expect(total(allocation)).toBe(0);
    expect(allocation.act).toBe('NOT_A_QUESTION');
  });

  it('degrades along the branches that it uses, the largest k first', () => {
    fc.assert(
      fc.property(weights, (w) => {
        const { degrade, branches, blendedFrom } = allocate(SET, distribution(w), 'act');
        fc.pre(blendedFrom.length > 1);
        const ks = degrade.map((branch) => branches[branch]);
        for (const [place, k] of ks.slice(1).entries()) expect(k).toBeLessThanOrEqual(ks[place]! + 1);
        for (const branch of BRANCHES) {
          const used = blendedFrom.some(({ act }) => SET.profiles[act].branches[branch] > 0);
          expect(degrade.includes(branch)).toBe(used);
        }
        expect(new Set(degrade).size).toBe(degrade.length);
      }),
    );
  });

  it('is continuous: a small step in the probabilities moves no k by more than rounding does', () => {
    fc.assert(
      fc.property(weights, weights, fc.double({ min: 0, max: 1e-6, noNaN: true }), (w, v, step) => {
        const from = distribution(w);
        const to = distribution(v);
        const near = Object.fromEntries(
          ACTS.map((act) => [act, (1 - step) * from.probabilities[act] + step * to.probabilities[act]]),
        ) as Record<Act, number>;
        const a = allocate(SET, from, 'act');
        const b = allocate(SET, { ...from, probabilities: near }, 'act');
        for (const branch of BRANCHES) {
          expect(Math.abs(a.branches[branch] - b.branches[branch])).toBeLessThanOrEqual(1);
        }
        expect(Math.abs(a.genres.weight - b.genres.weight)).toBeLessThan(1e-2);
      }),
    );
  });

  it('is monotone: a likelier act pulls each k towards its own, up to rounding', () => {
    fc.assert(
      fc.property(
        weights,
        fc.constantFrom(...QUESTIONS),
        fc.integer({ min: 1, max: 5000 }),
        (w, act, more) => {
          const before = allocate(SET, distribution(w), 'act');
          const after = allocate(SET, distribution({ ...w, [act]: w[act] + more }), 'act');
          for (const branch of BRANCHES) {
            const goal = SET.profiles[act].branches[branch];
            const step = after.branches[branch] - before.branches[branch];
            const way = goal - before.branches[branch];
            if (way > 0) expect(step).toBeGreaterThanOrEqual(-1);
            else if (way < 0) expect(step).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });

  it('gives the same allocation for the same input', () => {
    fc.assert(
      fc.property(weights, budget, (w, limits) => {
        const once = JSON.stringify(allocate(SET, distribution(w), 'act', limits));
        expect(JSON.stringify(allocate(SET, distribution(w), 'act', limits))).toBe(once);
      }),
    );
  });
});

/** Any set whose acts take what they like of a budget. */
const anySet: fc.Arbitrary<ProfileSet> = budget
  .filter(({ docsScored }) => docsScored > 0)
  .chain((limits) => {
    const shares = fc.array(fc.nat({ max: 50 }), { minLength: BRANCHES.length, maxLength: BRANCHES.length });
    const taken = fc.record({
      documents: fc.integer({ min: 1, max: limits.docsScored }),
      shares: shares.filter((list) => list.some((share) => share > 0)),
      rerankDepth: fc.nat({ max: limits.rerankPairs }),
      nliPairs: fc.nat({ max: limits.nliPairs }),
      contextTokens: fc.nat({ max: limits.contextTokens }),
    });
    const names = ['UNIFORM', ...QUESTIONS] as const;
    return fc.array(taken, { minLength: names.length, maxLength: names.length }).map((amounts) => {
      const profiles = names.map((name, i): [string, AllocationProfile] => {
        const { documents, shares: given, ...rest } = amounts[i]!;
        const ks = largestRemainder(given, documents);
        const branches = Object.fromEntries(BRANCHES.map((branch, at) => [branch, ks[at]!]));
        const own = SET.profiles[name];
        return [name, { ...own, ...rest, branches: branches as AllocationProfile['branches'] }];
      });
      const { NOT_A_QUESTION } = SET.profiles;
      return profileSetOf(limits, {
        ...Object.fromEntries(profiles),
        NOT_A_QUESTION,
      } as ProfileSet['profiles']);
    });
  });

describe('acts that take different amounts', () => {
  it('never get more than the budget in any unit, whatever the profiles, the probabilities and the budget', () => {
    const policy = fc.constantFrom('act' as const, 'uniform' as const);
    fc.assert(
      fc.property(anySet, weights, fc.boolean(), policy, budget, (set, w, confident, by, limits) => {
        const allocation = allocate(set, distribution(w, confident), by, limits);
        expect(Allocation.parse(allocation)).toEqual(allocation);
        expect(total(allocation)).toBeLessThanOrEqual(limits.docsScored);
        expect(allocation.rerankDepth).toBeLessThanOrEqual(limits.rerankPairs);
        expect(allocation.nliPairs).toBeLessThanOrEqual(limits.nliPairs);
        expect(allocation.contextTokens).toBeLessThanOrEqual(limits.contextTokens);
      }),
    );
  });

  it('get on average the mean of the profiles by the weights that queries are blended with, to within rounding', () => {
    fc.assert(
      fc.property(anySet, fc.array(weights, { minLength: 1, maxLength: 20 }), (set, queries) => {
        const got = queries.map((w) => allocate(set, distribution(w), 'act'));
        const mean = (of: (profile: AllocationProfile) => number) =>
          got.reduce((sum, allocation) => sum + of(allocation), 0) / got.length;
        const expected = (of: (profile: AllocationProfile) => number) =>
          got
            .flatMap(({ blendedFrom }) => blendedFrom)
            .reduce((sum, { act, weight }) => sum + weight * of(set.profiles[act]), 0) / got.length;
        for (const of of [documentsOf, (profile: AllocationProfile) => profile.rerankDepth]) {
          expect(Math.abs(mean(of) - expected(of))).toBeLessThanOrEqual(0.5 + 1e-6);
        }
      }),
    );
  });

  it('blend by hand: two thirds of 90 and one third of 30 are 70', () => {
    const wide = { ...SET.profiles.FACT, rerankDepth: 30 };
    const narrow = {
      ...SET.profiles.QUANTITY,
      branches: { lexical: 10, dense: 10, definition: 0, quantity: 10, procedure: 0, cause: 0 },
      rerankDepth: 12,
    };
    const branches = { ...wide.branches, lexical: 45, dense: 45 };
    const profiles = { ...SET.profiles, FACT: { ...wide, branches }, QUANTITY: narrow };
    const set = profileSetOf({ ...SET.budget, docsScored: 90 }, profiles);
    const mixed = allocate(set, distribution({ FACT: 2, QUANTITY: 1 }), 'act');
    expect(total(mixed)).toBe(70);
    expect(mixed.rerankDepth).toBe(24);
    // Half of the budget is half of everything.
    const half = allocate(set, distribution({ FACT: 1 }, true), 'act', { ...set.budget, docsScored: 45 });
    expect(total(half)).toBe(45);
  });
});
