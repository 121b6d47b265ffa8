import { type Fraction, reduced } from './level.ts';

/** Shares of delta are passed on as fractions: what is handed out never adds up to more than there was. */
export function sumOf(a: Fraction, b: Fraction): Fraction {
  return reduced(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

/** One of `parts` equal parts. */
export function partOf({ numerator, denominator }: Fraction, parts: number): Fraction {
  return reduced(numerator, denominator * BigInt(parts));
}
