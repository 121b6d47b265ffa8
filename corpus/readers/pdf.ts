import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { PragauraError } from '../../common/index.ts';
import { HiddenNotes, noTextBut } from './hidden/notes.ts';
import { seenItems } from './hidden/pdf.ts';
import type { Extracted } from './html.ts';
import { cleanTitle } from './offsets.ts';
import { Outline } from './outline.ts';
import { addText } from './text.ts';

/** Lines further apart than this many line heights are two paragraphs. */
const PARAGRAPH_GAP = 1.7;
/** A paragraph in letters so much larger than most is a heading. */
const HEADING_SIZE = 1.15;
const MAX_HEADING = 150;

interface Line {
  text: string;
  height: number;
  y: number;
}

interface Paragraph {
  start: number;
  end: number;
  height: number;
}

function unreadable(reason: string, cause?: unknown): PragauraError {
  return new PragauraError('UNREADABLE_DOCUMENT', reason, cause === undefined ? {} : { cause });
}

async function linesOf(
  document: PDFDocumentProxy,
  number: number,
  withPictures: () => Promise<PDFDocumentProxy>,
  notes: HiddenNotes,
): Promise<Line[]> {
  const page = await document.getPage(number);
  const content = await page.getTextContent();
  const items = content.items.filter((item) => 'str' in item);
  const seen = await seenItems(page, items, async () => (await withPictures()).getPage(number));
  const lines: Line[] = [];
  let line: Line = { text: '', height: 0, y: 0 };
  for (const [i, item] of items.entries()) {
    const { seen: text, hidden } = seen[i]!;
    for (const { kind, text: said } of hidden) notes.add(kind, said, `p. ${number}`);
    if (line.text === '') line.y = item.transform[5] as number;
    line.text += text;
    line.height = Math.max(line.height, text.trim() === '' ? 0 : item.height);
    if (item.hasEOL) {
      lines.push(line);
      line = { text: '', height: 0, y: 0 };
    }
  }
  lines.push(line);
  page.cleanup();
  return lines.filter(({ text }) => text.trim() !== '');
}

/** Lines at the top and bottom of a page that may be the same on most pages. */
const MARGIN_LINES = 2;
/** Fewer pages show no habit. */
const MIN_PAGES = 4;
const MIN_RUN = 3;
/** A longer line is no header. */
const MAX_MARGIN = 150;
/** Of a run of lines with dots between a title and a page's number, this many make a table of contents. */
const MIN_LEADERS = 3;

/** Where the lines at both ends of a page are. */
function margins(lines: readonly Line[]): number[] {
  const count = Math.min(MARGIN_LINES, Math.floor(lines.length / 2));
  return Array.from({ length: count }, (_, i) => [i, lines.length - 1 - i]).flat();
}

/** By how much the numbers that most pages have at their margins are ahead of the pages; null: they have none. */
function numbersAhead(pages: readonly (readonly Line[])[]): number | null {
  const ahead = pages.flatMap((lines, page) => {
    const found = margins(lines).flatMap((at) => [
      ...lines[at]!.text.slice(0, MAX_MARGIN).matchAll(/\d{1,4}/g),
    ]);
    return [...new Set(found.map(([number]) => Number(number) - page))].map((by) => [by, 1] as const);
  });
  const best = commonest(ahead);
  return best !== undefined && best[1] * 2 > pages.length ? best[0] : null;
}

/** The value of the largest weight in all, and that weight; of equal ones the smaller, or by `tied`. */
function commonest(
  weighed: Iterable<readonly [value: number, weight: number]>,
  tied = (x: number, y: number) => x - y,
): [value: number, weight: number] | undefined {
  const sums = new Map<number, number>();
  for (const [value, weight] of weighed) sums.set(value, (sums.get(value) ?? 0) + weight);
  return [...sums].sort((x, y) => y[1] - x[1] || tied(x[0], y[0]))[0];
}

/**
 * Pages without their running headers and footers: of the outermost lines those that most pages have, or most of the
 * left or the right ones, and those that three pages have but for the number of the page.
 */
