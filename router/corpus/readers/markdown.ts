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
const MAX_UNDERLINES = 20;
/** Containers nested deeper than this are no document. */
const DEEP = /^[\s>*+-]{80,}/m;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const FRONT_MATTER =
  /^---[ \t]*(?:\r\n|\n|\r)([\s\S]{0,20000}?)(?:\r\n|\n|\r)(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/;

/** Cuts Markdown into stretches that can be parsed alone: at blank lines outside of code, or where it gets long. */
function* chunks(text: string, from: number): Generator<{ start: number; end: number }> {
  const lines = /([^\n\r]*)(\r\n|\n|\r|$)/g;
  lines.lastIndex = from;
  let start = from;
  let fence = '';
  let underlines = 0;
  for (;;) {
    const line = lines.exec(text);
    if (line === null || line[0] === '') break;
    const content = line[1]!;
    const end = line.index + line[0].length;
    const mark = FENCE.exec(content)?.[1];
    if (fence === '' && mark !== undefined) fence = mark;
    else if (mark?.startsWith(fence) && content.trim() === mark) fence = '';
    if (/^\s*(?:=+|-+)\s*$/.test(content)) underlines += 1;
    const blank = fence === '' && content.trim() === '';
    const size = end - start;
    if ((blank && size >= SOFT_CHUNK) || size >= HARD_CHUNK || underlines >= MAX_UNDERLINES) {
      yield { start, end };
      start = end;
      underlines = 0;
    }
  }
  if (start < text.length) yield { start, end: text.length };
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

/**
 * Blocks of a Markdown text (GFM tables included) and its title: that of the front matter, else a first heading of
 * level one, else "". Front matter itself is not indexed. Inline markup stays in the text as it was written.
 */
export function markdownBlocks(text: string): { title: string; blocks: Block[] } {
  const front = FRONT_MATTER.exec(text);
  const outline = new Outline();
  const named = /^title:[ \t]*(["']?)(.+?)\1[ \t]*$/m.exec(front?.[1] ?? '')?.[2];
  if (named !== undefined) outline.title = cleanTitle(named);

  for (const chunk of chunks(text, front?.[0].length ?? 0)) {
    const source = text.slice(chunk.start, chunk.end);
    if (DEEP.test(source)) {
      for (const block of textBlocks(text, chunk.start, chunk.end))
        outline.add(block.kind, block.start, block.end);
      continue;
    }
    const tree = fromMarkdown(source, {
      extensions: [gfm(), BLOCKS_ONLY],
      mdastExtensions: [gfmFromMarkdown()],
    });
    for (const node of tree.children) {
      const start = chunk.start + (node.position?.start.offset ?? 0);
      const end = chunk.start + (node.position?.end.offset ?? 0);
      const kind = KINDS[node.type];
      if (node.type === 'heading') outline.heading(node.depth, headingText(textOf(node)), start, end);
      else if (kind === 'table') outline.add(kind, start, end, firstLine(text, start, end));
      else if (kind !== undefined) outline.add(kind, start, end);
      else if (node.type === 'html' && /\w/.test(node.value.replace(/<!--[\s\S]*?-->|<[^>]*>/g, ''))) {
        outline.add('prose', start, end);
      }
    }
  }
  outline.finish();
  return { title: outline.title, blocks: outline.blocks };
}
