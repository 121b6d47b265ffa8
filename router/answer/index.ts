/** Answers in the form that the act asks for, made of quotes. */
export { type Composing, compose, type Span } from './compose.ts';
export type { Answer, Quote } from './record.ts';
export type { Source } from './units.ts';
