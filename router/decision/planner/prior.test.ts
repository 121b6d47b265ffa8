import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../../contracts.ts';
import { estimatedPrior, fittedPrior, Prior, underPrior } from './prior.ts';

type Shares = Record<(typeof ACTIONS)[number], number>;

const part = fc.double({ min: 0.02, max: 1, noNaN: true });
const shares = fc
  .tuple(part, part, part)
  .map(([a, b, c]): Shares => ({ ANSWER: a / (a + b + c), ASK: b / (a + b + c), ABSTAIN: c / (a + b + c) }));

/** How often each of four things is seen where an action is right: rows sum to one. */
const SEEN: Record<keyof Shares, readonly number[]> = {
  ANSWER: [0.6, 0.2, 0.1, 0.1],
  ASK: [0.1, 0.6, 0.1, 0.2],
  ABSTAIN: [0.1, 0.1, 0.7, 0.1],
};
const THINGS = [0, 1, 2, 3];

/** How often a thing is seen under a prior, and Bayes' rule. */
const chance = (prior: Shares, thing: number) =>
  ACTIONS.reduce((sum, action) => sum + prior[action] * SEEN[action][thing]!, 0);
function posterior(prior: Shares, thing: number): Shares {
  const of = (action: keyof Shares) => (prior[action] * SEEN[action][thing]!) / chance(prior, thing);
  return { ANSWER: of('ANSWER'), ASK: of('ASK'), ABSTAIN: of('ABSTAIN') };
}

function near(found: Shares, wanted: Shares, digits: number) {
  for (const action of ACTIONS) expect(found[action]).toBeCloseTo(wanted[action], digits);
}

describe('probabilities under another prior', () => {
  it("are those of Bayes' rule with that prior", () => {
    fc.assert(
      fc.property(shares, shares, fc.constantFrom(...THINGS), (from, to, thing) => {
        near(underPrior(posterior(from, thing), from, to), posterior(to, thing), 9);
      }),
    );
  });

  it('stay as they are under their own, and where nothing would be left', () => {
    const certain = { ANSWER: 1, ASK: 0, ABSTAIN: 0 };
    fc.assert(fc.property(shares, shares, (p, own) => near(underPrior(p, own, own), p, 9)));
    expect(
      underPrior(certain, { ANSWER: 0.5, ASK: 0.5, ABSTAIN: 0 }, { ANSWER: 0, ASK: 0, ABSTAIN: 1 }),
    ).toBe(certain);
  });
});

describe('a prior that is estimated', () => {
  it('is the one that the queries have, whatever the planner was fitted on', () => {
    fc.assert(
      fc.property(shares, shares, (fitted, real) => {
        // Each thing as often as it would be seen among very many queries.
        const said = THINGS.flatMap((thing) =>
          new Array<Shares>(Math.round(500 * chance(real, thing))).fill(posterior(fitted, thing)),
        );
        const found = estimatedPrior(said, fitted);
        for (const action of ACTIONS) expect(Math.abs(found[action] - real[action])).toBeLessThan(0.02);
        expect(ACTIONS.reduce((sum, action) => sum + found[action], 0)).toBeCloseTo(1, 9);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused without decisions', () => {
    expect(() => estimatedPrior([], { ANSWER: 0.4, ASK: 0.3, ABSTAIN: 0.3 })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });
});

it('is as a planner was fitted: its weighed shares, else its counts', () => {
  const counts = { kind: 'linear', rows: 10, groups: 5, quality: null } as const;
  const actions = { ANSWER: 5, ASK: 3, ABSTAIN: 2 };
  expect(fittedPrior({ fitted: { ...counts, actions } })).toEqual({ ANSWER: 0.5, ASK: 0.3, ABSTAIN: 0.2 });
  const prior = { ANSWER: 0.2, ASK: 0.2, ABSTAIN: 0.6 };
  expect(fittedPrior({ fitted: { ...counts, actions, prior } })).toBe(prior);
});

it.each([
  [{ ANSWER: 0.5, ASK: 0.5, ABSTAIN: 0.5 }, 'do not sum to one'],
  [{ ANSWER: 1.5, ASK: -0.5, ABSTAIN: 0 }, ''],
  [{ ANSWER: 1 }, ''],
])('is refused where it is none: %j', (prior, said) => {
  const parsed = Prior.safeParse(prior);
  expect(parsed.success).toBe(false);
  expect(parsed.error?.issues[0]?.message).toContain(said);
});
