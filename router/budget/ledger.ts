/** The one place where a query's budget is kept. Stages spend through leases, and only through leases. */
import { PragauraError } from '../../common/index.ts';
import { Budget, COUNTED_UNITS, type CountedUnit } from '../../profiles/index.ts';
import type { Amounts, Receipt } from '../contracts.ts';

/** A stage's share of the budget. What it does not spend goes back to the pool when it is closed. */
export interface Lease {
  readonly stage: string;
  /** What the stage got: the lesser of what it wanted and what the pool held. */
  readonly granted: Readonly<Amounts>;
  /** What may still be spent; 0 once closed. */
  left(unit: CountedUnit): number;
  /**
   * Books `n` before the work is done. Throws BUDGET_OVERSPENT when less is left or the lease is closed, and
   * INTERNAL when `n` is no whole number of at least 0; nothing is booked then.
   */
  spend(unit: CountedUnit, n: number): void;
  /** Books the lesser of `wanted` and what is left, and returns it. A closed lease gives 0. */
  take(unit: CountedUnit, wanted: number): number;
  /** Gives the unspent rest back to the pool. Closing again does nothing. */
  close(): void;
}

interface Entry {
  readonly stage: string;
  readonly granted: Readonly<Amounts>;
  readonly spent: Amounts;
  readonly openedAt: number;
  closedAt: number | null;
}

/**
 * Keeps one query's budget. In every counted unit and at every moment
 * `budget = pool + unspent in open leases + spent`, so that no order of calls, no fault in a stage and no lease
 * left open can spend more than the budget.
 *
 * `budget.ms` is a deadline and no pool: all stages run on the same clock. The pipeline abandons the work when it has
 * passed, which is why a receipt never shows more than `budget.ms`.
 */
export class Ledger {
  readonly #budget: Budget;
  readonly #pool: Amounts;
  readonly #now: () => number;
  readonly #entries: Entry[] = [];
  readonly #startedAt: number;
  #latest: number;

  /** `now` gives milliseconds from any origin. Throws CONFIGURATION when the budget does not fit its schema. */
  constructor(budget: Budget, now: () => number = () => performance.now()) {
    const parsed = Budget.safeParse(budget);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new PragauraError(
        'CONFIGURATION',
        `Budget, field "${issue?.path.join('.')}": ${issue?.message}`,
        {
          cause: parsed.error,
        },
      );
    }
    const { ms: _, ...counted } = parsed.data;
    this.#budget = parsed.data;
    this.#pool = counted;
    this.#now = now;
    this.#startedAt = now();
    this.#latest = this.#startedAt;
  }

  /** Grants, in each unit, the lesser of `wanted` and what the pool holds. Throws INTERNAL on a malformed amount. */
  lease(stage: string, wanted: Readonly<Partial<Amounts>>): Lease {
    const granted = checkedAmounts(stage, wanted);
    for (const unit of COUNTED_UNITS) granted[unit] = Math.min(granted[unit], this.#pool[unit]);
    const openedAt = this.elapsed();
    // Nothing above this line changed anything and nothing below can throw, so a refused lease takes nothing.
    for (const unit of COUNTED_UNITS) this.#pool[unit] -= granted[unit];
    const entry: Entry = { stage, granted: Object.freeze(granted), spent: zero(), openedAt, closedAt: null };
    this.#entries.push(entry);
    return this.#leaseOn(entry);
  }

  #leaseOn(entry: Entry): Lease {
    const { stage, granted, spent } = entry;
    const left = (unit: CountedUnit): number => (entry.closedAt === null ? granted[unit] - spent[unit] : 0);
    return Object.freeze({
      stage,
      granted,
      left: (unit) => {
        checked(stage, unit, 0);
        return left(unit);
      },
      spend: (unit, n) => {
        const amount = checked(stage, unit, n);
        if (entry.closedAt !== null || amount > left(unit)) {
          throw new PragauraError(
            'BUDGET_OVERSPENT',
            `Stage "${stage}" wanted to spend ${amount} ${unit}; ${left(unit)} of ${granted[unit]} were left` +
              `${entry.closedAt === null ? '.' : ' because its lease is closed.'}`,
          );
        }
        spent[unit] += amount;
      },
      take: (unit, wanted) => {
        const amount = Math.min(checked(stage, unit, wanted), left(unit));
        spent[unit] += amount;
        return amount;
      },
      close: () => {
        if (entry.closedAt !== null) return;
        const closedAt = this.elapsed();
        for (const unit of COUNTED_UNITS) this.#pool[unit] += left(unit);
        entry.closedAt = closedAt;
      },
    } satisfies Lease);
  }

  /** What is neither spent nor held by an open lease. Throws INTERNAL on an unknown unit. */
  remaining(unit: CountedUnit): number {
    checked('ledger', unit, 0);
    return this.#pool[unit];
  }

  /** Milliseconds since the ledger was opened; never runs backwards, even when the clock does. */
  elapsed(): number {
    const reading = this.#now();
    if (reading > this.#latest) this.#latest = reading;
    return this.#latest - this.#startedAt;
  }

  /**
   * What was granted and spent up to now; may be asked for at any time. One entry a lease, in the order in which
   * they were granted: a stage that leased twice stands twice, and units that went back to the pool can have been
   * granted again, so grants may add up to more than the budget while spending cannot. `ms` of a stage is the time
   * that its lease was open; stages that ran side by side overlap.
   */
  receipt(): Receipt {
    const elapsed = this.elapsed();
    const untilDeadline = (ms: number): number => Math.min(ms, this.#budget.ms ?? Number.POSITIVE_INFINITY);
    const total = zero();
    const stages = this.#entries.map(({ stage, granted, spent, openedAt, closedAt }) => {
      for (const unit of COUNTED_UNITS) total[unit] += spent[unit];
      const ms = untilDeadline(closedAt ?? elapsed) - untilDeadline(openedAt);
      return { stage, granted: { ...granted }, spent: { ...spent }, ms };
    });
    return { budget: { ...this.#budget }, spent: { ...total, ms: untilDeadline(elapsed) }, stages };
  }
}

/** Arithmetic on the counted units; every amount that enters goes through `checked`. */
function zero(): Amounts {
  return { docsScored: 0, rerankPairs: 0, nliPairs: 0, contextTokens: 0 };
}

/** The amount itself when it is a whole number of at least 0 that arithmetic keeps exact; throws INTERNAL otherwise. */
function checked(stage: string, unit: string, amount: unknown): number {
  if (!COUNTED_UNITS.some((known) => known === unit)) {
    throw new PragauraError('INTERNAL', `Stage "${stage}" asked the ledger for an unknown unit "${unit}".`);
  }
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0) {
    throw new PragauraError('INTERNAL', `Stage "${stage}" asked for ${String(amount)} ${unit}.`, {
      hint: 'Amounts are whole numbers of at least 0.',
    });
  }
  // -0 is a safe integer too; it must not show up in a receipt.
  return amount + 0;
}

/** Checked copy with every unit present; units that are not named are 0. Throws INTERNAL on an unknown unit. */
function checkedAmounts(stage: string, wanted: Readonly<Partial<Amounts>>): Amounts {
  const amounts = zero();
  for (const [unit, amount] of Object.entries(wanted)) {
    if (amount !== undefined) amounts[unit as CountedUnit] = checked(stage, unit, amount);
  }
  return amounts;
}
