/**
 * A query that holds several questions: divided by rules into questions that stand alone, and put together from the
 * decisions about them. Pure; English only.
 */
export { questionsOf } from './questions.ts';
export { leading, wholeOf } from './whole.ts';
