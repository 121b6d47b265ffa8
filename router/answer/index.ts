/** Answers in the form that the act asks for, made of quotes. */
export { composed } from './compose.ts';
export type { Quote } from './record.ts';
