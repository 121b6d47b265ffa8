import { endsCode, FENCE } from './code-fences.ts';
import { type Edit, Edited } from './edited.ts';

/** How a box of MkDocs and its kin begins: "!!! note", "??? tip \"A title\"". */
const BEGIN = /^ {0,3}(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+[\w-]+)*(?:[ \t]+"([^"\n\r]{0,200})")?[ \t]*$/;
/** Where a box of Docusaurus, Pandoc or MyST begins or ends: ":::note A title", ":::". */
const COLONS =
  /^ {0,3}:{3,}[ \t]*(?:\{[^}\n\r]{0,200}\}|[\w-]+)?(?:[ \t]+([^\n\r]{0,200})|\[([^\]\n\r]{0,200})\])?$/;
const INDENT = /^(?: {4}|\t)/;
/** Boxes within boxes that are opened. */
const MOST_NESTED = 3;

/**
 * Markdown without the boxes that its texts stand in: of "!!! note" and what is indented below it the indentation, which
 * parsers of Markdown take for that of code, of ":::note" the lines with colons. Titles of boxes stay, and every line its number.
 */
export function withoutBoxes(source: string): Edited {
  let edited = new Edited(source, []);
  for (let turn = 0; turn < MOST_NESTED; turn += 1) {
    if (!/^ {0,3}(?:!!!|\?\?\?|:::)/m.test(edited.text)) break;
    const edits = boxes(edited.text);
    if (edits.length === 0) break;
    edited = new Edited(edited.text, edits, edited);
  }
  return edited;
}

/** What of the lines that make a box is not shown. */
function boxes(text: string): Edit[] {
  const lines = Array.from(text.matchAll(/[^\n\r]*(?:\r\n|\n|\r)|[^\n\r]+$/g), ({ 0: line, index }) => ({
    content: line.trimEnd(),
    index,
  }));
  const edits: Edit[] = [];
  const drop = (start: number, end: number) => start < end && edits.push({ start, end, text: '' });
  let fence = '';
  let within = false;
  lines.forEach(({ content, index }, place) => {
    if (within && content === '') return;
    const indent = within ? INDENT.exec(content)?.[0] : undefined;
    if (indent !== undefined) {
      drop(index, index + indent.length);
      return;
    }
    within = false;
    if (fence !== '') {
      if (endsCode(content, fence)) fence = '';
      return;
    }
    fence = FENCE.exec(content)?.[1] ?? '';
    const next = lines[place + 1]?.content === '' ? lines[place + 2] : lines[place + 1];
    const begin = BEGIN.exec(content);
    within = begin !== null && next !== undefined && INDENT.test(next.content);
    const found = within ? begin : COLONS.exec(content);
    if (found === null) return;
    const title = found[1] ?? found[2] ?? '';
    const at = title === '' ? content.length : content.lastIndexOf(title);
    drop(index, index + at);
    drop(index + at + title.length, index + content.length);
  });
  return edits;
}
