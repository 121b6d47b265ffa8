/** From a folder of models to bytes, tokenizers and outputs: everything that is checked before a thread starts. */
import { createHash } from 'node:crypto';
import { PragauraError } from '../../errors.ts';
import { locate } from '../hub/locate.ts';
import { hubSettings } from '../hub/settings.ts';
import type { Job } from '../types.ts';
import { lowerOutputsOf, outputsOf, type Ready, upperOf } from './engine.ts';
import type { ThreadModel } from './protocol.ts';
import { chooseModels, JOBS } from './registry.ts';
import { type TextTokenizer, Tokenizer } from './tokenizer.ts';
import { readVerified, refuseExternalData } from './weights.ts';

export interface Loaded {
  ready: Ready;
  /** What the threads run: the graph, or its lower and upper half. */
  graphs: [ThreadModel, ...ThreadModel[]];
  /** Of the weights: where they were read and their sha256 (of halves, of both). */
  path: string;
  sha256: string;
}

/**
 * Reads and checks every file of the models of some jobs once; models may share a tokenizer. Throws MODEL_UNUSABLE
 * for a file that is missing, another than the locked one or of no use, CONFIGURATION for a model that does not exist.
 */
export async function loadModels(
  dir: string,
  jobs: readonly Job[] | undefined,
  named: Partial<Record<Job, string>>,
): Promise<Loaded[]> {
  const wanted = JOBS.filter((job) => jobs === undefined || jobs.includes(job));
  const chosen = await chooseModels(dir, wanted, named);
  const settings = hubSettings();
  const tokenizers = new Map<string, TextTokenizer>();
  const loaded: Loaded[] = [];
  for (const entry of chosen) {
    const { model } = entry;
    const { path, sha256, ...file } = await locate(dir, entry, model.weights, settings);
    const weights = await readVerified({ path, sha256, ...file });
    refuseExternalData(path, weights);
    const vocabulary = await locate(dir, entry, model.tokenizer, settings);
    let tokenizer = tokenizers.get(vocabulary.sha256);
    if (tokenizer === undefined) {
      tokenizer = await tokenizerOf(vocabulary.path, await readVerified(vocabulary));
      tokenizers.set(vocabulary.sha256, tokenizer);
    }
    if (model.jobs.read !== undefined && tokenizer.offsets === 'words') {
      throw new PragauraError(
        'MODEL_UNUSABLE',
        `the tokenizer ${vocabulary.path} cannot tell where an answer ends`,
        {
          hint: 'a model that reads needs a WordPiece tokenizer',
        },
      );
    }
    const all = outputsOf(model);
    const outputs = [...all].filter(([, job]) => entry.jobs.includes(job)).map(([output]) => output);
    const declared = [...all.keys()].map((output) => output.name);
    const graph = { name: entry.name, weights, outputs, declared, batching: model.batching };
    const ready = { ...entry, tokenizer, outputs };
    if (model.upper === undefined) loaded.push({ ready, graphs: [graph], path, sha256 });
    else {
      const { hidden, width } = model.upper;
      const other = await locate(dir, entry, model.upper, settings);
      const upper = await readVerified(other);
      refuseExternalData(other.path, upper);
      const lower = lowerOutputsOf(model);
      const names = lower.map((output) => output.name);
      loaded.push({
        ready,
        graphs: [
          { ...graph, outputs: lower, declared: names },
          { ...graph, name: upperOf(entry.name), weights: upper, takes: { name: hidden, width } },
        ],
        path: `${path} and ${other.path}`,
        sha256: createHash('sha256').update(`${sha256} ${other.sha256}`).digest('hex'),
      });
    }
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
