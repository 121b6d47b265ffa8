/** From a folder of models to running scorers. */
import { availableParallelism } from 'node:os';
import { messageOf, PragauraError } from '../../errors.ts';
import type { Provider, Scorers, ScorersOptions } from '../types.ts';
import { Engine } from './engine.ts';
import { checkKnownPairs } from './known-pairs.ts';
import { type Loaded, loadModels } from './load.ts';
import { Pool, StartFailure } from './pool.ts';
import { defaultModelsDir } from './registry.ts';
import { threadUrl } from './thread-url.ts';

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
  const models = await loadModels(dir, options.jobs, options.models ?? {});

  const requested = options.provider ?? 'cpu';
  let provider = requested;
  let started: Started | undefined;
  if (requested !== 'cpu') {
    try {
      started = await start(models, requested, thread, options.onBatch);
    } catch (error) {
      const reason = messageOf((error as Error).cause ?? error)
        .replace(/\s+/g, ' ')
        .slice(0, 300);
      options.announce?.(`${requested} is not available here (${reason}); running on cpu`);
      provider = 'cpu';
    }
  }
  started ??= await start(models, 'cpu', thread, options.onBatch);
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
  const reader = models.find(({ ready }) => ready.jobs.includes('read'))?.ready.model;
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
      titleTokens: reader?.titled?.title ?? 0,
      keep: reader?.upper?.keep ?? null,
    },
    embed: (texts, call) => engine.embed(texts, call),
    early: (pairs, call) => engine.early(pairs, call),
    rerank: (pairs, call) => engine.rerank(pairs, call),
    read: (pairs, call) => engine.read(pairs, call),
    nli: (pairs, call) => engine.nli(pairs, call),
    countTokens: (text) => counter?.encode(text).ids.length ?? 0,
    close: () => pool.close(),
  };
}

interface Started {
  pool: Pool;
  engine: Engine;
}

/** One thread that has got every known pair right. */
async function start(
  models: readonly Loaded[],
  provider: Provider,
  thread: URL,
  onBatch: ScorersOptions['onBatch'],
): Promise<Started> {
  const pool = new Pool({ models: models.flatMap((m) => m.graphs), provider }, thread, onBatch);
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
  const path = models.find((m) => m.graphs.some(({ name }) => name === error.model))?.path;
  return new PragauraError(
    'MODEL_UNUSABLE',
    path === undefined ? error.message : `cannot use ${path}: ${error.message}`,
    {
      hint: 'the file must be the one that models.lock.json describes; "pragaura models verify" looks at all of them',
      cause: error,
    },
  );
}
