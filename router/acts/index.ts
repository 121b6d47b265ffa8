/** Speech acts of queries. Other rooms use what is named here and nothing else. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { messageOf, PragauraError } from '../../common/index.ts';
import { ActClassifier } from './act-classifier.ts';
import { decodeWeights, MODEL_FILE, ModelHeader, WEIGHTS_FILE } from './model-file.ts';

export { asClaim } from './claim.ts';
export type { SparseFeatures } from './features.ts';
export { type Stated, statedIn } from './stated.ts';
export type { ActClassifier };

/**
 * Reads the shipped weights (or those in the folder `dir`) and checks them against their header. Silent.
 * Throws MODEL_UNUSABLE when they are missing or damaged.
 */
export async function loadActClassifier(dir = shippedModelDir()): Promise<ActClassifier> {
  try {
    const [json, bytes] = await Promise.all([
      readFile(join(dir, MODEL_FILE), 'utf8'),
      readFile(join(dir, WEIGHTS_FILE)),
    ]);
    const header = ModelHeader.parse(JSON.parse(json));
    return new ActClassifier(header, decodeWeights(bytes, header));
  } catch (cause) {
    if (PragauraError.isInstance(cause)) throw cause;
    throw new PragauraError(
      'MODEL_UNUSABLE',
      `Cannot read the speech-act classifier in ${dir}: ${messageOf(cause)}`,
      {
        hint: 'Install the package again, or make it anew with: pragaura classify train --data DIR',
        cause,
      },
    );
  }
}

/** Folder of the weights inside the package. */
export function shippedModelDir(): string {
  return dirname(createRequire(import.meta.url).resolve(`#acts/${MODEL_FILE}`));
}
