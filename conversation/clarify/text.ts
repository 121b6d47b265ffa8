/** Readings of a query. Nothing from a query or a document becomes a pattern. */
import { stretchOf } from '../../corpus/index.ts';
import type { VariableKind } from './record.ts';

/** The query with `to` in the first place that names `from`, see `stretchOf`; with `to` in brackets where none does. */
export function replaced(query: string, from: string, to: string): string {
  const place = stretchOf(query, from);
  if (place === null) return specified(query, to);
  return `${query.slice(0, place.start)}${to}${query.slice(place.end)}`;
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
