import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { ACTS, type Act, allocate, BRANCHES, documentsOf, loadProfiles } from '../../profiles/index.ts';
import { drawnActs, drawnFactors, drawnUniform, TUNED, uniformAt, widened } from './space.ts';

const SHIPPED = loadProfiles();
const WIDE = widened(SHIPPED);

/** Shares of the acts, which add up to one. */
const shares = fc
  .array(fc.nat({ max: 100 }), { minLength: TUNED.length, maxLength: TUNED.length })
  .filter((list) => list.some((share) => share > 0))
  .map((list) => {
    const sum = list.reduce((total, share) => total + share, 0);
    return Object.fromEntries(TUNED.map((act, i) => [act, list[i]! / sum])) as Record<Act, number>;
  });

describe('caps for a search', () => {
  it('leave the profiles as they are, and room for twice what they read', () => {
    expect(WIDE.profiles).toEqual(SHIPPED.profiles);
    expect(WIDE.budget).toEqual({
      docsScored: 120,
      rerankPairs: 56,
      nliPairs: 30,
      contextTokens: 9216,
      ms: null,
    });
    for (const act of TUNED) {
      const probabilities = Object.fromEntries(ACTS.map((name) => [name, Number(name === act)]));
      const said = { label: act, probabilities: probabilities as Record<Act, number>, confident: true };
      const { blendedFrom: _, ...granted } = allocate(WIDE, said, 'act');
      expect(granted).toEqual(SHIPPED.profiles[act]);
    }
  });
});

describe('factors of the acts', () => {
  it('leave what all spend together as it is, within the bounds', () => {
    fc.assert(
      fc.property(shares, fc.nat(), (given, seed) => {
        const factors = drawnFactors(given, seededRandom(seed));
        const moved = Object.keys(factors) as Act[];
        expect(moved).toEqual(TUNED.filter((act) => given[act] >= 0.05));
        const before = moved.reduce((sum, act) => sum + given[act], 0);
        const after = moved.reduce((sum, act) => sum + given[act] * factors[act]!, 0);
        expect(Math.abs(after - before)).toBeLessThan(0.01);
        for (const act of moved) {
          expect(factors[act]).toBeGreaterThanOrEqual(0.5);
          expect(factors[act]).toBeLessThanOrEqual(2);
        }
      }),
    );
  });

  it('by hand: what one act gets more the other has less, by their shares', () => {
    const factors = drawnFactors({ FACT: 0.8, PROCEDURE: 0.2 }, seededRandom(3));
    expect(0.8 * factors.FACT! + 0.2 * factors.PROCEDURE!).toBeCloseTo(1, 6);
    expect(factors.FACT).not.toBeCloseTo(1, 2);
    expect(drawnFactors({ FACT: 0.97, PROCEDURE: 0.03 }, seededRandom(3))).toEqual({ FACT: 1 });
  });
});

describe('drawn profiles', () => {
  it('are sets that hold to the caps, and leave rare acts and the baseline alone', () => {
    fc.assert(
      fc.property(shares, fc.nat(), (given, seed) => {
        const set = drawnActs(WIDE, { docsScored: given, rerankPairs: given }, seededRandom(seed));
        expect(set.budget).toEqual(WIDE.budget);
        expect(set.profiles.UNIFORM).toEqual(WIDE.profiles.UNIFORM);
        for (const act of TUNED) {
          const profile = set.profiles[act];
          if (given[act] < 0.05) expect(profile).toEqual(WIDE.profiles[act]);
          expect(documentsOf(profile)).toBeGreaterThanOrEqual(30);
          expect(profile.contextTokens).toBe(Math.round((profile.rerankDepth * 4096) / 20));
          // No branch that the act has no use for.
          for (const branch of BRANCHES) {
            if (WIDE.profiles[act].branches[branch] === 0) expect(profile.branches[branch]).toBe(0);
          }
        }
      }),
    );
  });

  it('are the same for the same seed, and others for another', () => {
    const given = { FACT: 0.5, QUANTITY: 0.3, PROCEDURE: 0.2 };
    const hash = (seed: number) =>
      drawnActs(WIDE, { docsScored: given, rerankPairs: given }, seededRandom(seed)).hash;
    expect(hash(1)).toBe(hash(1));
    expect(hash(1)).not.toBe(hash(2));
  });

  it('give the baseline the amounts that it has, divided otherwise', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { profiles } = drawnUniform(WIDE, seededRandom(seed));
        const { branches: _, ...rest } = profiles.UNIFORM;
        const { branches: __, ...before } = WIDE.profiles.UNIFORM;
        expect(rest).toEqual(before);
        expect(documentsOf(profiles.UNIFORM)).toBe(60);
        expect(profiles.FACT).toEqual(WIDE.profiles.FACT);
      }),
    );
  });

  it('give the baseline other amounts in the same proportions', () => {
    const { UNIFORM } = uniformAt(WIDE, 90, 30).profiles;
    expect([UNIFORM.branches.lexical, UNIFORM.branches.dense]).toEqual([45, 45]);
    expect([UNIFORM.rerankDepth, UNIFORM.contextTokens, UNIFORM.nliPairs]).toEqual([30, 6144, 24]);
  });
});
