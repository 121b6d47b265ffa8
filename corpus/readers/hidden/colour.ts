/** Colours of text and of what lies behind it. */

/** Red, green and blue from 0 to 255. */
export type Colour = readonly [number, number, number];

export const WHITE: Colour = [255, 255, 255];
export const BLACK: Colour = [0, 0, 0];

/** Those that come near the usual background, and black; a colour of another name is told from white by everybody. */
const NAMED: Readonly<Record<string, string>> = {
  white: 'ffffff',
  black: '000000',
  snow: 'fffafa',
  ivory: 'fffff0',
  ghostwhite: 'f8f8ff',
  whitesmoke: 'f5f5f5',
  floralwhite: 'fffaf0',
  mintcream: 'f5fffa',
  azure: 'f0ffff',
  aliceblue: 'f0f8ff',
};

/** A contrast below this is none that an eye would find: #f3f3f3 on white has 1.11, black on white 21. */
const LEAST_CONTRAST = 1.1;
/** Less opaque than this is not seen. */
const LEAST_ALPHA = 0.05;

/** "ff00aa" or "f0a" as a colour; null for anything else. */
export function hexColour(hex: string): Colour | null {
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(hex)) return null;
  const long = hex.length < 6 ? [...hex].map((digit) => digit + digit).join('') : hex;
  const part = (at: number) => Number.parseInt(long.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
}

/**
 * A colour as CSS and HTML write it: hexadecimal, rgb(), rgba(), hsl() with no lightness or all of it, the names of light
 * colours. `transparent` where nothing of it is seen; null where it is not known.
 */
export function cssColour(value: string): Colour | 'transparent' | null {
  const text = value.trim().toLowerCase();
  if (text === 'transparent') return 'transparent';
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  const hex = named ?? /^#([0-9a-f]{3,8})$/.exec(text)?.[1];
  if (hex !== undefined) {
    const alpha = hex.length === 8 ? hex.slice(6) : hex.length === 4 ? hex[3]!.repeat(2) : 'ff';
    return Number.parseInt(alpha, 16) / 255 <= LEAST_ALPHA ? 'transparent' : hexColour(hex);
  }
  const [, space, inside] = /^(rgb|hsl)a?\(([^()]{1,60})\)$/.exec(text) ?? [];
  if (inside === undefined) return null;
  const numbers = inside.split(/[\s,/]+/).filter((part) => part !== '');
  const [a, b, c, alpha] = numbers.map((part) => {
    const number = Number.parseFloat(part);
    return part.endsWith('%') ? number / 100 : number;
  });
  if (alpha !== undefined && alpha <= LEAST_ALPHA) return 'transparent';
  if (a === undefined || b === undefined || c === undefined || [a, b, c].some(Number.isNaN)) return null;
  if (space === 'hsl') return c >= 0.97 ? WHITE : c <= 0.03 ? BLACK : null;
  const isShare = numbers[0]!.endsWith('%');
  const parts = [a, b, c].map((part) => Math.min(255, Math.max(0, isShare ? part * 255 : part)));
  return [parts[0]!, parts[1]!, parts[2]!];
}

/** Relative luminance of WCAG 2.2, in [0, 1]. */
function luminance(colour: Colour): number {
  const [r, g, b] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

/** Whether text of one colour cannot be told from what lies behind it, by the contrast ratio of WCAG 2.2. */
export function sameColour(text: Colour, behind: Colour): boolean {
  const [light, dark] = [luminance(text), luminance(behind)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05) < LEAST_CONTRAST;
}
