import { describe, expect, it } from 'vitest';
import { ACTS, type Act } from '../../profiles/index.ts';
import { parseLevel } from '../levels/level.ts';
import { calibrateActs, LEAST_EXAMPLES } from './calibrate-acts.ts';
import { silenceThreshold } from './silence.ts';
import type { Scored } from './types.ts';

const coverage = { target: 'coverage', level: parseLevel('0.8') } as const;
const delta = parseLevel('0.1');

/** n examples of one act, U = 1/n … 1 times `top`; wrong above `rightUpTo`. */
function examples(act: Act | null, n: number, top = 1, rightUpTo = 1): Scored[] {
  return Array.from({ length: n }, (_, i) => {
    const U = ((i + 1) * top) / n;
    return { act, U, wrong: U > rightUpTo, answerable: true };
  });
}

describe('the ladder', () => {
  it('act, parent, global: each with the rank of its own pool', () => {
    const found = calibrateActs(
      [...examples('FACT', 100), ...examples('VERIFICATION', 4, 0.5), ...examples('DEFINITION', 4, 0.1)],
      coverage,
    );
    expect(found.acts.FACT).toMatchObject({ rung: 'act', tau: 0.81 });
    expect(found.acts.VERIFICATION.rung).toBe('parent');
    expect(found.acts.VERIFICATION.pool!.acts).toEqual(['FACT', 'VERIFICATION']);
    expect(found.acts.VERIFICATION.pool!.coverage).toMatchObject({ n: 104, k: 84 });
    expect(found.acts.VERIFICATION.own.coverage).toMatchObject({ n: 4, why: 'too-few', needed: 46 });
    expect(found.acts.DEFINITION).toMatchObject({ rung: 'global' });
    expect(found.acts.DEFINITION.pool).toBe(found.global);
    // An act without any example, whose parent has none either.
    expect(found.acts.PROCEDURE).toMatchObject({ rung: 'global', tau: found.global.coverage!.tau });
    expect(found.global.coverage!.n).toBe(108);
  });

  it('with too few of everything nothing is answered, for any act', () => {
    const found = calibrateActs(examples('FACT', 3), coverage);
    for (const act of ACTS) expect(found.acts[act]).toMatchObject({ rung: 'none', tau: null, pool: null });
    expect(found.global.coverage).toMatchObject({ why: 'too-few', needed: 1 });
    expect(calibrateActs([], coverage).acts.FACT).toMatchObject({ rung: 'none', tau: null });
  });

  it('the least number of examples binds acts and families, not everything', () => {
    const data = examples('FACT', LEAST_EXAMPLES - 1);
    expect(calibrateActs(data, coverage).acts.FACT.rung).toBe('global');
    expect(calibrateActs(data, { ...coverage, least: 0 }).acts.FACT.rung).toBe('act');
  });

  it('a query without an act counts in the pool of everything only', () => {
    const found = calibrateActs(
      [...examples('FACT', 60), ...examples(null, 40).map((e) => ({ ...e, U: null }))],
      coverage,
    );
    expect(found.acts.FACT).toMatchObject({ rung: 'act' });
    expect(found.global.coverage).toMatchObject({ n: 100, open: 60, tau: null, why: 'gates' });
  });

  it('one threshold for all when asked', () => {
    const found = calibrateActs([...examples('FACT', 100), ...examples('QUANTITY', 100, 0.1)], {
      ...coverage,
      scope: 'global',
    });
    expect(found.pools).toHaveLength(1);
    expect(new Set(ACTS.map((act) => found.acts[act].tau)).size).toBe(1);
  });
});

describe('risk', () => {
  const level = parseLevel('0.05');
  const easy = (n: number) => examples('FACT', n, 1, 0.7);

  it('earns a threshold for the act and lends the pool’s to those with few examples', () => {
    const data = [...easy(600), ...examples('VERIFICATION', 10)];
    const found = calibrateActs(data, { target: 'risk', level, delta, tune: data });
    expect(found.acts.FACT.rung).toBe('act');
    expect(found.acts.FACT.tau).toBeGreaterThan(0.6);
    expect(found.acts.FACT.tau).toBeLessThan(0.75);
    expect(found.acts.VERIFICATION).toMatchObject({ rung: 'parent', own: { risk: { why: 'too-few' } } });
  });

  it('lends nothing to an act whose own examples speak against it', () => {
    const wrong = examples('OPINION', 20).map((item) => ({ ...item, wrong: true }));
    const data = [...easy(2_000), ...wrong];
    const request = { target: 'risk', level, delta, tune: data } as const;
    const found = calibrateActs(data, request);
    expect(found.global.risk!.tau).not.toBeNull();
    expect(found.acts.OPINION).toMatchObject({ rung: 'none', tau: null, vetoed: ['global'] });
    expect(found.acts.DEFINITION.rung).toBe('global');
    expect(calibrateActs(data, { ...request, scope: 'global' }).acts.OPINION.rung).toBe('global');
  });

  it('shares add up to delta', () => {
    const data = [...easy(600), ...examples('QUANTITY', 500, 1, 0.6)];
    const { pools } = calibrateActs(data, { target: 'risk', level, delta, tune: data });
    const tried = pools.filter(({ risk }) => risk!.why === 'reached' || risk!.why === 'errors');
    expect(tried.length).toBeGreaterThan(2);
    for (const { risk } of tried) {
      expect(risk!.delta).toEqual({ numerator: 1n, denominator: 10n * BigInt(tried.length) });
    }
  });

  it('spends nothing on a family that no act needs, nor on everything when it has no chance', () => {
    const hopeless = examples('QUANTITY', 3_000).map((item) => ({ ...item, wrong: true }));
    const data = [
      ...easy(600),
      ...hopeless,
      ...easy(600).map((item) => ({ ...item, act: 'VERIFICATION' as const })),
    ];
    const { acts, pools } = calibrateActs(data, { target: 'risk', level, delta, tune: data });
    const shares = pools.filter(({ risk }) => risk!.why === 'reached');
    expect(shares.map((pool) => pool.acts)).toEqual([['FACT'], ['VERIFICATION']]);
    expect(shares[0]!.risk!.delta).toEqual({ numerator: 1n, denominator: 20n });
    expect(acts.DEFINITION).toMatchObject({ rung: 'none', tau: null });
  });

  it('all right, all wrong, no tune split', () => {
    const right = examples('FACT', 200);
    expect(calibrateActs(right, { target: 'risk', level, delta, tune: right }).acts.FACT.tau).toBe(1);
    const wrong = right.map((item) => ({ ...item, wrong: true }));
    expect(calibrateActs(wrong, { target: 'risk', level, delta, tune: wrong }).acts.FACT).toMatchObject({
      rung: 'none',
      own: { risk: { needed: null } },
    });
    expect(calibrateActs(right, { target: 'risk', level, delta, tune: [] }).acts.FACT.rung).toBe('none');
  });
});

