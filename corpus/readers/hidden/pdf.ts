/** Which text of a PDF's page is not seen: drawn without ink, in the colour behind it, too small, or beside the page. */
import { OPS, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { HiddenKind } from '../../types.ts';
import { BLACK, type Colour, hexColour, sameColour, WHITE } from './colour.ts';

type Matrix = readonly [number, number, number, number, number, number];

/** Left, bottom, right, top. */
type Box = readonly [number, number, number, number];

/** A piece of text as the reader of PDFs gives it. */
export interface TextItem {
  str: string;
  height: number;
  width: number;
  transform: readonly unknown[];
}

/** What of a piece is seen, and what is not. */
export interface SeenItem {
  seen: string;
  hidden: { kind: HiddenKind; text: string }[];
}

interface State {
  ctm: Matrix;
  /** Null: a pattern. */
  colour: Colour | null;
  opacity: number;
  mode: number;
  size: number;
  leading: number;
}

/** A character and why it is not seen; null: it is. */
interface Glyph {
  character: string;
  kind: HiddenKind | null;
}

/** Smaller letters nobody reads, in points. */
const TINY = 2;
const LEAST_OPACITY = 0.05;
/** Areas on a page that are looked at behind text; the last ones. */
const MAX_AREAS = 2_000;
/** Share of a page from which on a picture is a scan of it, and text without ink over it what is read there. */
const SCAN = 0.5;
/** Glyphs that are looked through for where the text goes on. */
const WINDOW = 400;
const UNIT: Matrix = [1, 0, 0, 1, 0, 0];
const PICTURES = new Set<number>([
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageMaskXObject,
  OPS.paintImageXObjectRepeat,
  OPS.paintInlineImageXObjectGroup,
]);
const FILLS = new Set<number>([
  OPS.fill,
  OPS.eoFill,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
]);

function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function numbersOf(value: unknown): number[] {
  return value !== null && typeof value === 'object' ? Array.from(value as ArrayLike<number>) : [];
}

function matrixOf(value: unknown): Matrix {
  const [a, b, c, d, e, f] = numbersOf(value);
  return [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0];
}

/** The box around a box that a matrix moves. */
function moved(m: Matrix, [left, bottom, right, top]: Box): Box {
  const corners = [
    [left, bottom],
    [left, top],
    [right, bottom],
    [right, top],
  ].map(([x, y]) => [m[0] * x! + m[2] * y! + m[4], m[1] * x! + m[3] * y! + m[5]] as const);
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function holds([left, bottom, right, top]: Box, x: number, y: number): boolean {
  return x >= left - 1 && x <= right + 1 && y >= bottom - 1 && y <= top + 1;
}

function areaOf([left, bottom, right, top]: Box): number {
  return (right - left) * (top - bottom);
}

/** Follows the drawing of a page, one operation after the other. */
class Drawing {
  readonly glyphs: Glyph[] = [];
  readonly #page: Box;
  readonly #areas: { box: Box; colour: Colour | null; scan: boolean }[] = [];
  readonly #stack: State[] = [];
  #state: State = { ctm: UNIT, colour: BLACK, opacity: 1, mode: 0, size: 1, leading: 0 };
  #text: Matrix = UNIT;
  #line: readonly [number, number] = [0, 0];
  #annotations = 0;

  constructor(page: Box) {
    this.#page = page;
  }

  #paint(box: Box, colour: Colour | null, scan = false): void {
    if (this.#state.opacity <= LEAST_OPACITY) return;
    if (this.#areas.length >= MAX_AREAS) this.#areas.shift();
    this.#areas.push({ box, colour, scan });
  }

  /** Why what is drawn at a place, now, is not seen. */
  #kindAt(x: number, y: number): HiddenKind | null {
    const { mode, opacity, colour } = this.#state;
    const area = this.#areas.findLast(({ box }) => holds(box, x, y));
    if (mode === 3 || mode === 7) return area?.scan ? null : 'without ink';
    if (opacity <= LEAST_OPACITY) return 'without ink';
    // An outline has a colour of its own.
    if (mode === 1 || mode === 2 || mode === 5 || mode === 6 || colour === null) return null;
    const behind = area === undefined ? WHITE : area.colour;
    return behind !== null && sameColour(colour, behind) ? 'of the colour behind it' : null;
  }

  #show(glyphs: unknown): void {
    if (this.#annotations > 0 || !Array.isArray(glyphs)) return;
    const { ctm, size } = this.#state;
    const at = times(times(ctm, this.#text), [1, 0, 0, 1, this.#line[0], this.#line[1]]);
    // A little into the first letter.
    const x = at[4] + (at[0] + at[2]) * size * 0.25;
    const y = at[5] + (at[1] + at[3]) * size * 0.25;
    const kind = this.#kindAt(x, y);
    for (const glyph of glyphs as unknown[]) {
      if (glyph === null || typeof glyph !== 'object') continue;
      const { unicode } = glyph as { unicode?: unknown };
      if (typeof unicode !== 'string') continue;
      for (const character of plain(unicode)) this.glyphs.push({ character, kind });
    }
  }

  #move(x: number, y: number): void {
    this.#line = [this.#line[0] + x, this.#line[1] + y];
  }

  do(operation: number, args: readonly unknown[]): void {
    const state = this.#state;
    const [first, second] = args;
    if (operation === OPS.save) this.#stack.push({ ...state });
    else if (operation === OPS.restore || operation === OPS.paintFormXObjectEnd)
      this.#state = this.#stack.pop() ?? state;
    else if (operation === OPS.transform) state.ctm = times(state.ctm, matrixOf(args));
    else if (operation === OPS.paintFormXObjectBegin) {
      this.#stack.push({ ...state });
      if (first !== null) state.ctm = times(state.ctm, matrixOf(first));
    } else if (operation === OPS.setFillRGBColor) {
      state.colour = typeof first === 'string' ? hexColour(first.replace('#', '')) : null;
    } else if (operation === OPS.setFillColorN) state.colour = null;
    else if (operation === OPS.setTextRenderingMode) state.mode = Number(first);
    else if (operation === OPS.setGState) {
      for (const [name, value] of (first ?? []) as [string, unknown][])
        if (name === 'ca') state.opacity = Number(value);
    } else if (operation === OPS.setFont) state.size = Number(second);
    else if (operation === OPS.setLeading) state.leading = -Number(first);
    else if (operation === OPS.beginText) {
      this.#text = UNIT;
      this.#line = [0, 0];
    } else if (operation === OPS.setTextMatrix) {
      this.#text = matrixOf(first);
      this.#line = [0, 0];
    } else if (operation === OPS.moveText) this.#move(Number(first), Number(second));
    else if (operation === OPS.setLeadingMoveText) {
      state.leading = Number(second);
      this.#move(Number(first), Number(second));
    } else if (operation === OPS.nextLine) this.#move(0, state.leading);
    else if (operation === OPS.showText) this.#show(first);
    else if (operation === OPS.constructPath && FILLS.has(Number(first))) {
      const [left, bottom, right, top] = numbersOf(args[2]);
      if (top !== undefined) this.#paint(moved(state.ctm, [left!, bottom!, right!, top]), state.colour);
    } else if (operation === OPS.shadingFill) this.#paint(this.#page, null);
    else if (PICTURES.has(operation)) {
      const box = moved(state.ctm, [0, 0, 1, 1]);
      this.#paint(box, null, areaOf(box) >= SCAN * areaOf(this.#page));
    } else if (operation === OPS.beginAnnotation) this.#annotations += 1;
    else if (operation === OPS.endAnnotation) this.#annotations -= 1;
  }
}

/** A text as both sides of the comparison have it: without white space, compatibility forms unified. */
function plain(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, '');
}

async function drawn(page: PDFPageProxy): Promise<readonly Glyph[]> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const [left, bottom, right, top] = page.view;
  const drawing = new Drawing([left!, bottom!, right!, top!]);
  for (const [i, operation] of fnArray.entries()) drawing.do(operation, (argsArray[i] ?? []) as unknown[]);
  return drawing.glyphs;
}

/** Where the characters of a piece stand among the glyphs, from `from` on; null: nowhere near. */
function found(glyphs: readonly Glyph[], characters: readonly string[], from: number): number | null {
  const begins = (at: number) => characters.every((character, i) => glyphs[at + i]?.character === character);
  for (let at = from; at < Math.min(glyphs.length, from + WINDOW); at += 1) if (begins(at)) return at;
  return null;
}

/** Parts a piece by what its characters are, one kind after the other. */
function parted(item: TextItem, kinds: readonly (HiddenKind | null)[]): SeenItem {
  const hidden: SeenItem['hidden'] = [];
  let seen = '';
  let next = 0;
  let kind: HiddenKind | null = null;
  for (const character of item.str) {
    const length = [...plain(character)].length;
    const before: HiddenKind | null = kind;
    if (length > 0) kind = kinds[next] ?? null;
    next += length;
    // What is hidden between two words parts them as well.
    if (kind === null || (length === 0 && /\S$/.test(seen))) seen += character;
    if (kind === null) continue;
    if (before === kind) hidden.at(-1)!.text += character;
    else hidden.push({ kind, text: character });
  }
  return { seen, hidden };
}

function placed(item: TextItem, [left, bottom, right, top]: Box): HiddenKind | null {
  if (item.str.trim() === '') return null;
  if (item.height > 0 && item.height < TINY) return 'too small to read';
  const [x, y] = [Number(item.transform[4]), Number(item.transform[5])];
  const outside = x > right || y > top || x + item.width < left || y + item.height < bottom;
  return outside ? 'outside of the page' : null;
}

/**
 * What of each piece of a page's text is seen. `withPictures`: the same page of a document that was opened with its
 * pictures, which takes long and is asked for only where without them some text seems hidden.
 */
export async function seenItems(
  page: PDFPageProxy,
  items: readonly TextItem[],
  withPictures: () => Promise<PDFPageProxy>,
): Promise<SeenItem[]> {
  const [left, bottom, right, top] = page.view;
  const view: Box = [left!, bottom!, right!, top!];
  let glyphs = await drawn(page);
  const isHidden = ({ kind }: Glyph) => kind !== null;
  if (glyphs.some(isHidden)) glyphs = await drawn(await withPictures());
  const any = glyphs.some(isHidden);
  let at = 0;
  return items.map((item) => {
    const kind = placed(item, view);
    const characters = any ? [...plain(item.str)] : [];
    const own = characters.length === 0 ? at : (found(glyphs, characters, at) ?? at);
    const kinds = glyphs.slice(own, own + characters.length).map((glyph) => glyph.kind);
    at = own + characters.length;
    if (kind !== null) return { seen: '', hidden: [{ kind, text: item.str }] };
    return any ? parted(item, kinds) : { seen: item.str, hidden: [] };
  });
}
