import type { Shape } from './types.ts';

/** A part with letters and digits, then "-" and capitals: "K2-WHT", "AB-120-XL". Bounded, so that it stays linear. */
const VARIANT = /(?<![A-Za-z0-9_/-])((?:[A-Z0-9]{1,12}-){1,3})([A-Z]{2,8}[0-9]{0,4})(?![A-Za-z0-9_/-])/g;

/**
 * Variants of one article: the family is what they share, "K2" in "K2-WHT", and must hold a letter and a digit, or it
 * is an abbreviation. `at`: offset in the original of a character of `text`.
 */
export function scanVariants(text: string, at: (i: number) => number): Shape[] {
  const shapes: Shape[] = [];
  for (const { 0: all, 1: shared, 2: written, index } of text.matchAll(VARIANT)) {
    const family = shared!.slice(0, -1);
    if (!/[A-Z]/.test(family) || !/[0-9]/.test(family)) continue;
    shapes.push({
      family,
      groups: [written!],
      joint: '-',
      kind: 'code',
      capitals: true,
      padded: false,
      range: false,
      written: written!,
      start: at(index),
      end: at(index + all.length - 1) + 1,
    });
  }
  return shapes;
}
