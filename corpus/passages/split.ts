import type { Block, SourceDocument } from '../types.ts';
import { breadcrumbs } from './breadcrumbs.ts';
import { genreOf } from './genre.ts';
import type { Passage } from './passage.ts';
import { type Range, sentences, trimmed } from './sentences.ts';

/** Goes up whenever the same document would be cut in another way: older indexes are then built anew. */
export const SPLITTER_VERSION = 9;

export interface SplitOptions {
  /** Upper limit of a passage in word pieces, title not counted. */
  maxTokens: number;
  /** Word pieces of a text, without special tokens. */
  countTokens(text: string): number;
}

interface Unit extends Range {
  cost: number;
}

interface Group {
  blocks: Block[];
  cost: number;
}

/**
 * A word piece vocabulary counts a megabyte without a space as one unknown token, so that a passage is limited in
 * characters as well: this many to a token, far above what real text has.
 */
const CHARS_PER_TOKEN = 12;
/** Below this share of the limit a block is too small to stand alone. */
const TINY = 0.18;
/** An entry of a definition list with fewer word pieces (an index, a word for a word) may stand with its neighbours. */
const TINY_ENTRY = 12;
/** A longer sentence is not repeated at the start of the next passage. */
const OVERLAP = 0.33;

/** Characters of white space to a token: formulas copied from the web are mostly line breaks. */
const SPACES_PER_TOKEN = 100;

function costOf(text: string, options: SplitOptions): number {
  const least = Math.ceil(text.length / SPACES_PER_TOKEN);
  if (least > options.maxTokens) return least;
  const solid = Math.ceil(text.replace(/\s+/g, ' ').length / CHARS_PER_TOKEN);
  return solid > options.maxTokens ? solid : Math.max(least, solid, options.countTokens(text));
}

/** A place to cut near the middle of a range: behind white space, else between two characters. */
function middleOf(text: string, { start, end }: Range): number {
  const middle = start + Math.ceil((end - start) / 2);
  const reach = Math.min(400, Math.floor((end - start) / 4));
  for (let away = 0; away < reach; away += 1) {
    if (/\s/.test(text[middle - away]!)) return middle - away;
    if (/\s/.test(text[middle + away]!)) return middle + away;
  }
  const low = text.charCodeAt(middle);
  const high = text.charCodeAt(middle - 1);
  const inPair = low >= 0xdc00 && low < 0xe000 && high >= 0xd800 && high < 0xdc00;
  return inPair ? middle + 1 : middle;
}

/** The range, or pieces of it that each keep to the limit. */
function fitting(text: string, range: Range, options: SplitOptions): Unit[] {
  const cost = costOf(text.slice(range.start, range.end), options);
  if (cost <= options.maxTokens || range.end - range.start <= 2) return [{ ...range, cost }];
  const middle = middleOf(text, range);
  return [
    ...trimmed(text, range.start, middle).flatMap((half) => fitting(text, half, options)),
    ...trimmed(text, middle, range.end).flatMap((half) => fitting(text, half, options)),
  ];
}

function lines(text: string, { start, end }: Range): Range[] {
  const found: Range[] = [];
  for (const match of text.slice(start, end).matchAll(/[^\n\r]+/g)) {
    found.push(...trimmed(text, start + match.index, start + match.index + match[0].length));
  }
  return found;
}

/**
 * What a block is put together from again: sentences of prose, lines (items, rows) of everything else, in a list
 * sentences of a long line.
 */
function unitsOf(text: string, block: Block, options: SplitOptions): Unit[] {
  const { kind, start, end } = block;
  if (kind === 'prose') return sentences(text, start, end).flatMap((part) => fitting(text, part, options));
  return lines(text, block).flatMap((line) => {
    const long = kind === 'list' && costOf(text.slice(line.start, line.end), options) > options.maxTokens / 2;
    const parts = long ? sentences(text, line.start, line.end) : [line];
    return parts.flatMap((part) => fitting(text, part, options));
  });
}

/** A block that is too long to be one passage, as what stands before, between and behind the entries in it, and these. */
function around(text: string, block: Block): Block[] {
  const { entries = [], ...whole } = block;
  const found: Block[] = [];
  let at = block.start;
  for (const entry of entries) {
    for (const range of trimmed(text, at, entry.start)) found.push({ ...whole, ...range });
    found.push(entry);
    at = entry.end;
  }
  for (const range of trimmed(text, at, block.end)) found.push({ ...whole, ...range });
  return found;
}

