/** What CSS declarations keep from a reader, and the rules of a page's own style sheets. */
import type { HiddenKind } from '../../types.ts';
import { type Colour, cssColour } from './colour.ts';

/** What declarations say of the text below an element; undefined where they say nothing. */
export interface Look {
  /** Why nothing below it is seen. */
  hidden?: HiddenKind;
  /** `transparent`: no ink; null: not known. */
  colour?: Colour | 'transparent' | null;
  /** null: not known, a picture or a gradient. */
  background?: Colour | null;
}

/** Of a style attribute this much is read. */
const MAX_STYLE = 4_000;
/** Further left or above than this nothing is on a page, in pixels. */
const OUTSIDE = -400;
/** Letters of this size and less are not read, in pixels. */
const TINY = 2;
const PIXELS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  em: 16,
  rem: 16,
  '%': 0.16,
  vw: 12,
  vh: 8,
};

/** A length in pixels, roughly; null for none. */
function pixels(value: string | undefined): number | null {
  const [, number, unit] =
    /^(-?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))(px|pt|r?em|%|v[wh])?$/.exec(value ?? '') ?? [];
  if (number === undefined) return null;
  if (unit === undefined && Number(number) !== 0) return null;
  return Number(number) * (PIXELS[unit ?? 'px'] ?? 1);
}

function declarationsIn(style: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of style
    .slice(0, MAX_STYLE)
    .replace(/\/\*.*?(?:\*\/|$)/gs, '')
    .split(';')) {
    const colon = part.indexOf(':');
    if (colon < 0) continue;
    const value = part
      .slice(colon + 1)
      .replace(/!\s*important/i, '')
      .trim()
      .toLowerCase();
    found.set(part.slice(0, colon).trim().toLowerCase(), value);
  }
  return found;
}

function isNothing(value: string | undefined): boolean {
  const size = pixels(value);
  return size !== null && size <= 1;
}

function hiddenBy(of: ReadonlyMap<string, string>): HiddenKind | undefined {
  const opacity = of.get('opacity');
  const share = Number.parseFloat(opacity ?? '1') / (opacity?.endsWith('%') ? 100 : 1);
  if (
    of.get('display') === 'none' ||
    /^(?:hidden|collapse)$/.test(of.get('visibility') ?? '') ||
    share <= 0.05
  )
    return 'not displayed';
  const size = pixels(
    of.get('font-size') ?? /(?:^|\s)([\d.]+(?:px|pt|em|%))/.exec(of.get('font') ?? '')?.[1],
  );
  if (size !== null && size <= TINY) return 'too small to read';
  const placed = /^(?:absolute|fixed)$/.test(of.get('position') ?? '');
  const sides = placed ? ['left', 'top', 'right', 'bottom', 'inset'] : [];
  const moved = [...sides, 'text-indent', 'margin-left', 'margin-top'].map((side) => pixels(of.get(side)));
  const shift = /translate[xy3d]*\(\s*(-[\d.]+(?:px|em|%|vw))/.exec(of.get('transform') ?? '')?.[1];
  if ([...moved, pixels(shift)].some((by) => by !== null && by <= OUTSIDE)) return 'outside of the page';
  const cut = /^(?:hidden|clip)$/.test(of.get('overflow') ?? '');
  const none = ['width', 'height', 'max-width', 'max-height'].some((side) => isNothing(of.get(side)));
  const clipped =
    /^rect\(\s*(?:[01](?:px)?[\s,]*){4}\)$/.test(of.get('clip') ?? '') ||
    /^(?:inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0)/.test(of.get('clip-path') ?? '') ||
    /scale[xy]?\(\s*0(?:\.0\d*)?\s*[,)]/.test(of.get('transform') ?? '');
  return (cut && none) || clipped ? 'not displayed' : undefined;
}

/** What the declarations of a style attribute, or of a rule, keep from a reader. Linear in the text. */
export function lookOf(style: string): Look {
  const of = declarationsIn(style);
  const hidden = hiddenBy(of);
  const colour = of.get('color');
  const background = of.get('background-color') ?? of.get('background');
  const known = background === undefined ? undefined : cssColour(background);
  const picture = /url\(|gradient\(/.test(`${background ?? ''} ${of.get('background-image') ?? ''}`);
  return {
    ...(hidden !== undefined && { hidden }),
    ...(colour !== undefined && colour !== 'inherit' && { colour: cssColour(colour) }),
    ...(picture
      ? { background: null }
      : known !== undefined && known !== 'transparent' && { background: known }),
  };
}

/** What is read of all style sheets of a page: characters, and rules that change what is seen. */
const MAX_SHEET = 300_000;
const MAX_RULES = 2_000;
/** A tag, a class, an id, or a tag with one of them: what else selects is not followed. */
const SIMPLE = /^([a-z][a-z0-9]*)?([.#][a-z_-][\w-]*)?$/i;

/** Rules of simple selectors, by "p", ".note", "#top", "p.note". At-rules (media, animations) are not followed. */
export class StyleSheet {
  readonly #looks = new Map<string, Look>();
  #read = 0;

  add(css: string): void {
    const text = css.slice(0, MAX_SHEET - this.#read).replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '');
    this.#read += text.length;
    let depth = 0;
    let skipped = false;
    let from = 0;
    let selector = '';
    for (const { 0: mark, index } of text.matchAll(/[{};]/g)) {
      if (mark === ';') {
        if (depth === 0) from = index + 1;
      } else if (mark === '{') {
        depth += 1;
        if (depth === 1) {
          selector = text.slice(from, index).trim();
          skipped = selector.startsWith('@');
          from = index + 1;
        }
      } else {
        depth = Math.max(0, depth - 1);
        if (depth > 0) continue;
        if (!skipped) this.#rule(selector, text.slice(from, index));
        from = index + 1;
      }
    }
  }

  #rule(selectors: string, declarations: string): void {
    const look = lookOf(declarations);
    if (Object.keys(look).length === 0) return;
    for (const selector of selectors
      .slice(0, MAX_STYLE)
      .split(',')
      .map((one) => one.trim())) {
      if (selector === '' || !SIMPLE.test(selector) || this.#looks.size >= MAX_RULES) continue;
      this.#looks.set(selector, { ...this.#looks.get(selector), ...look });
    }
  }

  /** What the rules for an element say, the more particular ones last. */
  lookOf(tag: string, classes: readonly string[], id: string): Look {
    if (this.#looks.size === 0) return {};
    const names = [...classes.map((name) => `.${name}`), ...(id === '' ? [] : [`#${id}`])];
    const selectors = [tag, ...names, ...names.map((name) => tag + name)];
    return Object.assign({}, ...selectors.map((selector) => this.#looks.get(selector) ?? {}));
  }
}
