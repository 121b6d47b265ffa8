import { boldTerm } from './entry-terms.ts';
import { type AnyNode, type Node, plainLine, plainOf, plainOfAll } from './markdown-inline.ts';
import { cleanTitle } from './offsets.ts';
import type { Outline } from './outline.ts';

/** Between two names of one thing, and behind the last of them. */
const OR = /^(?:,[ \t]*|[ \t]*(?:\||\/|or)[ \t]*)$/;
const SAID = /^[ \t]*(?::|[–—]|-[ \t])[ \t]*\S/;

/** What a paragraph begins with in bold, followed by something else, or as code, followed by a colon or a dash. */
export function leadTerm(node: AnyNode): string | null {
  const { children = [] } = node;
  const [first] = children;
  if (first?.type === 'strong') {
    const said = plainOfAll(children.slice(1));
    const follows = plainOf(first).startsWith('-') ? /^\s*\S/ : /^[ \t]*\S/;
    return follows.test(said) ? boldTerm(plainOf(first)) : null;
  }
  let names = 0;
  while (children[names]?.type === 'inlineCode' && OR.test(children[names + 1]?.value ?? '')) names += 2;
  if (children[names]?.type !== 'inlineCode' || !SAID.test(children[names + 1]?.value ?? '')) return null;
  return boldTerm(plainOfAll(children.slice(0, names + 1)));
}

/** Words that stand between the names of one thing, or in brackets for what is given to it. */
const BETWEEN_NAMES = /\[[^\]]*\]|\([^)]*\)|<[^>]*>|\{[^}]*\}|["=,|/.…*-]|\b(?:or|and)\b|\s/g;
const MAX_NAMES = 120;

/** The names in a paragraph that holds nothing else, in bold or as code, with what is given to them: "**--all**, **-a** *path*". */
function namesAlone(node: Node | undefined): string | null {
  if (node?.type !== 'paragraph') return null;
  const [first] = node.children;
  if (first?.type !== 'strong' && first?.type !== 'inlineCode') return null;
  const line = plainOf(node).trim();
  const beside = plainOfAll(node.children.filter(({ type }) => type === 'text'));
  const isCommand = first.type === 'inlineCode' && !/^-|^\S*[_.$\p{Lu}]\S*$/u.test(first.value);
  const fits =
    !isCommand &&
    line.length <= MAX_NAMES &&
    !/[\n\r]|[.!?:;]$/.test(line) &&
    beside.replace(BETWEEN_NAMES, '') === '';
  return fits && boldTerm(plainOf(first)) !== null ? line : null;
}

/** What a term stands above: its own paragraphs, one for each way to write it, then those that describe it. */
export interface Entry {
  terms: Node[];
  said: Node[];
}

/**
 * The entry that begins at a node of a section, as manual pages in Markdown have them: a paragraph of names alone, and what
 * stands below it up to the next. Null where none begins. One bold line alone in a section is a heading of some kind, unless it
 * is an option.
 */
export function entryAt(nodes: readonly Node[], at: number): Entry | null {
  const name = namesAlone(nodes[at]);
  if (name === null) return null;
  const ends = (place: number) => place >= nodes.length || nodes[place]!.type === 'heading';
  let said = at;
  while (namesAlone(nodes[said]) !== null) said += 1;
  let end = said;
  while (!ends(end) && namesAlone(nodes[end]) === null) end += 1;
  if (end === said || (!name.startsWith('-') && !isAmongOthers(nodes, at))) return null;
  return { terms: nodes.slice(at, said), said: nodes.slice(said, end) };
}

function isAmongOthers(nodes: readonly Node[], at: number): boolean {
  let [from, to] = [at, at];
  while (from > 0 && nodes[from - 1]!.type !== 'heading') from -= 1;
  while (to < nodes.length && nodes[to]!.type !== 'heading') to += 1;
  return nodes.slice(from, to).filter((node) => namesAlone(node) !== null).length > 1;
}

interface DefinitionLine {
  start: number;
  end: number;
  text: string;
  /** What it describes begins behind a colon. */
  mark: number;
}

/** Entries written as a term and, on the lines below it, ": description". False: the paragraph holds none. */
export function addDefinitions(outline: Outline, text: string, start: number, end: number): boolean {
  const found = text.slice(start, end).matchAll(/[^\n\r]+/g);
  const lines = Array.from(found, ({ 0: line, index }): DefinitionLine => {
    const mark = /^ {0,3}:[ \t]+(?=\S)/.exec(line)?.[0].length ?? 0;
    return { start: start + index, end: start + index + line.trimEnd().length, text: line, mark };
  });
  const begins = (at: number) =>
    lines[at]!.mark === 0 && !/^(?: {2}|\t)/.test(lines[at]!.text) && (lines[at + 1]?.mark ?? 0) > 0;
  if (lines.length < 2 || !begins(0)) return false;
  const list = outline.nextList();
  let position = 0;
  for (let at = 0; at < lines.length; ) {
    let to = at + 1;
    while (to < lines.length && !begins(to)) to += 1;
    position += 1;
    const first = lines[at]!;
    const last = lines[to - 1]!;
    const term = cleanTitle(plainLine(first.text));
    outline.part('term', first.start, first.end, { list, position, term });
    for (let i = at + 1; i < to; i += 1) {
      if (lines[i]!.mark === 0) continue;
      let until = i;
      while (until + 1 < to && lines[until + 1]!.mark === 0) until += 1;
      const from = lines[i]!.start + lines[i]!.mark;
      outline.part('description', from, lines[until]!.end, { list, position, term });
    }
    outline.entry(term, first.start, last.end);
    at = to;
  }
  return true;
}
