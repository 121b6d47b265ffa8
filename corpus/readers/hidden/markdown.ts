/** What of a Markdown text is not seen once it is rendered: comments, HTML that hides what is in it, alternative text. */
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import type { HiddenTexts } from '../../types.ts';
import { NESTED_FENCE } from '../code-fences.ts';
import { linePositions } from '../offsets.ts';
import { Sight } from './html.ts';
import { blanked, bothHidden, HiddenNotes } from './notes.ts';

type Node = DefaultTreeAdapterMap['node'];

interface Range {
  start: number;
  end: number;
}

/** Code within a line; longer runs of marks are code blocks. */
const CODE = /(?<![`\\])(`{1,2})(?!`)[^`\n\r]{1,1000}(?<!`)\1(?!`)/g;
/** Elements whose content a parser takes for no text: mentioned in a line, they would swallow what follows. */
const SWALLOWING =
  /<(?=\/?(?:script|style|textarea|title|xmp|plaintext|noscript|noembed|noframes|iframe|svg|math|template)\b)/gi;
/** The mark of a comment that nothing ends is one at the start of a line alone. */
const COMMENT = /<!--/g;
const IMAGE = /!\[([^\][\n]{1,500})\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])/g;
/** "[//]: # (…)" and its kin: a definition of a link that nothing leads to, written as a comment. */
const LINK_COMMENT =
  /^ {0,3}\[(?:\/\/|comment|_metadata_[^\]]{0,40}|#|\^)\]:[ \t]*(?:#|<>)?[ \t]*(.{1,2000})$/gim;

/** Where code stands, which is seen as it is written. */
function codeIn(text: string): Range[] {
  const found: Range[] = [];
  let fence: { mark: string; start: number } | null = null;
  let blank = true;
  let listed = false;
  for (const { 0: line, index } of text.matchAll(/[^\n\r]*(?:\r\n|\n|\r|$)/g)) {
    const content = line.trim();
    const mark = NESTED_FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence.mark) && /^[`~>\s]*$/.test(line)) {
        found.push({ start: fence.start, end: index + line.length });
        fence = null;
      }
    } else if (mark !== undefined) fence = { mark, start: index };
    else if (blank && !listed && /^(?: {4}|\t)/.test(line) && content !== '') {
      found.push({ start: index, end: index + line.length });
      continue;
    } else
      for (const code of line.matchAll(CODE)) {
        found.push({ start: index + code.index, end: index + code.index + code[0].length });
      }
    blank = content === '';
    // What is set in below an item of a list is text of it.
    if (/^\S/.test(line)) listed = /^(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line);
    if (line === '') break;
  }
  if (fence !== null) found.push({ start: fence.start, end: text.length });
  return found;
}

/** The same with what a parser of HTML would trip over taken away; offsets stay. */
function plain(text: string): string {
  const calm = blanked(text, codeIn(text)).replace(SWALLOWING, ' ');
  const lastEnd = calm.lastIndexOf('-->');
  return calm.replace(COMMENT, (mark, at: number) => {
    const ended = at < lastEnd;
    const leads = /(?:^|[\n\r])[ \t>]{0,12}$/.test(calm.slice(Math.max(0, at - 14), at));
    return ended || leads ? mark : '    ';
  });
}

/** The text with blanks in the place of what is not seen, so that every offset stays, and what that was. */
export function seenMarkdown(
  text: string,
  positionAt = linePositions(text),
): { text: string; hidden: HiddenTexts | undefined } {
  const hasHtml = /<[a-z!]/i.test(text);
  if (!hasHtml && !text.includes('![') && !text.includes(']:')) return { text, hidden: undefined };
  const notes = new HiddenNotes();
  const ranges: Range[] = [];
  const calm = plain(text);
  let styled: HiddenTexts | undefined;
  if (hasHtml) {
    const root = parseFragment(calm, { sourceCodeLocationInfo: true });
    const sight = new Sight(root);
    const stack: { node: Node; hidden: boolean }[] = [{ node: root, hidden: false }];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const { node } = at;
      const location = node.sourceCodeLocation;
      const range = location ? { start: location.startOffset, end: location.endOffset } : null;
      let { hidden } = at;
      if (node.nodeName === '#comment' && 'data' in node && range !== null) {
        ranges.push(range);
        notes.add('a comment', node.data, positionAt(range.start));
      } else if (node.nodeName === '#text' && 'value' in node && range !== null) {
        if (hidden) ranges.push(range);
        else if (sight.isInkless(node.parentNode)) {
          ranges.push(range);
          sight.noteText(node);
        }
      } else if ('tagName' in node && !hidden) hidden = sight.isHidden(node);
      if ('childNodes' in node)
        for (const child of node.childNodes.toReversed()) stack.push({ node: child, hidden });
    }
    styled = sight.notes.finish();
  }
  for (const { 0: whole, 1: said, index } of calm.matchAll(IMAGE)) {
    const before = calm.lastIndexOf('\n', index) + 1;
    // A picture that is all there is of a heading stands for its words.
    if (/^ {0,3}#/.test(calm.slice(before, before + 4))) continue;
    ranges.push({ start: index, end: index + whole.length });
    notes.add('alternative text', said!, positionAt(index));
  }
  for (const { 1: said, index } of calm.matchAll(LINK_COMMENT))
    notes.add('a comment', said!, positionAt(index));
  ranges.sort((a, b) => a.start - b.start);
  return { text: blanked(text, ranges), hidden: bothHidden(styled, notes.finish()) };
}
