/** A models folder like another one, in which models have other weights: for example their own in float, for a GPU. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, PragauraError, writeWholeFile } from '../../common/index.ts';
import { locate } from '../hub/locate.ts';
import { hubSettings } from '../hub/settings.ts';
import { inFloat } from '../runtime/float-weights.ts';
import {
  defaultModelsDir,
  filesOf,
  findModel,
  LOCK_FILE,
  type ModelsLock,
  type Named,
  readLock,
} from '../runtime/registry.ts';
import { readVerified } from '../runtime/weights.ts';

export interface DequantizeOptions {
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
 * Copies what the lock file ships, with those weights under their models' names and their hashes in the lock file; calibration
 * artifacts and indexes made with the other weights notice. A file that is given is first looked into when it is opened or
 * verified. Gives the names of the models that have other weights. Throws CONFIGURATION for a model that is not shipped or
 * in halves, or where the folder to write is the one to read; NOT_FOUND for a given file that is not there; MODEL_UNUSABLE
 * for files of the folder that are missing or not the locked ones and weights that cannot be made float; WRITE_FAILED.
 */
export async function dequantizeModels({
  weights,
  model,
  out,
  dir = defaultModelsDir(),
}: DequantizeOptions): Promise<string[]> {
  if ((await placeOf(out)) === (await placeOf(dir))) {
    throw new PragauraError('CONFIGURATION', `${out} is the folder that it is made from`, {
      hint: 'say another --out',
    });
  }
  const lock = await readLock(dir);
  const shipped = Object.entries(lock.models).flatMap(([name, entry]): Named[] =>
    entry.hub === undefined ? [{ name, model: entry }] : [],
  );
  const chosen =
    model !== undefined || weights !== undefined
      ? [findModel(lock, model ?? lock.defaults.read ?? '')]
      : shipped;
  const settings = hubSettings();
  const contents = new Map<string, Uint8Array>();
  const models = { ...lock.models };
  for (const named of chosen) {
    const { name, model: entry } = named;
    if (entry.hub !== undefined || entry.upper !== undefined) {
      throw new PragauraError('CONFIGURATION', `the model "${name}" cannot be had in float`, {
        hint: 'one that is shipped and whole can: "pragaura models list" shows them',
      });
    }
    let bytes: Uint8Array;
    if (weights === undefined) {
      const own = await locate(dir, named, entry.weights, settings);
      bytes = dequantized(own.path, await readVerified(own));
    } else bytes = await contentOf(weights);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = `${name}/float.onnx`;
    contents.set(path, bytes);
    models[name] = {
      ...entry,
      title: `${entry.title}; ${weights === undefined ? 'its weights in float' : 'other weights'}`,
      revision: `${entry.revision}, weights ${sha256.slice(0, 12)}`,
      weights: { path, bytes: bytes.length, sha256 },
    };
  }
  for (const { name } of shipped) {
    const named = { name, model: models[name]! };
    for (const file of filesOf(named.model)) {
      if (!contents.has(file.path))
        contents.set(file.path, await readVerified(await locate(dir, named, file, settings)));
    }
    const card = await cardOf(dir, named);
    if (card !== null) contents.set(named.model.card, card);
  }
  for (const [path, bytes] of contents) await write(join(out, path), bytes);
  // Last: without it the folder is none.
  const made: ModelsLock = { ...lock, models };
  await writeWholeFile(join(out, LOCK_FILE), `${JSON.stringify(made, null, 2)}\n`, 'say another --out');
  return chosen.map(({ name }) => name);
}

/** Where a folder really is, through links; one that is not there yet where it would be. */
async function placeOf(folder: string): Promise<string> {
  return await realpath(folder).catch(() => resolve(folder));
}

/** The card of a model that lies beside the lock file; null where it is elsewhere or missing: nothing depends on it. */
async function cardOf(dir: string, { model: { card } }: Named): Promise<Uint8Array | null> {
  if (URL.canParse(card)) return null;
  return await readFile(join(dir, card)).catch(() => null);
}

async function write(to: string, bytes: Uint8Array): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, bytes);
  } catch (cause) {
    throw new PragauraError('WRITE_FAILED', `cannot write ${to}: ${messageOf(cause)}`, {
      hint: 'say another --out, or make room there',
      cause,
    });
  }
}

async function contentOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function dequantized(file: string, weights: Uint8Array): Uint8Array {
  try {
    return inFloat(weights);
  } catch (cause) {
    throw new PragauraError('MODEL_UNUSABLE', `${file} cannot be made float: ${messageOf(cause)}`, {
      hint: 'give an ONNX file that is in float: "pragaura models dequantize FILE --out DIR"',
      cause,
    });
  }
}
