/** Governed knowledge: who asks, who may do what, and a log of what was done that cannot be rewritten unseen. */
export * from './audit/index.ts';
export {
  ensureSigningKey,
  JOBS,
  type PublicKey,
  pemOf,
  publicKeyOf,
  readPublicKey,
  readSigningKey,
  type SigningKey,
} from './keys.ts';
export * from './memory/index.ts';
export * from './policy/index.ts';
export * from './principals/index.ts';
export * from './queries/index.ts';
