/** What a person is shown as the answer, where the span alone would be a stub. */
import type { Act } from '../../profiles/index.ts';
import type { Quote } from '../answer/index.ts';
import type { Evidence } from '../contracts.ts';
import { type Range, sentences } from '../corpus/passages/sentences.ts';

/** Acts whose answer is a thing that can be named; the others ask for something that is said. */
const SPAN_ACTS: ReadonlySet<Act> = new Set(['FACT', 'QUANTITY', 'DEFINITION']);
const ITEM = /^[ \t]*(?:[-*+•‣▪–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]+\S/;
/** A table row, a heading, or the line of dashes under one. */
const ALONE = /^[ \t]*(?:\||#{1,6}[ \t]|[-=|: \t]+$)/;

/** Lines that belong together, UTF-16 offsets without the line break at the end. */
interface Unit extends Range {
  item: boolean;
}

/** Paragraphs, list items, table rows and headings of a passage, in order. */
function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  let open = false;
  let start = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const end = start + line.length;
    const alone = ALONE.test(line);
    const item = ITEM.test(line);
    const last = units.at(-1);
    if (line.trim() === '') open = false;
    else {
      // What is indented behind a blank line still belongs to its item.
      const goesOn = open || (last?.item === true && /^(?: {2}|\t)/.test(line));
      if (last !== undefined && goesOn && !alone && !item) last.end = end;
      else units.push({ start, end, item });
      open = !alone;
    }
    start = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
  return units;
}

/** The list around an item: the items next to it, whether or not blank lines part them. */
function listAround(units: readonly Unit[], at: number): Unit[] {
  let first = at;
  let last = at;
  while (units[first - 1]?.item) first -= 1;
  while (units[last + 1]?.item) last += 1;
  return units.slice(first, last + 1);
}

/**
 * The parts of `passage` to show for the answer, offsets into its text: the answer's span for a fact, a quantity or a
 * definition, the whole list for a procedure whose span lies in one, and otherwise the sentence that holds the span.
 * Null where the answer is not in the passage.
 */
export function answerStretch(
  act: Act,
  answer: Pick<Quote, 'text' | 'start' | 'end'>,
  { text, start: offset }: Evidence,
): Range[] | null {
  const start = answer.start - offset;
  const end = answer.end - offset;
  if (text.slice(start, end) !== answer.text) return null;
  if (SPAN_ACTS.has(act)) return [{ start, end }];
  const units = unitsOf(text);
  const at = units.findIndex((unit) => unit.start <= start && start < unit.end);
  const unit = units[at];
  if (unit === undefined) return [{ start, end }];
  if (act === 'PROCEDURE' && unit.item) return listAround(units, at);
  const held = sentences(text, unit.start, Math.max(unit.end, end)).filter(
    (s) => s.end > start && s.start < end,
  );
  return [{ start: Math.min(start, held[0]?.start ?? start), end: Math.max(end, held.at(-1)?.end ?? end) }];
}
