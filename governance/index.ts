/** Governed knowledge: what was decided is on a log that cannot be rewritten unseen. */
export * from './audit/index.ts';