/** Fills passages evenly, each within the limit, the last sentence of one being the first of the next. */
function pack(units: readonly Unit[], maxTokens: number, overlap: boolean): Range[] {
  const packed: Range[] = [];
  let rest = units.reduce((sum, unit) => sum + unit.cost, 0);
  let from = 0;
  while (from < units.length) {
    const target = rest / Math.ceil(rest / maxTokens);
    let cost = units[from]!.cost;
    let to = from + 1;
    while (to < units.length && cost + units[to]!.cost <= maxTokens && cost + units[to]!.cost / 2 <= target) {
      cost += units[to]!.cost;
      to += 1;
    }
    packed.push({ start: units[from]!.start, end: units[to - 1]!.end });
    rest -= cost;
    const last = units[to - 1]!;
    const next = units[to];
    const repeat =
      overlap &&
      next !== undefined &&
      to - 1 > from &&
      last.cost <= maxTokens * OVERLAP &&
      last.cost + next.cost <= maxTokens;
    if (repeat) rest += last.cost;
    from = repeat ? to - 1 : to;
  }
  return packed;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((heading, i) => heading === b[i]);
}

/**
 * Neighbouring blocks under the same headings that make one passage: a tiny block joins what follows it (or, at the
 * end, what precedes it), and a paragraph that ends in a colon joins the list, table or code that it announces, a title
 * in bold what it is the title of.
 * Records stay alone: a reader that sees several takes the answer from the wrong one.
 */
function groups(text: string, blocks: readonly Block[], options: SplitOptions): Group[] {
  const tiny = options.maxTokens * TINY;
  const result: Group[] = [];
  for (const block of blocks) {
    const cost = costOf(text.slice(block.start, block.end), options);
    const group = result.at(-1);
    const last = group?.blocks.at(-1);
    const fits = group !== undefined && group.cost + cost <= options.maxTokens;
    if (fits && last?.entry && block.entry) {
      const small = cost < TINY_ENTRY && (group.blocks.length > 1 || group.cost < TINY_ENTRY);
      if (small && same(last.headings.slice(0, -1), block.headings.slice(0, -1))) {
        group.blocks.push(block);
        group.cost += cost;
        continue;
      }
    } else if (
      fits &&
      last !== undefined &&
      !block.alone &&
      !block.leads &&
      same(last.headings, block.headings)
    ) {
      const announced = block.kind !== 'prose' && /[:：]\s*$/u.test(text.slice(last.start, last.end));
      if (group.cost < tiny || cost < tiny || announced || last.leads) {
        group.blocks.push(block);
        group.cost += cost;
        continue;
      }
    }
    result.push({ blocks: [block], cost });
  }
  return result;
}

function mainKind(blocks: readonly Block[]): Block['kind'] {
  const sizes = new Map<Block['kind'], number>();
  for (const { kind, start, end } of blocks) sizes.set(kind, (sizes.get(kind) ?? 0) + end - start);
  return [...sizes].sort((a, b) => b[1] - a[1])[0]![0];
}

/** Something to read: a letter, a digit or a pictograph. */
const CONTENT = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/**
 * Cuts a document into passages. `passage.text` is exactly the slice `start..end` of the document's text. A passage
 * holds whole blocks where they fit; a block that is too long is cut between sentences (prose, with one sentence of
 * overlap) or lines (lists, tables, code). Each entry of a definition list is a passage, its term the last part of its
 * title, also of the pieces that it may have to be cut into. A passage that begins below a table's header has the header as the last
 * part of its title, since its text is only what the slice holds. Empty when there is nothing to read.
 */
export function splitDocument(document: SourceDocument, options: SplitOptions): Passage[] {
  const { text, docId, source } = document;
  const passages: Passage[] = [];
  const add = ({ start, end }: Range, blocks: readonly Block[]) => {
    const slice = text.slice(start, end);
    if (!CONTENT.test(slice)) return;
    const block = blocks[0]!;
    const { headings, entry } = block;
    const term = entry && blocks.length === 1 ? headings.slice(-1) : [];
    // Small entries that stand together are under what is above them all.
    const path = [...breadcrumbs(document.title, entry ? headings.slice(0, -1) : headings), ...term];
    if (block.header !== undefined && start >= block.header.end) path.push(block.header.text);
    passages.push({
      docId,
      passageId: `${docId}#${passages.length}`,
      start,
      end,
      text: slice,
      title: path.filter((part) => part !== '').join(' > '),
      genre: block.entry ? 'definition' : genreOf(slice, mainKind(blocks)),
      source,
      position: document.positionAt(start),
    });
  };
  const cut = (found: readonly Block[]) => {
    for (const { blocks, cost } of groups(text, found, options)) {
      const first = blocks[0]!;
      if (cost <= options.maxTokens) add({ start: first.start, end: blocks.at(-1)!.end }, blocks);
      else if (first.entries !== undefined) cut(around(text, first));
      else {
        const ranges = pack(unitsOf(text, first, options), options.maxTokens, first.kind === 'prose');
        for (const range of ranges) add(range, blocks);
      }
    }
  };
  cut(document.blocks);
  return passages;
}
