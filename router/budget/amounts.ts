/** Arithmetic on the counted units; every amount that enters goes through `checked`. */
import { PragauraError } from '../../common/index.ts';
import { COUNTED_UNITS, type CountedUnit } from '../../profiles/index.ts';
import type { Amounts } from '../contracts.ts';

export function zero(): Amounts {
  return { docsScored: 0, rerankPairs: 0, nliPairs: 0, contextTokens: 0 };
}

/** The amount itself when it is a whole number of at least 0 that arithmetic keeps exact; throws INTERNAL otherwise. */
export function checked(stage: string, unit: string, amount: unknown): number {
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
export function checkedAmounts(stage: string, wanted: Readonly<Partial<Amounts>>): Amounts {
  const amounts = zero();
  for (const [unit, amount] of Object.entries(wanted)) {
    if (amount !== undefined) amounts[unit as CountedUnit] = checked(stage, unit, amount);
  }
  return amounts;
}
