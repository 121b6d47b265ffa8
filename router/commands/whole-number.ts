import { PragauraError } from '../../common/index.ts';

/** A `coerce` for a number: whole, within limits, given once. */
export function wholeNumber(name: string, least: number, most: number) {
  return (value: unknown): number | undefined => {
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new PragauraError('USAGE', `--${name} takes one whole number from ${least} to ${most}.`);
  };
}
