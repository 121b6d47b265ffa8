/** Governed knowledge: who asks, who may do what, and a log of what was done that cannot be rewritten unseen. */
export * from './audit/index.ts';
export * from './memory/index.ts';
export * from './policy/index.ts';
export * from './principals/index.ts';
