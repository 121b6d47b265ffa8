/** How a box of MkDocs and its kin begins: "!!! note", "??? tip \"A title\"". */
const BEGIN = /^ {0,3}(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+[\w-]+)*(?:[ \t]+"([^"\n\r]{0,200})")?[ \t]*$/;
/** Where a box of Docusaurus, Pandoc or MyST begins or ends: ":::note A title", ":::". */
const COLONS =
  /^ {0,3}:{3,}[ \t]*(?:\{[^}\n\r]{0,200}\}|[\w-]+)?(?:[ \t]+([^\n\r]{0,200})|\[([^\]\n\r]{0,200})\])?$/;
const INDENT = /^(?: {4}|\t)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Markdown with the boxes of MkDocs ("!!! note", and what is indented below it) as quotations, which every parser knows: as
 * code, which they are taken for otherwise, their text would be none. Of those that lines with colons enclose these lines go, all
 * but their titles. Every line keeps its length, and its place.
 */
export function admonitionsAsQuotes(text: string): string {
  if (!/^ {0,3}(?:!!!|\?\?\?|:::)/m.test(text)) return text;
  const lines = text.match(/[^\n\r]*(?:\r\n|\n|\r)|[^\n\r]+$/g) ?? [];
  let fence = '';
  let within = false;
  return lines
    .map((line, place) => {
      const content = line.trimEnd();
      if (within && content === '') return line;
      if (within && INDENT.test(line))
        return line.startsWith('\t') ? `>${line.slice(1)}` : `   >${line.slice(4)}`;
      within = false;
      const mark = FENCE.exec(content)?.[1];
      if (mark !== undefined) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
      const colons = fence === '' ? COLONS.exec(content) : null;
      if (colons !== null)
        return (colons[1] ?? colons[2] ?? '').padEnd(content.length) + line.slice(content.length);
      const begin = fence === '' ? BEGIN.exec(content) : null;
      if (begin === null || !isFollowed(lines, place)) return line;
      within = true;
      const title = begin[1] === undefined ? '' : `> ${begin[1]}`;
      return title.padEnd(content.length) + line.slice(content.length);
    })
    .join('');
}

/** Whether what comes next is indented. */
function isFollowed(lines: readonly string[], place: number): boolean {
  const next = lines[place + 1]?.trim() === '' ? lines[place + 2] : lines[place + 1];
  return next !== undefined && next.trim() !== '' && INDENT.test(next);
}
