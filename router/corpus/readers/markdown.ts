import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Block } from '../types.ts';
import { cleanTitle } from './offsets.ts';
import { Outline } from './outline.ts';
import { textBlocks } from './text.ts';

type Node = ReturnType<typeof fromMarkdown>['children'][number];

// Only blocks are of interest. Without its inline constructs the parser is faster and has fewer slow inputs.
const BLOCKS_ONLY = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
};

/** The parser's time grows with the square of a few things, so it is given this much at a time. */
const SOFT_CHUNK = 4096;
const HARD_CHUNK = 8192;
const MAX_LINES = 150;
const MAX_UNDERLINES = 20;
/** Containers nested this deep in one line are no document. A rule (`- - -`) is none of them, however long it is. */
const DEEP = /^(?![ \t]*([*-])(?:[ \t]*\1)*[ \t]*$)[ \t]*(?:>[ \t]*|(?:[*+-]|\d{1,9}[.)])[ \t]+){40,}/m;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const FRONT_MATTER =
  /^---[ \t]*(?:\r\n|\n|\r)([\s\S]{0,20000}?)(?:\r\n|\n|\r)(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/;

interface Chunk {
  start: number;
  end: number;
  /** Begins within fenced code. */
  code: boolean;
  /** Ends where a blank line is, so that what follows stands on its own. */
  whole: boolean;
}

/** Cuts Markdown into stretches that can be parsed alone: at blank lines outside of code, or where it gets long. */
function* chunks(text: string, from: number): Generator<Chunk> {
  const lines = /([^\n\r]*)(\r\n|\n|\r|$)/g;
  lines.lastIndex = from;
  let start = from;
  let fence = '';
  let code = false;
  let count = 0;
  let underlines = 0;
  for (;;) {
    const line = lines.exec(text);
    if (line === null || line[0] === '') break;
    const content = line[1]!;
    const end = line.index + line[0].length;
    const mark = FENCE.exec(content)?.[1];
    let closed = false;
    if (fence === '' && mark !== undefined) fence = mark;
    else if (fence !== '' && mark?.startsWith(fence) && content.trim() === mark) {
      fence = '';
      closed = true;
    }
    if (/^\s*(?:=+|-+)\s*$/.test(content)) underlines += 1;
    count += 1;
    const whole = (fence === '' && content.trim() === '') || closed;
    const long = end - start >= HARD_CHUNK || count >= MAX_LINES || underlines >= MAX_UNDERLINES;
    if ((whole && end - start >= SOFT_CHUNK) || long || (code && closed)) {
      yield { start, end, code, whole };
      start = end;
      code = fence !== '';
      count = 0;
      underlines = 0;
    }
  }
  if (start < text.length) yield { start, end: text.length, code, whole: true };
}

/** The end of the rows at the start of a stretch that go on with the table before it. */
function rowsEnd(text: string, { start, end }: Chunk): number {
  let at = start;
  for (const line of text.slice(start, end).matchAll(/[^\n\r]*(?:\r\n|\n|\r|$)/g)) {
    if (!line[0].includes('|')) break;
    at = start + line.index + line[0].length;
  }
  return at;
}

function headingText(raw: string): string {
  const unlinked = raw.replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1');
  return cleanTitle(unlinked.replace(/[*`]|~~|(?<!\w)_|_(?!\w)/g, ''));
}

function textOf(node: Node): string {
  return 'children' in node
    ? node.children.map((child) => ('value' in child ? child.value : '')).join(' ')
    : '';
}

function firstLine(text: string, start: number, end: number): Block['header'] {
  const line = /^[^\n\r]*/.exec(text.slice(start, end))![0];
  return { text: cleanTitle(line), end: start + line.length };
}

const KINDS: Partial<Record<Node['type'], Block['kind']>> = {
  paragraph: 'prose',
  blockquote: 'prose',
  footnoteDefinition: 'prose',
  list: 'list',
  table: 'table',
  code: 'code',
};

function addParsed(outline: Outline, text: string, from: number, to: number): void {
  const source = text.slice(from, to);
  if (DEEP.test(source)) {
    for (const { kind, start, end } of textBlocks(text, from, to)) outline.add(kind, start, end);
    return;
  }
  const tree = fromMarkdown(source, {
    extensions: [gfm(), BLOCKS_ONLY],
    mdastExtensions: [gfmFromMarkdown()],
  });
  for (const node of tree.children) {
    const start = from + (node.position?.start.offset ?? 0);
    const end = from + (node.position?.end.offset ?? 0);
    const kind = KINDS[node.type];
    if (node.type === 'heading') outline.heading(node.depth, headingText(textOf(node)), start, end);
    else if (kind === 'table') outline.add(kind, start, end, firstLine(text, start, end));
    else if (kind !== undefined) outline.add(kind, start, end);
    else if (node.type === 'html' && /\w/.test(node.value.replace(/<!--[\s\S]*?-->|<[^>]*>/g, ''))) {
      outline.add('prose', start, end);
    }
  }
}

/**
 * Blocks of a Markdown text (GFM tables included) and its title: that of the front matter, else a first heading of
 * level one, else "". Front matter itself is not indexed. Inline markup stays in the text as it was written.
 */
export function markdownBlocks(text: string): { title: string; blocks: Block[] } {
  const front = FRONT_MATTER.exec(text);
  const outline = new Outline();
  const named = /^title:[ \t]*(["']?)(.+?)\1[ \t]*$/m.exec(front?.[1] ?? '')?.[2];
  if (named !== undefined) outline.title = cleanTitle(named);

  let before: Chunk | undefined;
  for (const chunk of chunks(text, front?.[0].length ?? 0)) {
    const last = outline.blocks.at(-1);
    let { start } = chunk;
    if (before?.whole === false && last?.kind === 'table' && text.slice(last.end, start).trim() === '') {
      start = rowsEnd(text, chunk);
      const end = chunk.start + text.slice(chunk.start, start).trimEnd().length;
      outline.add('table', chunk.start, end, last.header);
    }
    before = chunk;
    if (chunk.code) outline.add('code', start, start + text.slice(start, chunk.end).trimEnd().length);
    else addParsed(outline, text, start, chunk.end);
  }
  outline.finish();
  return { title: outline.title, blocks: outline.blocks };
}
