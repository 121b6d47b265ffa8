/** From a folder of models to running scorers. */
import { availableParallelism } from 'node:os';
import { messageOf, PragauraError } from '../../errors.ts';
import { locate } from '../hub/locate.ts';
import { hubSettings } from '../hub/settings.ts';
import type { Provider, Scorers, ScorersOptions } from '../types.ts';
import { Engine, outputsOf, type Ready } from './engine.ts';
import { checkKnownPairs } from './known-pairs.ts';
import { Pool, StartFailure } from './pool.ts';
import type { ThreadModel } from './protocol.ts';
import { type Chosen, chooseModels, defaultModelsDir, JOBS } from './registry.ts';
import { threadUrl } from './thread-url.ts';
import { type TextTokenizer, Tokenizer } from './tokenizer.ts';
import { readVerified, refuseExternalData } from './weights.ts';

const MAX_DEFAULT_THREADS = 4;

/**
 * Loads the models of the jobs asked for, starts the inference threads and runs the known pairs. Throws
 * MODEL_UNUSABLE when a file is missing (nothing is ever fetched here) or not the locked one, when a graph does not
 * fit its lock entry or gets its known pairs wrong; CONFIGURATION for a model that does not exist. A provider that cannot run here (also one
 * that loads and then fails or miscounts) is replaced by `cpu`, which is announced and stands in `info`.
 * `thread`: the code of an inference thread, another one only in tests.
 */
export async function openScorers(options: ScorersOptions = {}, thread: URL = threadUrl()): Promise<Scorers> {
  if (options.threads !== undefined && !(Number.isInteger(options.threads) && options.threads >= 1)) {
    throw new PragauraError('CONFIGURATION', `cannot score on ${options.threads} threads`, {
      hint: 'threads: a whole number from 1',
    });
  }
  const dir = options.modelsDir ?? defaultModelsDir();
  const jobs = JOBS.filter((job) => options.jobs === undefined || options.jobs.includes(job));
  const chosen = await chooseModels(dir, jobs, options.models ?? {});
  const models = await readModels(dir, chosen);

  const requested = options.provider ?? 'cpu';
  let provider = requested;
  let started: Started | undefined;
  if (requested !== 'cpu') {
    try {
      started = await start(models, requested, thread);
    } catch (error) {
      const reason = messageOf((error as Error).cause ?? error)
        .replace(/\s+/g, ' ')
        .slice(0, 300);
      options.announce?.(`${requested} is not available here (${reason}); running on cpu`);
      provider = 'cpu';
    }
  }
  started ??= await start(models, 'cpu', thread);
  const { pool, engine } = started;
  // One device is fed by one thread; on the CPU a thread is a core.
  const usual = provider === 'cpu' ? Math.min(MAX_DEFAULT_THREADS, availableParallelism()) : 1;
  const threads = options.threads ?? usual;
  try {
    await Promise.all(Array.from({ length: threads - 1 }, () => pool.grow()));
  } catch (error) {
    await pool.close();
    throw unusable(models, error);
  }

  const counter = models[0]?.ready.tokenizer;
  return {
    info: {
      threads,
      requestedProvider: requested,
      provider,
      models: Object.fromEntries(
        models.flatMap(({ ready: { name, jobs: own }, sha256 }) =>
          own.map((job) => [job, { name, sha256 }] as const),
        ),
      ),
      titleTokens: models.find(({ ready }) => ready.jobs.includes('read'))?.ready.model.titled?.title ?? 0,
    },
    embed: (texts, call) => engine.embed(texts, call),
    rerank: (pairs, call) => engine.rerank(pairs, call),
    read: (pairs, call) => engine.read(pairs, call),
    nli: (pairs, call) => engine.nli(pairs, call),
    countTokens: (text) => counter?.encode(text).ids.length ?? 0,
    close: () => pool.close(),
  };
}

interface Loaded {
  ready: Ready;
  thread: ThreadModel;
  /** Of the weights: where they were read and their sha256. */
  path: string;
  sha256: string;
}

interface Started {
  pool: Pool;
  engine: Engine;
}

/** Reads and checks every file once; models may share a tokenizer. */
async function readModels(dir: string, chosen: readonly Chosen[]): Promise<Loaded[]> {
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
    loaded.push({
      ready: { ...entry, tokenizer, outputs },
      thread: { name: entry.name, weights, outputs, declared, batching: model.batching },
      path,
      sha256,
    });
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

/** One thread that has got every known pair right. */
async function start(models: readonly Loaded[], provider: Provider, thread: URL): Promise<Started> {
  const pool = new Pool({ models: models.map((m) => m.thread), provider }, thread);
  const engine = new Engine(
    models.map((m) => m.ready),
    pool,
  );
  try {
    await pool.grow();
    for (const { ready } of models) {
      const wrong = await checkKnownPairs(engine, ready).catch((error: unknown) => {
        throw new StartFailure(messageOf(error), ready.name);
      });
      if (wrong !== null) throw new StartFailure(`its known pairs come out wrong: ${wrong}`, ready.name);
    }
    return { pool, engine };
  } catch (error) {
    await pool.close();
    throw unusable(models, error);
  }
}

function unusable(models: readonly Loaded[], error: unknown): unknown {
  if (!(error instanceof StartFailure)) return error;
  const path = models.find((m) => m.ready.name === error.model)?.path;
  return new PragauraError(
    'MODEL_UNUSABLE',
    path === undefined ? error.message : `cannot use ${path}: ${error.message}`,
    {
      hint: 'the file must be the one that models.lock.json describes; "pragaura models verify" looks at all of them',
      cause: error,
    },
  );
}
