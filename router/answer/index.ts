/** Answers in the form that the act asks for, made of quotes. */
export { type AskedEntry, entryAsked, holdsBeside, sideEntries, sidesAsked } from './asked.ts';
export { compose } from './compose.ts';
export type { Answer, Composed, Quote } from './record.ts';
export type { Source } from './units.ts';
