/** Words and quotations for questions and refusals. Nothing from a query or a document becomes a pattern. */
import { recorded, wordsIn } from '../state/index.ts';
import type { VariableKind } from './record.ts';

const REACH = 400;
const BOUNDARY = /[.!?]["'”’)\]]*\s+|\n\s*/g;
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|vs|etc|ca|cf|al|Jr|Sr|Inc|Ltd|e\.g|i\.e)\.$/u;

/** The sentence of a text around a stretch of it, at most 400 units to either side. UTF-16 offsets. */
export function sentenceAt(text: string, start: number, end: number): { start: number; end: number } {
  const from = Math.max(0, start - REACH);
  const to = Math.min(text.length, end + REACH);
  const piece = text.slice(from, to);
  let left = from;
  let right = to;
  for (const { 0: mark, index } of piece.matchAll(BOUNDARY)) {
    const stop = piece.slice(Math.max(0, index - 12), index + 1);
    if (mark.startsWith('.') && ABBREVIATION.test(stop)) continue;
    const next = from + index + mark.length;
    if (next <= start) left = next;
    else if (from + index >= end) {
      right = from + index + mark.trimEnd().length;
      break;
    }
  }
  while (left < start && /\s/.test(text[left]!)) left += 1;
  while (right > end && /\s/.test(text[right - 1]!)) right -= 1;
  return { start: left, end: right };
}

/** Text of a document or a query inside a sentence of ours. */
export function quoted(text: string): string {
  return `"${recorded(text)}"`;
}

/** "a", "a or b", "a, b or c". */
export function orList(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
}

/** The query with its first words `from` replaced by `to`, whatever their case; with `to` in brackets where it has none. */
export function replaced(query: string, from: string, to: string): string {
  const wanted = from.toLowerCase();
  for (const { start } of wordsIn(query)) {
    const end = start + from.length;
    const whole = !/[\p{L}\p{N}]/u.test(query[end] ?? ' ');
    if (whole && query.slice(start, end).toLowerCase() === wanted) {
      return `${query.slice(0, start)}${to}${query.slice(end)}`;
    }
  }
  return specified(query, to);
}

/** The query with a value in brackets before its closing marks. */
export function specified(query: string, value: string): string {
  const body = query.trimEnd().replace(/[?.!\s]{1,10}$/, '');
  return `${body} (${value})${query.trimEnd().slice(body.length).trimStart()}`;
}

const IN_PLACE: ReadonlySet<VariableKind> = new Set(['identifier', 'term', 'reference', 'modifier']);

/** The query with a value for the variable of a question, whether or not it was offered. */
export function readingOf(
  query: string,
  { kind, variable }: { kind: VariableKind; variable: string },
  value: string,
): string {
  return IN_PLACE.has(kind) ? replaced(query, variable, value) : specified(query, value);
}

/** What two spellings of one value have in common. */
export function keyOf(value: string): string {
  return value
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^(?:the|an?)\s+/, '')
    .replace(/\s+/g, ' ')
    .trim();
}
