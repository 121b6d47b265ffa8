import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { type Budget, COUNTED_UNITS, type CountedUnit } from '../../profiles/index.ts';
import type { Amounts } from '../contracts.ts';
import { type Lease, Ledger } from './index.ts';

const amount = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 100_000, Number.MAX_SAFE_INTEGER) },
);
const malformed = fc.constantFrom(-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60);
const unit = fc.constantFrom(...COUNTED_UNITS);
const amounts = fc.record(
  { docsScored: amount, rerankPairs: amount, nliPairs: amount, contextTokens: amount },
  { requiredKeys: [] },
);
const small = fc.nat({ max: 60 });
const budget: fc.Arbitrary<Budget> = fc.record({
  docsScored: small,
  rerankPairs: small,
  nliPairs: small,
  contextTokens: fc.nat({ max: 5000 }),
  ms: fc.option(fc.integer({ min: 1, max: 500 }), { nil: null }),
});

/** budget = pool + unspent in open leases + spent, in every unit; and the receipt tells the same story. */
function checkBooks(ledger: Ledger, limits: Budget, leases: readonly Lease[]): void {
  const receipt = ledger.receipt();
  for (const u of COUNTED_UNITS) {
    const outstanding = leases.reduce((sum, lease) => sum + lease.left(u), 0);
    const spent = receipt.stages.reduce((sum, stage) => sum + stage.spent[u], 0);
    expect(spent).toBe(receipt.spent[u]);
    expect(spent).toBeLessThanOrEqual(limits[u]);
    expect(ledger.remaining(u)).toBeGreaterThanOrEqual(0);
    expect(ledger.remaining(u) + outstanding + spent).toBe(limits[u]);
    for (const stage of receipt.stages) expect(stage.spent[u]).toBeLessThanOrEqual(stage.granted[u]);
  }
  if (limits.ms !== null) expect(receipt.spent.ms).toBeLessThanOrEqual(limits.ms);
}

/** Runs `action`; passes over the errors that the ledger throws on purpose and over planted faults. */
function attempt(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!PragauraError.isInstance(error)) throw error;
    expect(['BUDGET_OVERSPENT', 'INTERNAL']).toContain(error.code);
  }
}

type Step =
  | { do: 'lease'; wanted: Partial<Amounts> }
  | { do: 'spend' | 'take' | 'abuse'; lease: number; unit: CountedUnit; n: number }
  | { do: 'close'; lease: number }
  | { do: 'tick'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('lease' as const), wanted: amounts }),
  fc.record({ do: fc.constantFrom('spend' as const, 'take' as const), lease: fc.nat(), unit, n: amount }),
  fc.record({ do: fc.constant('abuse' as const), lease: fc.nat(), unit, n: malformed }),
  fc.record({ do: fc.constant('close' as const), lease: fc.nat() }),
  fc.record({ do: fc.constant('tick' as const), ms: fc.integer({ min: -50, max: 200 }) }),
);

describe('the books balance', () => {
  it('after every step of any sequence of calls', () => {
    fc.assert(
      fc.property(budget, fc.array(step, { maxLength: 60 }), (limits, steps) => {
        let at = 0;
        const ledger = new Ledger(limits, () => at);
        const leases: Lease[] = [];
        for (const s of steps) {
          if (s.do === 'lease') leases.push(ledger.lease('stage', s.wanted));
          else if (s.do === 'tick') at += s.ms;
          else {
            const lease = leases[s.lease % leases.length];
            if (lease === undefined) continue;
            const before = COUNTED_UNITS.map((u) => lease.left(u));
            if (s.do === 'close') lease.close();
            else if (s.do === 'spend') attempt(() => lease.spend(s.unit, s.n));
            else if (s.do === 'take') expect(lease.take(s.unit, s.n)).toBeLessThanOrEqual(s.n);
            else {
              attempt(() => lease.spend(s.unit, s.n));
              attempt(() => void lease.take(s.unit, s.n));
              attempt(() => void ledger.lease('bad', { nliPairs: 1, [s.unit]: s.n }));
              expect(COUNTED_UNITS.map((u) => lease.left(u))).toEqual(before);
            }
          }
          checkBooks(ledger, limits, leases);
        }
        for (const lease of leases) lease.close();
        const receipt = ledger.receipt();
        for (const u of COUNTED_UNITS) expect(ledger.remaining(u)).toBe(limits[u] - receipt.spent[u]);
      }),
      { numRuns: 300 },
    );
  });

  const stage = fc.record({
    wanted: amounts,
    pieces: fc.array(fc.record({ unit, n: amount, take: fc.boolean() }), { maxLength: 8 }),
    /** After how many pieces a fault is thrown. */
    faultAfter: fc.option(fc.nat({ max: 8 }), { nil: null }),
    closesTwice: fc.boolean(),
    /** A stage that forgets `finally` leaves its lease open when it fails. */
    forgetful: fc.boolean(),
    /** What it asks for again once it is through, from what others returned. */
    again: amounts,
  });

  it('whatever the interleaving of stages that wait between their calls, and whichever of them fail', async () => {
    await fc.assert(
      fc.asyncProperty(
        budget,
        fc.array(stage, { minLength: 1, maxLength: 6 }),
        fc.scheduler(),
        async (limits, stages, s) => {
          const ledger = new Ledger(limits, () => 0);
          const leases: Lease[] = [];
          const running = stages.map(async (plan, number) => {
            const pause = () => s.schedule(Promise.resolve(), `stage ${number}`);
            await pause();
            const lease = ledger.lease(`stage ${number}`, plan.wanted);
            leases.push(lease);
            let failed = true;
            try {
              for (const [at, piece] of plan.pieces.entries()) {
                await pause();
                if (plan.faultAfter === at) throw new PragauraError('INTERNAL', 'planted');
                if (piece.take) lease.take(piece.unit, piece.n);
                else lease.spend(piece.unit, piece.n);
                checkBooks(ledger, limits, leases);
                await pause();
              }
              failed = false;
            } finally {
              if (!(plan.forgetful && failed)) lease.close();
              if (plan.closesTwice) lease.close();
            }
            await pause();
            leases.push(ledger.lease(`stage ${number} again`, plan.again));
            checkBooks(ledger, limits, leases);
          });
          const outcomes = Promise.allSettled(running);
          while (s.count() > 0) {
            await s.waitNext(1);
            checkBooks(ledger, limits, leases);
          }
          for (const outcome of await outcomes) {
            // Planted faults and refused spending are expected; a failed expectation inside a stage is not.
            if (outcome.status === 'rejected') expect(PragauraError.isInstance(outcome.reason)).toBe(true);
          }
          checkBooks(ledger, limits, leases);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('and two orders of the same demands spend the same in total when everything is taken', async () => {
    const demands = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(small, demands, fc.scheduler(), async (docsScored, wanted, s) => {
        const limits = { docsScored, rerankPairs: 0, nliPairs: 0, contextTokens: 0, ms: null };
        const ledger = new Ledger(limits, () => 0);
        const running = wanted.map(async (n) => {
          await s.schedule(Promise.resolve());
          const lease = ledger.lease('branch', { docsScored: n });
          await s.schedule(Promise.resolve());
          lease.take('docsScored', n);
          lease.close();
        });
        await s.waitFor(Promise.all(running));
        const demand = wanted.reduce((sum, n) => sum + n, 0);
        expect(ledger.receipt().spent.docsScored).toBe(Math.min(demand, docsScored));
      }),
    );
  });
});
