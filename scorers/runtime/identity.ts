/** Which model gave a score: one hash over everything that its scores depend on. */
import { canonicalHash } from '../../common/index.ts';
import type { LockedModel } from './registry.ts';

/** How files are run; another way scores otherwise. 1: as they are. 2: a softmax is written out. */
export type Run = 1 | 2;

/** sha256 of the files that were loaded. `upper`: where the graph comes in halves. */
export interface FileHashes {
  weights: string;
  upper?: string;
  tokenizer: string;
}

/**
 * Two models with the same identity give the same scores, wherever their files came from; indexes, calibrations and the
 * weights of the speech acts hold for an identity. Left out is what only tells of a model or checks it, so that a field
 * that the lock file gets one day counts until somebody says otherwise.
 */
export function identityOf(model: LockedModel, files: FileHashes, run: Run): string {
  const { title, revision, licence, card, hub, weights, tokenizer, config, upper, jobs, ...sequences } =
    model;
  const { path, bytes, sha256, ...halves } = upper ?? {};
  const outputs = Object.entries(jobs).map(([job, read]) => {
    const { known, ...output } = read!;
    return [job, output];
  });
  const scores = { run, ...sequences, halves, jobs: Object.fromEntries(outputs), files };
  return canonicalHash(scores);
}

/** NAME@SHA256 of the model of each job, as versions, records and calibrations write it. */
export function modelNames(
  models: Partial<Record<string, { name: string; sha256: string }>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(models).map(([job, model]) => [job, `${model!.name}@${model!.sha256}`]),
  );
}
