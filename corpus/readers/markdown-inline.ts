import type { fromMarkdown } from 'mdast-util-from-markdown';
import type { Block, Part } from '../types.ts';

type Root = ReturnType<typeof fromMarkdown>;
export type Node = Root['children'][number];
/** Any node of the tree: those that hold others, and those that hold text. */
export interface AnyNode {
  type: string;
  position?: Node['position'] | undefined;
  children?: readonly AnyNode[];
  value?: string;
  alt?: string | null | undefined;
}

/** A stretch of the source that is shown as something else: of most marks as nothing. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Elements of HTML that stand within a line; in "<host>" no element is meant. */
const INLINE =
  /<\/?(?:a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|nobr|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)(?:\s[^<>]*)?\/?>/gi;
/** Those that stand for themselves: what is before them and what is behind are two words. */
const BETWEEN =
  /<\/?(?:address|article|aside|blockquote|br|caption|center|col|colgroup|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|h[1-6]|header|hr|img|input|label|li|main|nav|ol|p|picture|pre|section|source|summary|table|tbody|td|tfoot|th|thead|tr|ul|video)(?:\s[^<>]*)?\/?>/gi;
const ESCAPE = /\\(?=[!-/:-@[-`{-~])/g;
const TICKS = /^`+/;
/** What Hugo puts something else in the place of. */
const SHORTCODE = /\{\{[<%][^{}\n\r]{0,500}[%>]\}\}/g;

/** What a heading, a cell or a paragraph says, without its marks. */
export function plainOf(node: AnyNode): string {
  if (node.type === 'html') return withoutTags(node.value ?? '');
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
  if (node.type === 'break') return ' ';
  return node.value ?? (node.children ?? []).map(plainOf).join('');
}

export function withoutTags(html: string): string {
  return html.replace(INLINE, '').replace(BETWEEN, ' ');
}

/** A line of Markdown that is no node of its own, without its marks. */
export function plainLine(raw: string): string {
  const unlinked = withoutTags(raw).replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1');
  return unlinked.replace(/(?<!\\)(?:[*`]|~~|(?<!\w)_|_(?!\w))/g, '').replace(ESCAPE, '');
}

/** What of a node's source is not shown, or otherwise; `range`: where a node stands in the source. */
export function marksOf(
  node: AnyNode,
  source: string,
  range: (node: AnyNode) => { start: number; end: number },
): Edit[] {
  const { start, end } = range(node);
  const children = node.children ?? [];
  const [first, last] = [children[0], children.at(-1)];
  const inner = () => children.flatMap((child) => marksOf(child, source, range));
  const raw = () => source.slice(start, end);
  switch (node.type) {
    case 'heading':
    case 'emphasis':
    case 'strong':
    case 'delete':
    case 'link':
    case 'linkReference':
      if (first === undefined || last === undefined) return edit(start, end);
      return [...edit(start, range(first).start), ...inner(), ...edit(range(last).end, end)];
    case 'image':
    case 'imageReference':
      return edit(start, end, node.alt ?? '');
    case 'footnoteReference':
      return edit(start, end);
    case 'inlineCode': {
      const ticks = TICKS.exec(raw())?.[0].length ?? 0;
      return [...edit(start, start + ticks), ...edit(end - ticks, end)];
    }
    case 'html':
      return [...found(INLINE, raw(), start), ...found(BETWEEN, raw(), start, ' ')];
    case 'break':
      return found(/^\\/g, raw(), start);
    case 'text':
      if (!/&[#\w]{1,32};/.test(raw()))
        return [...found(ESCAPE, raw(), start), ...found(SHORTCODE, raw(), start)];
      return raw() === node.value ? [] : edit(start, end, node.value);
    default:
      return inner();
  }
}

function edit(start: number, end: number, text = ''): Edit[] {
  return start < end ? [{ start, end, text }] : [];
}

function found(pattern: RegExp, raw: string, from: number, text = ''): Edit[] {
  return Array.from(raw.matchAll(pattern), ({ 0: mark, index }) => ({
    start: from + index,
    end: from + index + mark.length,
    text,
  }));
}

/** A text with edits made, and how offsets go from one to the other. */
export class Edited {
  readonly text: string;
  readonly #edits: readonly Edit[];
  /** Where each edit begins in the new text. */
  readonly #begins: number[] = [];

  /** `edits`: in any order. Of what two take away the second takes the rest; what another covers is not made. */
  constructor(source: string, edits: readonly Edit[]) {
    this.#edits = apart(edits);
    const parts: string[] = [];
    let at = 0;
    let length = 0;
    for (const { start, end, text } of this.#edits) {
      parts.push(source.slice(at, start), text);
      length += start - at;
      this.#begins.push(length);
      length += text.length;
      at = end;
    }
    parts.push(source.slice(at));
    this.text = parts.join('');
  }

  /** An offset into the source as one into the text; from within what was replaced, to its end. */
  to(offset: number): number {
    const place = lastAtMost(this.#edits.length, (i) => this.#edits[i]!.start, offset - 1);
    if (place === -1) return offset;
    const { end, text } = this.#edits[place]!;
    return this.#begins[place]! + text.length + Math.max(0, offset - end);
  }

  /** An offset into the text as one into the source; of what was put there, where that began. */
  from(offset: number): number {
    const place = lastAtMost(this.#edits.length, (i) => this.#begins[i]!, offset);
    if (place === -1) return offset;
    const { start, end, text } = this.#edits[place]!;
    const behind = offset - this.#begins[place]! - text.length;
    return behind < 0 ? start : end + behind;
  }

  block(block: Block): Block {
    const { start, end, header, entries } = block;
    return {
      ...block,
      start: this.to(start),
      end: this.to(end),
      ...(header && { header: { ...header, end: this.to(header.end) } }),
      ...(entries && { entries: entries.map((each) => this.block(each)) }),
    };
  }

  part(part: Part): Part {
    return { ...part, start: this.to(part.start), end: this.to(part.end) };
  }
}

function apart(edits: readonly Edit[]): Edit[] {
  const kept: Edit[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (edit.end <= at) continue;
    kept.push(edit.start < at ? { ...edit, start: at } : edit);
    at = edit.end;
  }
  return kept;
}

/** The last of `count` places, in ascending order, whose number is at most `limit`; -1: none. */
function lastAtMost(count: number, numberAt: (place: number) => number, limit: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberAt(middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
