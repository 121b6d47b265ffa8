/** A models folder like another one, in which models have other weights: for example their float twins, for a GPU. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, PragauraError } from '../../errors.ts';
import { writeWholeFile } from '../../whole-file.ts';
import { filesOf } from '../hub/locate.ts';
import { inFloat } from '../runtime/float-weights.ts';
import { defaultModelsDir, findModel, LOCK_FILE, type ModelsLock, readLock } from '../runtime/registry.ts';

export interface TwinOptions {
  /**
   * The ONNX file that takes the place of the weights, with the same inputs and outputs. Default: the model's own weights
   * in float.
   */
  weights?: string | undefined;
  /** Name of the model. Default: the one that reads where a file is given, else every one that is shipped. */
  model?: string | undefined;
  /** Folder to write to: `--models-dir` of everything that scores. */
  out: string;
  /** Folder that it is made from; default: the package's own. */
  dir?: string | undefined;
}

/**
 * Copies what the lock file ships, with the twins under their models' names and their hashes in the lock file; calibration
 * artifacts and indexes made with the other weights notice. A file that is given is first looked into when it is opened or
 * verified. Gives the names of the models that have other weights. Throws CONFIGURATION for a model that is not shipped or
 * in halves, or where the folder to write is the one to read; NOT_FOUND for a file that is not there, MODEL_UNUSABLE for
 * weights that cannot be made float, WRITE_FAILED.
 */
export async function makeTwin({
  weights,
  model,
  out,
  dir = defaultModelsDir(),
}: TwinOptions): Promise<string[]> {
  if (resolve(out) === resolve(dir)) {
    throw new PragauraError('CONFIGURATION', `${out} is the folder that the twin is made from`, {
      hint: 'say another --out',
    });
  }
  const lock = await readLock(dir);
  const shipped = Object.entries(lock.models).filter(([, { hub }]) => hub === undefined);
  const names =
    model !== undefined || weights !== undefined
      ? [findModel(lock, model ?? lock.defaults.read ?? '').name]
      : shipped.map(([name]) => name);
  const twins = new Map<string, Uint8Array>();
  const models = { ...lock.models };
  for (const name of names) {
    const entry = lock.models[name]!;
    if (entry.hub !== undefined || entry.upper !== undefined) {
      throw new PragauraError('CONFIGURATION', `the model "${name}" can have no twin`, {
        hint: 'one that is shipped and whole can: "pragaura models list" shows them',
      });
    }
    const own = join(dir, entry.weights.path);
    const bytes = weights === undefined ? floatTwin(own, await contentOf(own)) : await contentOf(weights);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = `${name}/twin.onnx`;
    twins.set(path, bytes);
    models[name] = {
      ...entry,
      title: `${entry.title}; ${weights === undefined ? 'its weights in float' : 'other weights'}`,
      revision: `${entry.revision}, weights ${sha256.slice(0, 12)}`,
      weights: { path, bytes: bytes.length, sha256 },
    };
  }
  const files = shipped.flatMap(([name]) => filesOf({ model: models[name]! }).map(({ path }) => path));
  for (const path of new Set(files)) {
    const to = join(out, path);
    const twin = twins.get(path);
    try {
      await mkdir(dirname(to), { recursive: true });
      if (twin === undefined) await copyFile(join(dir, path), to, constants.COPYFILE_FICLONE);
      else await writeFile(to, twin);
    } catch (cause) {
      throw new PragauraError('WRITE_FAILED', `cannot write ${to}: ${messageOf(cause)}`, {
        hint: 'say another --out, or make room there',
        cause,
      });
    }
  }
  // Last: without it the folder is none.
  const made: ModelsLock = { ...lock, models };
  await writeWholeFile(join(out, LOCK_FILE), `${JSON.stringify(made, null, 2)}\n`, 'say another --out');
  return names;
}

async function contentOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function floatTwin(file: string, weights: Uint8Array): Uint8Array {
  try {
    return inFloat(weights);
  } catch (cause) {
    throw new PragauraError('MODEL_UNUSABLE', `${file} cannot be made float: ${messageOf(cause)}`, {
      hint: 'give an ONNX file that is in float: "pragaura models twin FILE --out DIR"',
      cause,
    });
  }
}
