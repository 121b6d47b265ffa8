import type { Part } from '../types.ts';
import { NO_LIST } from './outline.ts';
import { linesOf } from './text.ts';

const NAME = '-{1,2}[A-Za-z\\d?][\\w-]{0,50}';
/** Names of an option with their argument, at the head of a line, and how far they are set in. */
const OPTION = new RegExp(
  `^([ \\t]{0,40})(${NAME}(?:(?:, ?| ?[/|] ?)${NAME}){0,5}(?:[ =[<]{1,2}[^\\s,]{1,40}){0,3}?)(?=[ \\t]{2,}\\S|\\s*$)`,
);
/** What `ls -l` says of a file, and lines of a patch. */
const NO_OPTION = /^\s*-[rwxsStTl-]{9}/;
const PATCH = /^(?:@@ |\+\+\+ |--- )/m;
/** One such line may be chance. */
const LEAST = 2;
const LONGEST_LINE = 400;

/**
 * The parts of a document with the options of what `--help` prints: within code, and paragraphs of plain text, where lines begin
 * with the names of options and say something of them, each is a row. Its term is the names.
 */
export function withHelpOptions(text: string, parts: readonly Part[]): readonly Part[] {
  let lists = parts.reduce((most, { list }) => Math.max(most, list ?? 0), 0);
  const made = parts.flatMap((part) => {
    const rows = part.kind === 'code' || part.kind === 'paragraph' ? optionsIn(text, part) : [];
    if (rows.length < LEAST) return [part];
    lists += 1;
    const of = { ...NO_LIST, kind: 'row' as const, depth: part.depth, list: lists };
    return [part, ...rows.map((row, i) => ({ ...of, ...row, position: i + 1 }))];
  });
  return made.length === parts.length ? parts : made;
}

function optionsIn(text: string, { start, end }: Part): Pick<Part, 'start' | 'end' | 'term'>[] {
  const code = text.slice(start, end);
  if (!/^[ \t]*-/m.test(code) || PATCH.test(code)) return [];
  const rows: { start: number; end: number; term: string; indent: number; says: boolean }[] = [];
  let open = false;
  for (const line of linesOf(text, start, end)) {
    const row = rows.at(-1);
    const found =
      line.text.length > LONGEST_LINE || NO_OPTION.test(line.text) ? null : OPTION.exec(line.text);
    const solid = line.start + line.text.trimEnd().length;
    if (found !== null) {
      const [all, indent, term] = found;
      const at = line.start + indent!.length;
      const says = line.text.slice(all.length).trim() !== '';
      rows.push({ start: at, end: solid, term: term!, indent: indent!.length, says });
      open = true;
    } else if (open && row !== undefined && line.text.search(/\S/) > row.indent + 1) {
      row.end = solid;
      row.says = true;
    } else open = false;
  }
  return rows.flatMap(({ says, indent: _, ...row }) => (says ? [row] : []));
}
