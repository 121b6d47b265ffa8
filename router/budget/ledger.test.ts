import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import type { Budget, CountedUnit } from '../../profiles/index.ts';
import { Receipt } from '../contracts.ts';
import { Ledger } from './index.ts';

const BUDGET: Budget = { docsScored: 60, rerankPairs: 20, nliPairs: 24, contextTokens: 4096, ms: null };

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (PragauraError.isInstance(error)) return error.code;
    throw error;
  }
  return 'nothing was thrown';
}

/** A clock that a test moves by hand. */
function handClock(at = 1000) {
  const clock = { at, now: () => clock.at };
  return clock;
}

describe('a lease', () => {
  it('gets what it wants as long as the pool holds it, then what is left', () => {
    const ledger = new Ledger(BUDGET);
    const first = ledger.lease('lexical', { docsScored: 40 });
    const second = ledger.lease('dense', { docsScored: 40, nliPairs: 3 });
    const third = ledger.lease('cause', { docsScored: 1 });
    expect(first.granted).toEqual({ docsScored: 40, rerankPairs: 0, nliPairs: 0, contextTokens: 0 });
    expect(second.granted.docsScored).toBe(20);
    expect(second.granted.nliPairs).toBe(3);
    expect(third.granted.docsScored).toBe(0);
    expect(ledger.remaining('docsScored')).toBe(0);
    expect(ledger.remaining('nliPairs')).toBe(21);
  });

  it('returns what it did not spend, once', () => {
    const ledger = new Ledger(BUDGET);
    const lease = ledger.lease('lexical', { docsScored: 40 });
    lease.spend('docsScored', 15);
    lease.close();
    lease.close();
    expect(ledger.remaining('docsScored')).toBe(45);
    expect(ledger.lease('dense', { docsScored: 60 }).granted.docsScored).toBe(45);
  });

  it('books nothing when less is left than is to be spent', () => {
    const lease = new Ledger(BUDGET).lease('rerank', { rerankPairs: 5 });
    lease.spend('rerankPairs', 4);
    expect(codeOf(() => lease.spend('rerankPairs', 2))).toBe('BUDGET_OVERSPENT');
    expect(codeOf(() => lease.spend('nliPairs', 1))).toBe('BUDGET_OVERSPENT');
    expect(lease.left('rerankPairs')).toBe(1);
    lease.spend('rerankPairs', 1);
    expect(lease.left('rerankPairs')).toBe(0);
  });

  it('takes what is there', () => {
    const lease = new Ledger(BUDGET).lease('read', { contextTokens: 100 });
    expect(lease.take('contextTokens', 70)).toBe(70);
    expect(lease.take('contextTokens', 70)).toBe(30);
    expect(lease.take('contextTokens', 70)).toBe(0);
  });

  it('cannot spend once closed, not even nothing', () => {
    const ledger = new Ledger(BUDGET);
    const lease = ledger.lease('nli', { nliPairs: 10 });
    lease.close();
    expect(codeOf(() => lease.spend('nliPairs', 1))).toBe('BUDGET_OVERSPENT');
    expect(codeOf(() => lease.spend('nliPairs', 0))).toBe('BUDGET_OVERSPENT');
    expect(lease.take('nliPairs', 5)).toBe(0);
    expect(lease.left('nliPairs')).toBe(0);
    expect(ledger.receipt().spent.nliPairs).toBe(0);
  });

  it('does not let its grant be changed from outside', () => {
    const lease = new Ledger(BUDGET).lease('nli', { nliPairs: 1 });
    expect(() => Object.assign(lease.granted, { nliPairs: 99 })).toThrow(TypeError);
    expect(() => Object.assign(lease, { left: () => 99 })).toThrow(TypeError);
    expect(codeOf(() => lease.spend('nliPairs', 2))).toBe('BUDGET_OVERSPENT');
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '3', 3n, null])(
    'refuses %s as an amount',
    (value) => {
      const amount = value as number;
      const ledger = new Ledger(BUDGET);
      const lease = ledger.lease('lexical', { docsScored: 10 });
      expect(codeOf(() => lease.spend('docsScored', amount))).toBe('INTERNAL');
      expect(codeOf(() => lease.take('docsScored', amount))).toBe('INTERNAL');
      expect(codeOf(() => ledger.lease('dense', { nliPairs: 2, docsScored: amount }))).toBe('INTERNAL');
      expect(ledger.remaining('nliPairs')).toBe(24);
      expect(lease.left('docsScored')).toBe(10);
      expect(ledger.receipt().stages).toHaveLength(1);
    },
  );

  it.each(['constructor', '__proto__', 'ms', 'toString'])('knows no unit called %s', (name) => {
    const unit = name as CountedUnit;
    const ledger = new Ledger(BUDGET);
    const lease = ledger.lease('lexical', { docsScored: 10 });
    const wanted = JSON.parse(`{${JSON.stringify(name)}: 1}`) as Partial<Record<CountedUnit, number>>;
    expect(codeOf(() => ledger.lease('dense', wanted))).toBe('INTERNAL');
    expect(codeOf(() => lease.spend(unit, 1))).toBe('INTERNAL');
    expect(codeOf(() => lease.left(unit))).toBe('INTERNAL');
    expect(codeOf(() => ledger.remaining(unit))).toBe('INTERNAL');
  });

  it('normalises a negative zero, which JSON and equality checks would tell apart', () => {
    const lease = new Ledger(BUDGET).lease('lexical', { docsScored: -0 });
    expect(Object.is(lease.granted.docsScored, 0)).toBe(true);
  });
});

