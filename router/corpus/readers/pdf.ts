import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { PragauraError } from '../../../errors.ts';
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

async function linesOf(document: PDFDocumentProxy, number: number): Promise<Line[]> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  const lines: Line[] = [];
  let line: Line = { text: '', height: 0, y: 0 };
  for (const item of items) {
    if (!('str' in item)) continue;
    if (line.text === '') line.y = item.transform[5] as number;
    line.text += item.str;
    line.height = Math.max(line.height, item.str.trim() === '' ? 0 : item.height);
    if (item.hasEOL) {
      lines.push(line);
      line = { text: '', height: 0, y: 0 };
    }
  }
  lines.push(line);
  page.cleanup();
  return lines.filter(({ text }) => text.trim() !== '');
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
  const sizes = new Map<number, number>();
  for (const { start, end, height } of paragraphs) {
    const size = Math.round(height * 10) / 10;
    sizes.set(size, (sizes.get(size) ?? 0) + end - start);
  }
  return [...sizes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
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

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
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
      verbosity: 0,
    }).promise;
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'PasswordException') throw unreadable('is protected with a password', error);
    throw unreadable('is not a PDF, or is damaged', error);
  }
}

/**
 * The text of a PDF, page by page; a position is a page. Headings are told by the size of their letters.
 * @throws UNREADABLE_DOCUMENT for what is damaged, locked, or holds only pictures of text
 */
export async function extractPdf(bytes: Uint8Array): Promise<Extracted> {
  const document = await open(bytes);
  try {
    const pages = new Pages();
    for (let number = 1; number <= document.numPages; number += 1) {
      pages.page(number, await linesOf(document, number));
    }
    const text = pages.finish();
    if (!/\S/.test(text))
      throw unreadable('holds no text, only pictures of it; scanned pages need OCR first');
    const { info } = await document.getMetadata();
    const named = (info as { Title?: unknown }).Title;
    const outline = outlineOf(typeof named === 'string' ? cleanTitle(named) : '', text, pages.paragraphs);
    const { blocks, parts } = outline;
    return { title: outline.title, text, blocks, parts, marks: pages.marks };
  } catch (error) {
    if (PragauraError.isInstance(error)) throw error;
    throw unreadable('is damaged', error);
  } finally {
    await document.loadingTask.destroy();
  }
}