describe('hardly anything, or nonsense', () => {
  const level = parseLevel('0.05');
  const tune = examples('FACT', 300);
  const joint = { target: 'joint', level, delta, ask: parseLevel('0.2'), tune } as const;

  it.each([0, 1])('%i examples: nothing is answered or asked, and it says what is missing', (n) => {
    const found = calibrateActs(examples('FACT', n), joint);
    for (const act of ACTS)
      expect(found.acts[act]).toMatchObject({ tau: null, askUpTo: null, askRung: 'none' });
    expect(found.global.risk).toMatchObject({ n, why: 'too-few', floor: 59, needed: 59 - n });
    expect(found.global.silence).toMatchObject({ n, why: 'too-few', needed: 14 - n });
  });

  it('labels missing on every line: counted, and nothing is promised', () => {
    const unlabelled = examples('FACT', 200).map((item) => ({ ...item, wrong: null, answerable: null }));
    const found = calibrateActs(unlabelled, joint);
    expect(found.acts.FACT).toMatchObject({ rung: 'none', tau: null, askUpTo: null });
    expect(found.global.risk).toMatchObject({ n: 0, unlabelled: 200, why: 'too-few' });
  });

  it.each([Number.NaN, Infinity, -Infinity])('U = %d is refused in either split', (U) => {
    const bad: Scored[] = [{ act: 'FACT', U, wrong: false }];
    expect(() => calibrateActs(bad, coverage)).toThrow(/no uncertainty|uncertainty is/);
    expect(() => calibrateActs(bad, joint)).toThrow(/uncertainty/);
    expect(() => calibrateActs(tune, { ...joint, tune: bad })).toThrow(/uncertainty/);
  });
});

describe('silenceThreshold', () => {
  const beta = parseLevel('0.1');
  const at = (U: number | null, more: Partial<Scored> = {}): Scored => ({
    act: 'FACT',
    U,
    wrong: false,
    answerable: true,
    ...more,
  });

  it('needs 22 answerable examples for 10 % at delta 0.1, and then asks up to the largest', () => {
    const data = Array.from({ length: 22 }, (_, i) => at(i / 22));
    expect(silenceThreshold(data.slice(1), beta, delta)).toMatchObject({
      askUpTo: null,
      why: 'too-few',
      needed: 1,
    });
    expect(silenceThreshold(data, beta, delta)).toMatchObject({ n: 22, k: 22, askUpTo: 21 / 22, silent: 0 });
  });

  it('closed gates are silent unless they ask back; the unanswerable and unlabelled do not count', () => {
    const open = Array.from({ length: 22 }, (_, i) => at(i / 22));
    expect(silenceThreshold([...open, at(null)], beta, delta)).toMatchObject({
      why: 'gates',
      needed: null,
      silent: 1,
    });
    expect(silenceThreshold([...open, at(null, { asked: true })], beta, delta)).toMatchObject({
      n: 23,
      silent: 0,
    });
    const others = [at(null, { answerable: false }), at(null, { answerable: null })];
    expect(silenceThreshold([...open, ...others], beta, delta)).toMatchObject({ n: 22, askUpTo: 21 / 22 });
  });

  it('in the joint target it may be earned without tau: nothing is answered, and some is asked back', () => {
    const data = examples('FACT', 400).map((item) => ({ ...item, wrong: true }));
    const level = parseLevel('0.05');
    const found = calibrateActs(data, { target: 'joint', level, delta, ask: parseLevel('0.5'), tune: data });
    expect(found.global.silence!.askUpTo).toBeGreaterThan(0);
    expect(found.acts.FACT).toMatchObject({ tau: null, rung: 'none', askRung: 'act' });
    expect(found.acts.FACT.askUpTo).toBe(found.acts.FACT.askPool!.silence!.askUpTo);
  });

  it('in the joint target its bar is never below tau', () => {
    const data = examples('FACT', 400);
    const level = parseLevel('0.05');
    const found = calibrateActs(data, { target: 'joint', level, delta, ask: parseLevel('0.5'), tune: data });
    expect(found.acts.FACT.tau).toBe(1);
    expect(found.acts.FACT.askPool!.silence!.askUpTo).toBeLessThan(0.6);
    expect(found.acts.FACT.askUpTo).toBe(1);
    expect(found.acts.FACT.askRung).toBe('act');
  });
});