describe('a ledger', () => {
  it('refuses a budget that does not fit its schema', () => {
    expect(codeOf(() => new Ledger({ ...BUDGET, nliPairs: -1 }))).toBe('CONFIGURATION');
    expect(codeOf(() => new Ledger({ ...BUDGET, ms: 0 }))).toBe('CONFIGURATION');
    expect(codeOf(() => new Ledger({ ...BUDGET, gpu: 1 } as Budget))).toBe('CONFIGURATION');
  });

  it('keeps its own copy of the budget', () => {
    const mine = { ...BUDGET };
    const ledger = new Ledger(mine);
    mine.docsScored = 1_000;
    expect(ledger.lease('lexical', { docsScored: 1_000 }).granted.docsScored).toBe(60);
    const receipt = ledger.receipt();
    receipt.budget.docsScored = 0;
    receipt.stages[0]!.spent.docsScored = 77;
    expect(ledger.receipt().budget.docsScored).toBe(60);
    expect(ledger.receipt().stages[0]?.spent.docsScored).toBe(0);
  });

  it('gives a receipt at any time, leases open or closed', () => {
    const clock = handClock();
    const ledger = new Ledger(BUDGET, clock.now);
    const lexical = ledger.lease('lexical', { docsScored: 28 });
    lexical.spend('docsScored', 28);
    clock.at += 3;
    const dense = ledger.lease('dense', { docsScored: 28 });
    lexical.close();
    clock.at += 4;
    lexical.close();
    dense.spend('docsScored', 5);
    const receipt = ledger.receipt();
    expect(Receipt.parse(receipt)).toEqual(receipt);
    expect(receipt.spent).toEqual({ docsScored: 33, rerankPairs: 0, nliPairs: 0, contextTokens: 0, ms: 7 });
    expect(receipt.stages.map((s) => [s.stage, s.granted.docsScored, s.spent.docsScored, s.ms])).toEqual([
      ['lexical', 28, 28, 3],
      ['dense', 28, 5, 4],
    ]);
  });

  it('shows no time beyond the deadline', () => {
    const clock = handClock();
    const ledger = new Ledger({ ...BUDGET, ms: 100 }, clock.now);
    clock.at += 60;
    ledger.lease('read', {});
    clock.at += 40;
    clock.at += 900;
    ledger.lease('late', {});
    expect(ledger.elapsed()).toBe(1000);
    const receipt = ledger.receipt();
    expect(receipt.spent.ms).toBe(100);
    expect(receipt.stages.map((s) => s.ms)).toEqual([40, 0]);
  });

  it('shows all time where there is no deadline', () => {
    const clock = handClock();
    const ledger = new Ledger(BUDGET, clock.now);
    clock.at += 1e9;
    expect(ledger.receipt().spent.ms).toBe(1e9);
  });

  it('does not run backwards with the clock', () => {
    const clock = handClock();
    const ledger = new Ledger({ ...BUDGET, ms: 100 }, clock.now);
    clock.at += 100;
    expect(ledger.elapsed()).toBe(100);
    clock.at -= 5000;
    expect(ledger.elapsed()).toBe(100);
    expect(ledger.receipt().spent.ms).toBe(100);
  });

  it('returns nothing twice when the clock fails while a lease is being closed', () => {
    let broken = false;
    const ledger = new Ledger(BUDGET, () => {
      if (broken) throw new Error('clock');
      return 0;
    });
    const lease = ledger.lease('lexical', { docsScored: 10 });
    broken = true;
    expect(() => lease.close()).toThrow('clock');
    expect(() => ledger.lease('dense', { docsScored: 10 })).toThrow('clock');
    broken = false;
    lease.close();
    expect(ledger.remaining('docsScored')).toBe(60);
  });
});
