/** From a folder of models to bytes, tokenizers and outputs: everything that is checked before a model runs. */
import { PragauraError } from '../../common/index.ts';
import { type Located, locate } from '../hub/locate.ts';
import { hubSettings } from '../hub/settings.ts';
import type { Job } from '../types.ts';
import { lowerOutputsOf, outputsOf, type Ready, upperOf } from './engine.ts';
import { type FileHashes, identityOf, type Run } from './identity.ts';
import type { ThreadModel } from './protocol.ts';
import { type Chosen, chooseModels, JOBS } from './registry.ts';
import { softmaxWrittenOut } from './softmax.ts';
import { type TextTokenizer, Tokenizer } from './tokenizer.ts';
import { readVerified, refuseExternalData } from './weights.ts';

/** The checked graphs of a model, without its tokenizer. */
export interface LoadedGraphs {
  chosen: Chosen;
  /** What the threads run: the graph, or its lower and upper half. */
  graphs: [ThreadModel, ...ThreadModel[]];
  /** Where the weights were read, of halves both. */
  path: string;
  hashes: Omit<FileHashes, 'tokenizer'>;
  run: Run;
}

export interface Loaded extends LoadedGraphs {
  ready: Ready;
  identity: string;
}

/**
 * Reads and checks every file of the models of some jobs once; models may share a tokenizer. Throws MODEL_UNUSABLE
 * for a file that is missing, another than the locked one or of no use, CONFIGURATION for a model that does not exist.
 */
export async function loadModels(...which: Parameters<typeof loadGraphs>): Promise<Loaded[]> {
  return await withTokenizers(which[0], await loadGraphs(...which));
}

/** The first half of `loadModels`: threads can start on these while the tokenizers are made. */
export async function loadGraphs(
  dir: string,
  jobs: readonly Job[] | undefined,
  named: Partial<Record<Job, string>>,
  run: Run = 2,
): Promise<LoadedGraphs[]> {
  const wanted = JOBS.filter((job) => jobs === undefined || jobs.includes(job));
  const chosen = await chooseModels(dir, wanted, named);
  return await Promise.all(chosen.map((entry) => graphsOf(dir, entry, run)));
}

async function graphsOf(dir: string, chosen: Chosen, run: Run): Promise<LoadedGraphs> {
  const { model, name } = chosen;
  const settings = hubSettings();
  const located = await locate(dir, chosen, model.weights, settings);
  const { path, sha256 } = located;
  const weights = await graphOf(located, run);
  const all = outputsOf(model);
  const outputs = [...all].filter(([, job]) => chosen.jobs.includes(job)).map(([output]) => output);
  const declared = [...all.keys()].map((output) => output.name);
  const early = model.jobs.rerank?.early;
  const graph = { name, weights, outputs, declared, batching: model.batching };
  if (model.upper === undefined) {
    // Known to be there, and asked of halves only.
    if (early !== undefined) declared.push(early);
    return { chosen, graphs: [graph], path, hashes: { weights: sha256 }, run };
  }
  const { hidden, width } = model.upper;
  const other = await locate(dir, chosen, model.upper, settings);
  const upper = await graphOf(other, run);
  const lower = lowerOutputsOf(model);
  const names = lower.map((output) => output.name);
  return {
    chosen,
    graphs: [
      { ...graph, outputs: lower, declared: names },
      { ...graph, name: upperOf(name), weights: upper, takes: { name: hidden, width } },
    ],
    path: `${path} and ${other.path}`,
    hashes: { weights: sha256, upper: other.sha256 },
    run,
  };
}

/** A checked graph as it is run. */
async function graphOf(located: Located, run: Run): Promise<Uint8Array<SharedArrayBuffer>> {
  const weights = await readVerified(located);
  refuseExternalData(located, weights);
  const written = run === 1 ? weights : softmaxWrittenOut(weights);
  if (written === weights) return weights;
  const shared = new Uint8Array(new SharedArrayBuffer(written.length));
  shared.set(written);
  return shared;
}

/** The second half of `loadModels`. */
export async function withTokenizers(dir: string, models: readonly LoadedGraphs[]): Promise<Loaded[]> {
  const settings = hubSettings();
  const tokenizers = new Map<string, TextTokenizer>();
  const loaded: Loaded[] = [];
  for (const one of models) {
    const { chosen, graphs } = one;
    const vocabulary = await locate(dir, chosen, chosen.model.tokenizer, settings);
    let tokenizer = tokenizers.get(vocabulary.sha256);
    if (tokenizer === undefined) {
      tokenizer = await tokenizerOf(vocabulary.path, await readVerified(vocabulary));
      tokenizers.set(vocabulary.sha256, tokenizer);
    }
    if (chosen.model.jobs.read !== undefined && tokenizer.offsets === 'words') {
      throw new PragauraError(
        'MODEL_UNUSABLE',
        `the tokenizer ${vocabulary.path} cannot tell where an answer ends`,
        { hint: 'a model that reads needs a WordPiece tokenizer' },
      );
    }
    // Of halves the upper one gives what the jobs read.
    const outputs = [...graphs.at(-1)!.outputs];
    const identity = identityOf(chosen.model, { ...one.hashes, tokenizer: vocabulary.sha256 }, one.run);
    loaded.push({ ...one, ready: { ...chosen, tokenizer, outputs }, identity });
  }
  return loaded;
}

async function tokenizerOf(path: string, bytes: Uint8Array): Promise<TextTokenizer> {
  try {
    const file = JSON.parse(Buffer.from(bytes).toString('utf8')) as { model?: { type?: unknown } };
    if (file.model?.type !== 'Unigram') return new Tokenizer(file);
    const { UnigramTokenizer } = await import('./unigram.ts');
    return new UnigramTokenizer(file);
  } catch (error) {
    throw new PragauraError('MODEL_UNUSABLE', `${path} is no tokenizer that can be used here`, {
      hint: 'it must be the tokenizer.json of an uncased BERT (WordPiece) or of a DeBERTa (Unigram)',
      cause: error,
    });
  }
}
