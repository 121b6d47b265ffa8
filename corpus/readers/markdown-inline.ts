import type { fromMarkdown } from 'mdast-util-from-markdown';
import { decodeString } from 'micromark-util-decode-string';
import type { Edit } from './edited.ts';

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

const ATTRIBUTES = String.raw`(?:\s(?:"[^"]*"|'[^']*'|[^'"<>])*)?\/?>`;
/** Elements of HTML that stand within a line; in "<host>" no element is meant. */
const INLINE = new RegExp(
  `<\\/?(?:a|abbr|b|bdi|bdo|big|button|cite|code|del|dfn|em|font|i|ins|kbd|mark|nobr|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)${ATTRIBUTES}`,
  'gi',
);
/** Those that stand for themselves: what is before them and what is behind are two words. */
const BETWEEN = new RegExp(
  `<\\/?(?:address|article|aside|blockquote|br|caption|center|col|colgroup|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|h[1-6]|header|hr|iframe|img|input|label|li|main|nav|ol|p|picture|pre|section|source|summary|table|tbody|td|tfoot|th|thead|tr|ul|video)${ATTRIBUTES}`,
  'gi',
);
/** Elements whose content nobody sees, and comments. */
const UNSEEN = /<!--[\s\S]*?(?:-->|$)|<(script|style|template)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;
/** A character that is written by its name or number. */
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][\da-z]{1,31});/gi;
const TICKS = /^`+/;
/** What Hugo puts something else in the place of. */
const SHORTCODE = /\{\{[<%][^{}\n\r]{0,500}[%>]\}\}/g;
/** What is nested deeper than this keeps its marks. */
const DEEPEST = 200;

/** What a heading, a cell or a paragraph says, without its marks. */
export function plainOf(node: AnyNode, depth = 0): string {
  if (node.type === 'html') return decodeString(withoutTags(node.value ?? ''));
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
  if (node.type === 'break') return ' ';
  if (node.value !== undefined || depth > DEEPEST) return node.value ?? '';
  return plainOfAll(node.children ?? [], depth + 1);
}

export function plainOfAll(nodes: readonly AnyNode[], depth = 0): string {
  return nodes.map((node) => plainOf(node, depth)).join('');
}

export function withoutTags(html: string): string {
  return html.replace(UNSEEN, '').replace(INLINE, '').replace(BETWEEN, ' ');
}

/** A line of Markdown that is no node of its own, without its marks. */
export function plainLine(raw: string): string {
  const unlinked = withoutTags(raw).replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1');
  return decodeString(unlinked.replace(/(?<!\\)(?:[*`]|~~|(?<!\w)_|_(?!\w))/g, ''));
}

/** Where a node stands in the source. */
type RangeOf = (node: AnyNode) => { start: number; end: number };

/** Notes what of a node's source is not shown, or otherwise. `alt`: whether pictures stand for their words. */
export function noteMarks(
  node: AnyNode,
  source: string,
  range: RangeOf,
  edits: Edit[],
  alt = false,
  depth = 0,
): void {
  if (depth > DEEPEST) return;
  const { start, end } = range(node);
  const children = node.children ?? [];
  const [first, last] = [children[0], children.at(-1)];
  const raw = source.slice(start, end);
  const change = (from: number, to: number, text = '') => {
    if (from < to) edits.push({ start: from, end: to, text });
  };
  const changeAll = (pattern: RegExp, as: (found: string) => string) => {
    for (const { 0: found, index } of raw.matchAll(pattern)) {
      change(start + index, start + index + found.length, as(found));
    }
  };
  const inner = () => {
    for (const child of children)
      noteMarks(child, source, range, edits, alt || node.type === 'heading', depth + 1);
  };
  switch (node.type) {
    case 'heading':
    case 'emphasis':
    case 'strong':
    case 'delete':
    case 'link':
    case 'linkReference':
      if (first === undefined || last === undefined) change(start, end);
      else {
        change(start, range(first).start);
        inner();
        change(range(last).end, end);
      }
      break;
    case 'image':
    case 'imageReference':
      change(start, end, alt ? (node.alt ?? '') : '');
      break;
    case 'footnoteReference':
      change(start, end);
      break;
    case 'inlineCode': {
      const ticks = TICKS.exec(raw)?.[0].length ?? 0;
      const code = raw.slice(ticks, raw.length - ticks);
      const padded = /^ [\s\S]*[^ ][\s\S]* $/.test(code) ? 1 : 0;
      change(start, start + ticks + padded);
      change(end - ticks - padded, end);
      // A bar within a table is written so.
      if (node.value?.includes('\\|') === false) changeAll(/\\\|/g, () => '|');
      break;
    }
    case 'html':
      changeAll(UNSEEN, () => '');
      changeAll(INLINE, () => '');
      changeAll(BETWEEN, () => ' ');
      changeAll(REFERENCE, decodeString);
      break;
    case 'break':
      changeAll(/^\\/g, () => '');
      break;
    case 'text':
      changeAll(ESCAPE, (found) => found.slice(1));
      changeAll(REFERENCE, decodeString);
      changeAll(SHORTCODE, () => '');
      break;
    default:
      inner();
  }
}
