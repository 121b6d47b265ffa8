import { PragauraError } from '../../common/index.ts';

/** An exact ratio of whole numbers, denominator > 0. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A probability strictly between 0 and 1, exactly as it was written. */
export interface Level extends Fraction {
  readonly text: string;
}

/** One part in 10^12 is finer than any promise that data can earn, and keeps every count a safe integer. */
const MOST_DECIMALS = 12;

/**
 * "0.95" or ".95" as an exact fraction. Never through a float: (n + 1) * 0.57 is wrong by one rank for n = 99.
 * Throws USAGE, with a hint, for anything else: 0, 1, 1.5, "5%", "1e-1", "", NaN; also for a number, and for a list,
 * which an option given twice is. A number in a configuration file comes here as its shortest decimal, which for as many
 * decimals as are allowed is what was written.
 */
export function parseLevel(text: unknown): Level {
  if (typeof text !== 'string') {
    throw refused(text, 'Give it once, and as text: "0.1", quotes included in a file.');
  }
  const written = text.trim();
  const decimals = /^0?\.(\d+)$/.exec(written)?.[1]?.replace(/0+$/, '');
  if (decimals === undefined || decimals === '') throw refused(text, hintFor(written));
  if (decimals.length > MOST_DECIMALS) throw refused(text, `Write at most ${MOST_DECIMALS} decimals.`);
  return { text: written, ...reduced(BigInt(decimals), 10n ** BigInt(decimals.length)) };
}

/** `parseLevel`, naming the option that it was given with. */
export function levelOf(option: string, text: unknown): Level {
  try {
    return parseLevel(text);
  } catch (error) {
    if (!PragauraError.isInstance(error)) throw error;
    throw new PragauraError('USAGE', `--${option}: ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      cause: error,
    });
  }
}

/** The nearest float, for figures that are shown or computed with; comparisons that decide stay exact. */
export function asNumber({ numerator, denominator }: Fraction): number {
  return Number(numerator) / Number(denominator);
}

/** The fraction in lowest terms. */
export function reduced(numerator: bigint, denominator: bigint): Fraction {
  let [a, b] = [numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return { numerator: numerator / a, denominator: denominator / a };
}

function refused(text: unknown, hint: string): PragauraError {
  return new PragauraError('USAGE', `${JSON.stringify(text)} is not a level strictly between 0 and 1.`, {
    hint,
  });
}

function hintFor(written: string): string {
  const percent = /^(\d{1,2})(?:[.,](\d+))?\s*%$/.exec(written);
  if (percent !== null) {
    const digits = `${percent[1]!.padStart(2, '0')}${percent[2] ?? ''}`.replace(/0+$/, '');
    if (digits !== '') return `Write it as a decimal: 0.${digits}.`;
  }
  if (/^0?,\d+$/.test(written)) return `Write it with a point: 0.${written.split(',')[1]}.`;
  if (/^[01]?(\.0*)?$/.test(written) && written !== '') {
    return 'Nothing can be promised at 0, and at 1 there is nothing to promise. Write for example 0.95 or 0.05.';
  }
  return 'Write a decimal such as 0.95 or 0.05.';
}

/** Shares of delta are passed on as fractions: what is handed out never adds up to more than there was. */
export function sumOf(a: Fraction, b: Fraction): Fraction {
  return reduced(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

/** One of `parts` equal parts. */
export function partOf({ numerator, denominator }: Fraction, parts: number): Fraction {
  return reduced(numerator, denominator * BigInt(parts));
}