function withoutMargins(pages: readonly (readonly Line[])[]): (readonly Line[])[] {
  if (pages.length < MIN_PAGES) return [...pages];
  const ahead = numbersAhead(pages);
  const plain = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();
  /** The line with "#" for the number of its page, the first or the last; none where it is too long for a header. */
  const numbered = (text: string, page: number): string[] => {
    if (ahead === null || text.length > MAX_MARGIN) return [];
    const line = plain(text);
    const found = [...line.matchAll(/\d{1,4}/g)].filter(([number]) => Number(number) === page + ahead);
    return [...new Set([found[0], found.at(-1)])].flatMap((one) =>
      one === undefined ? [] : [`${line.slice(0, one.index)}#${line.slice(one.index + one[0].length)}`],
    );
  };
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  pages.forEach((lines, page) => {
    const texts = margins(lines).map((at) => lines[at]!.text);
    for (const text of new Set(texts.map(plain))) count(`${page % 2} ${text}`);
    for (const text of new Set(texts.flatMap((line) => numbered(line, page)))) count(`# ${text}`);
  });
  const sides = [Math.ceil(pages.length / 2), Math.floor(pages.length / 2)];
  const runs = (text: string, page: number) => {
    const side = page % 2;
    if ((counts.get(`${side} ${plain(text)}`) ?? 0) * 2 > sides[side]!) return true;
    return numbered(text, page).some((marked) => (counts.get(`# ${marked}`) ?? 0) >= MIN_RUN);
  };
  return pages.map((lines, page) => {
    const gone = new Set(margins(lines).filter((at) => runs(lines[at]!.text, page)));
    return lines.filter((_, at) => !gone.has(at));
  });
}

/** Words with which a header that names chapter and section begins alike on neighbouring pages, at most. */
const SAME_WORDS = 3;

/** Pages without headers and footers that change with the chapter. */
function withoutChapters(pages: readonly (readonly Line[])[]): (readonly Line[])[] {
  return pages.length < MIN_PAGES ? [...pages] : withoutOutermost(withoutOutermost(pages, 'first'), 'last');
}

/**
 * Pages without their first or last line, where it is set apart at the same height on most of them and on most of those
 * begins as on a neighbouring page, or on the next on its side.
 */
function withoutOutermost(pages: readonly (readonly Line[])[], end: 'first' | 'last'): (readonly Line[])[] {
  const outer = pages.map((lines) => {
    const [line, next] = end === 'first' ? lines : [lines.at(-1), lines.at(-2)];
    if (line === undefined || next === undefined || line.text.length > MAX_MARGIN) return null;
    return Math.abs(line.y - next.y) > PARAGRAPH_GAP * line.height ? line : null;
  });
  const heights = outer.flatMap((line) => (line === null ? [] : [[Math.round(line.y), 1] as const]));
  const usual = commonest(heights)?.[0];
  const begins = outer.map((line) =>
    line === null || Math.round(line.y) !== usual
      ? null
      : line.text.toLowerCase().trim().split(/\s+/, SAME_WORDS).join(' '),
  );
  const there = begins.flatMap((words, page) => (words === null ? [] : [page]));
  const alike = there.filter((page) => [-2, -1, 1, 2].some((d) => begins[page + d] === begins[page]));
  if (there.length * 2 <= pages.length || alike.length * 2 <= there.length) return [...pages];
  return pages.map((lines, page) =>
    begins[page] === null ? lines : end === 'first' ? lines.slice(1) : lines.slice(0, -1),
  );
}

/** Pages without the lines of a table of contents: a title, dots, the number of a page. */
function withoutContents(pages: readonly (readonly Line[])[]): (readonly Line[])[] {
  const isLeader = ({ text }: Line) => /(?:\.\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,7})\s*$/i.test(text.slice(-300));
  return pages.map((lines) => {
    const leaders = lines.filter(isLeader).length;
    return leaders >= MIN_LEADERS ? lines.filter((line) => !isLeader(line)) : lines;
  });
}

/** Text that grows line by line; remembers its paragraphs and how large they are set. */
class Pages {
  readonly paragraphs: Paragraph[] = [];
  readonly marks: { at: number; position: string }[] = [];
  readonly #parts: string[] = [];
  #length = 0;

  #write(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }

  page(number: number, lines: readonly Line[]): void {
    if (this.#length > 0 && lines.length > 0) this.#write('\n\n');
    this.marks.push({ at: this.#length, position: `p. ${number}` });
    let before: Line | undefined;
    for (const line of lines) {
      const height = Math.max(line.height, before?.height ?? 0, 1);
      const apart =
        before === undefined ||
        Math.abs(before.y - line.y) > PARAGRAPH_GAP * height ||
        Math.abs(before.height - line.height) > 0.1 * height;
      // A word that was divided at the end of a line is one word again.
      const divided = !apart && /\p{Ll}-$/u.test(before!.text) && /^\p{Ll}/u.test(line.text);
      if (divided) {
        const last = this.#parts.pop()!;
        this.#length -= 1;
        this.#parts.push(last.slice(0, -1));
      } else if (before !== undefined) this.#write(apart ? '\n\n' : '\n');
      if (apart) this.paragraphs.push({ start: this.#length, end: this.#length, height: line.height });
      this.#write(line.text);
      this.paragraphs.at(-1)!.end = this.#length;
      before = line;
    }
  }

  finish(): string {
    return this.#parts.join('');
  }
}

/** The height that most of the text is set in. */
function bodyHeight(paragraphs: readonly Paragraph[]): number {
  const sizes = paragraphs.map(
    ({ start, end, height }) => [Math.round(height * 10) / 10, end - start] as const,
  );
  return commonest(sizes, () => 0)?.[0] ?? 0;
}

function outlineOf(title: string, text: string, paragraphs: readonly Paragraph[]): Outline {
  const body = bodyHeight(paragraphs);
  const isHeading = ({ start, end, height }: Paragraph) =>
    height > body * HEADING_SIZE && end - start <= MAX_HEADING && /\p{L}/u.test(text.slice(start, end));
  const rounded = ({ height }: Paragraph) => Math.round(height);
  const sizes = [...new Set(paragraphs.filter(isHeading).map(rounded))].sort((a, b) => b - a);
  const outline = new Outline();
  outline.title = title;
  for (const paragraph of paragraphs) {
    const { start, end } = paragraph;
    if (isHeading(paragraph)) {
      outline.heading(sizes.indexOf(rounded(paragraph)) + 1, cleanTitle(text.slice(start, end)), start, end);
    } else addText(outline, text, start, end);
  }
  outline.finish();
  return outline;
}

/** `pictures`: without them a page is gone through much faster. */
async function open(bytes: Uint8Array, pictures: boolean): Promise<PDFDocumentProxy> {
  const root = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  try {
    return await getDocument({
      // The reader takes its input over; give it a copy.
      data: new Uint8Array(bytes),
      cMapUrl: join(root, 'cmaps/'),
      cMapPacked: true,
      standardFontDataUrl: join(root, 'standard_fonts/'),
      isEvalSupported: false,
      disableFontFace: true,
      maxImageSize: pictures ? -1 : 0,
      verbosity: 0,
    }).promise;
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'PasswordException') throw unreadable('is protected with a password', error);
    throw unreadable('is not a PDF, or is damaged', error);
  }
}

/**
 * The text of a PDF, page by page; a position is a page. Headings are told by the size of their letters; what is printed
 * on most pages, the numbers of pages and tables of contents are left out.
 * @throws UNREADABLE_DOCUMENT for what is damaged, locked, or holds only pictures of text
 */
export async function extractPdf(bytes: Uint8Array): Promise<Extracted> {
  const document = await open(bytes, false);
  let whole: PDFDocumentProxy | undefined;
  const withPictures = async () => {
    whole ??= await open(bytes, true);
    return whole;
  };
  try {
    const notes = new HiddenNotes();
    const read: Line[][] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      read.push(await linesOf(document, number, withPictures, notes));
    }
    const pages = new Pages();
    withoutContents(withoutChapters(withoutMargins(read))).forEach((lines, place) => {
      pages.page(place + 1, lines);
    });
    const text = pages.finish();
    const hidden = notes.finish();
    if (!/\S/.test(text)) {
      const scanned = 'holds no text, only pictures of it; scanned pages need OCR first';
      throw unreadable(hidden === undefined ? scanned : noTextBut(hidden));
    }
    const { info } = await document.getMetadata();
    const named = (info as { Title?: unknown }).Title;
    const outline = outlineOf(typeof named === 'string' ? cleanTitle(named) : '', text, pages.paragraphs);
    const { blocks, parts } = outline;
    const more = hidden === undefined ? {} : { hidden };
    return { title: outline.title, text, blocks, parts, marks: pages.marks, ...more };
  } catch (error) {
    if (PragauraError.isInstance(error)) throw error;
    throw unreadable('is damaged', error);
  } finally {
    await document.loadingTask.destroy();
    await whole?.loadingTask.destroy();
  }
}
