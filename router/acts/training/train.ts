/** `pragaura classify train`: from the public sets to the files that are shipped. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PragauraError } from '../../../common/index.ts';
import { ACTS } from '../../../profiles/index.ts';
import type { LinearWeights } from '../linear.ts';
import {
  encodeWeights,
  hashOf,
  MODEL_FILE,
  type ModelHeader,
  type Tuning,
  WEIGHTS_FILE,
} from '../model-file.ts';
import { type Dataset, readDataset } from './dataset.ts';
import {
  crossValidate,
  describe,
  type Embed,
  FOLDS,
  fitWeights,
  foldOf,
  prepare,
  scoreQuestions,
  tune,
} from './fit.ts';

export interface TrainOptions {
  /** Folder of the public sets. */
  data: string;
  /** Folder to write to. */
  out: string;
  embedder: ModelHeader['embedder'];
  embed: Embed;
  say: (message: string) => void;
}

/** Trains both sets of weights on everything, with thresholds from cross-validation, and writes them. */
export async function train({ data, out, embedder, embed, say }: TrainOptions): Promise<void> {
  const dataset = await readDataset(data, 'QUANTITY');
  say(
    `${dataset.examples.length} examples, ${dataset.barred} rows left out because an evaluation set holds them`,
  );
  const textOnly = await trainOne(dataset, null, (message) => say(`words only: ${message}`));
  const withVector = await trainOne(dataset, embed, (message) => say(`with the embedding: ${message}`));
  const bytes = encodeWeights({ withVector: withVector.weights, textOnly: textOnly.weights });
  const header: ModelHeader = {
    schema: 'pragaura.acts/1',
    labels: [...ACTS],
    buckets: (withVector.weights.sparse.length / ACTS.length) as ModelHeader['buckets'],
    embedder,
    withVector: withVector.tuning,
    textOnly: textOnly.tuning,
    weights: { bytes: bytes.length, sha256: hashOf(bytes) },
    data: describe(dataset),
  };
  await writeModel(out, [
    [WEIGHTS_FILE, bytes],
    [MODEL_FILE, `${JSON.stringify(header, null, 2)}\n`],
  ]);
  say(`written to ${out}`);
}

async function trainOne(
  dataset: Dataset,
  embed: Embed | null,
  say: (message: string) => void,
): Promise<{ weights: LinearWeights; tuning: Tuning }> {
  const prepared = await prepare(dataset.examples, embed);
  const heldOut = crossValidate(prepared, (fold) => say(`fold ${fold + 1} of ${FOLDS}`));
  // Questions of SQuAD articles that no fold learned from, scored as strictly as the core examples were.
  const held = fitWeights(prepared.filter(({ example }) => foldOf(example.group) !== 0));
  const tuning = tune(heldOut, await scoreQuestions(dataset.squadTune, held, embed));
  say(
    `temperature ${tuning.temperature.toFixed(3)}, confident from ${tuning.confidentAt}, refusal from ${tuning.refuseAt}`,
  );
  return { weights: fitWeights(prepared), tuning };
}

/** Files by rename, in their order: the header last, since it names the hash of the weights. Throws WRITE_FAILED. */
export async function writeModel(
  out: string,
  files: readonly (readonly [name: string, content: string | NodeJS.ArrayBufferView])[],
): Promise<void> {
  try {
    await mkdir(out, { recursive: true });
    for (const [name, content] of files) {
      const path = join(out, name);
      await writeFile(`${path}.new`, content);
      await rename(`${path}.new`, path);
    }
  } catch (cause) {
    throw new PragauraError('WRITE_FAILED', `Cannot write the model to ${out}: ${messageOf(cause)}`, {
      cause,
    });
  }
}
