/** Reading what came of the jobs. */
export { type ResultsOptions, runResults } from './run.ts';
