/** A models folder like another one, in which one model has other weights: for example its float twin, for a GPU. */
import { constants } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, PragauraError } from '../../errors.ts';
import { writeWholeFile } from '../../whole-file.ts';
import { sumsOf } from '../hub/hash.ts';
import { filesOf } from '../hub/locate.ts';
import { defaultModelsDir, findModel, LOCK_FILE, type ModelsLock, readLock } from '../runtime/registry.ts';

export interface TwinOptions {
  /** The ONNX file that takes the place of the weights; it must have the same inputs and outputs. */
  weights: string;
  /** Name of the model; default: the one that reads. */
  model?: string | undefined;
  /** Folder to write to: `--models-dir` of everything that scores. */
  out: string;
  /** Folder that it is made from; default: the package's own. */
  dir?: string | undefined;
}

/**
 * Copies what the lock file ships, with the twin under the model's name and its hash in the lock file; calibration
 * artifacts made with the other weights notice. The file is first looked into when it is opened or verified. Throws
 * CONFIGURATION for a model that is not shipped or in halves, NOT_FOUND for a file that is not there, WRITE_FAILED.
 */
export async function makeTwin({
  weights,
  model,
  out,
  dir = defaultModelsDir(),
}: TwinOptions): Promise<string> {
  const lock = await readLock(dir);
  const { name, model: entry } = findModel(lock, model ?? lock.defaults.read ?? '');
  if (entry.hub !== undefined || entry.upper !== undefined) {
    throw new PragauraError('CONFIGURATION', `the model "${name}" can have no twin`, {
      hint: 'one that is shipped and whole can: "pragaura models list" shows them',
    });
  }
  const { bytes, sha256 } = await sumsOf(weights).catch((cause: unknown) => {
    throw new PragauraError('NOT_FOUND', `${weights} cannot be read: ${messageOf(cause)}`, { cause });
  });
  const twin = {
    ...entry,
    title: `${entry.title}; other weights`,
    revision: `${entry.revision}, weights ${sha256.slice(0, 12)}`,
    weights: { path: `${name}/twin.onnx`, bytes, sha256 },
  };
  const made: ModelsLock = { ...lock, models: { ...lock.models, [name]: twin } };
  const copies = Object.entries(made.models)
    .filter(([, { hub }]) => hub === undefined)
    .flatMap(([of, shipped]) => filesOf({ model: shipped }).map(({ path }) => ({ of, path })));
  for (const { of, path } of copies) {
    const from = of === name && path === twin.weights.path ? weights : join(dir, path);
    const to = join(out, path);
    try {
      await mkdir(dirname(to), { recursive: true });
      await copyFile(from, to, constants.COPYFILE_FICLONE);
    } catch (cause) {
      throw new PragauraError('WRITE_FAILED', `cannot copy ${from} to ${to}: ${messageOf(cause)}`, {
        hint: 'say another --out, or make room there',
        cause,
      });
    }
  }
  // Last: without it the folder is none.
  await writeWholeFile(join(out, LOCK_FILE), `${JSON.stringify(made, null, 2)}\n`, 'say another --out');
  return name;
}
