/** Parts of our own Markdown pages as sections of an HTML page. */
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Section } from '../../calibration/index.ts';

type Node = ReturnType<typeof fromMarkdown>['children'][number];
type Words = Node | { type: string; value?: string; children?: Words[] };

/** A caption longer than this is text. */
const LONGEST_CAPTION = 160;

/**
 * A section of level 3 named `title`, and one without a title for each table after the first, in the order of the text.
 * A table's caption is the paragraph before it where that is short, else the title.
 */
export function sectionsOfMarkdown(title: string, markdown: string): Section[] {
  const { children } = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const sections: Section[] = [];
  let text: string[] = [];
  const add = (table: Section['table'], notes: string[] = []) => {
    const before = table === null ? [] : text;
    sections.push({
      title: sections.length === 0 ? title : null,
      level: 3,
      text: before,
      table,
      notes,
      figures: [],
    });
    text = [];
  };
  for (const node of children) {
    if (node.type !== 'table') {
      text.push(...linesOf(node));
      continue;
    }
    const [head = [], ...rows] = node.children.map((row) => row.children.map(wordsOf));
    const last = text.at(-1);
    const caption = last !== undefined && last.length <= LONGEST_CAPTION ? text.pop()! : title;
    add({ caption, head, rows });
  }
  if (text.length > 0 || sections.length === 0) add(null, text);
  return sections;
}

function linesOf(node: Node): string[] {
  if (node.type === 'list') return node.children.flatMap((item) => item.children.flatMap(linesOf));
  if (node.type === 'html') return [];
  const words = wordsOf(node);
  return words === '' ? [] : [words];
}

function wordsOf(node: Words): string {
  if ('value' in node && node.value !== undefined) return node.value;
  return 'children' in node && node.children !== undefined
    ? (node.children as Words[]).map(wordsOf).join('')
    : '';
}
