/** A query that holds several questions, divided by rules into questions that stand alone. Pure; English only. */
export { type Questions, questionsOf } from './questions.ts';
