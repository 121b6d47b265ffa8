import type { Row, Step } from './matrix.ts';

/**
 * The vocabulary of Anserini's reproduction tables, MISSING for what could not be run here at all, and NEW for a figure
 * that nothing is claimed of yet.
 */
export type Verdict = 'OK' | 'OKish' | 'FAIL' | 'MISSING' | 'NEW';

/** Less than any digit that is printed: decimal fractions are not exact in binary. */
const ROUNDING = 1e-9;

/** What a figure that was found means. Null: the result does not have it. */
export function verdictOf(
  { expected, ok, okish }: Pick<Row, 'expected' | 'ok' | 'okish'>,
  found: number | null,
): Verdict {
  if (found === null) return 'FAIL';
  if (expected === null) return 'NEW';
  const difference = Math.abs(found - expected);
  if (difference <= ok + ROUNDING) return 'OK';
  return difference <= okish + ROUNDING ? 'OKish' : 'FAIL';
}

/** The number at the end of the path; null where the path leads nowhere or to no finite number. */
export function figureAt(result: unknown, path: readonly Step[]): number | null {
  const at = valueAt(result, path);
  return typeof at === 'number' && Number.isFinite(at) ? at : null;
}

/** What stands at the end of the path; undefined where it leads nowhere. */
export function valueAt(result: unknown, path: readonly Step[]): unknown {
  let at = result;
  for (const step of path) at = stepped(at, step);
  return at;
}

function stepped(value: unknown, step: Step): unknown {
  if (typeof step === 'object') {
    if (!Array.isArray(value)) return undefined;
    const fits = value.filter((element) =>
      Object.entries(step).every(([name, wanted]) => own(element, name) === wanted),
    );
    return fits.length === 1 ? fits[0] : undefined;
  }
  return own(value, step);
}

function own(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}
