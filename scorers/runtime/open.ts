/** From a folder of models to running scorers. */
import { availableParallelism } from 'node:os';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { Provider, Scorers, ScorersOptions } from '../types.ts';
import { sumsOver } from './arithmetic.ts';
import { Engine } from './engine.ts';
import { apart, type KnownScores, scoreKnownPairs, wrongAmong } from './known-pairs.ts';
import { type Loaded, type LoadedGraphs, loadGraphs, withTokenizers } from './load.ts';
import { closedError, Pool, StartFailure } from './pool.ts';
import { defaultModelsDir } from './registry.ts';
import { threadUrl } from './thread-url.ts';

const MAX_DEFAULT_THREADS = 4;

/** What is said where scores are not those of other processors. */
export const OTHERWISE: Readonly<Record<'saturating' | 'unfused', string>> = {
  saturating:
    'sums of 8-bit products are cut off on this processor: scores are not those of others, and thresholds made there do not hold here',
  unfused:
    'this processor lacks AVX2 and FMA: scores are not those of others, as accurate, and take about twice as long',
};

/** Where that is not the processor's doing alone. */
const OF_A_MODEL = ' ("pragaura models verify" says in which model)';

/**
 * Loads the models of the jobs asked for, starts the inference threads and runs the known pairs. Throws
 * MODEL_UNUSABLE when a file is missing (nothing is ever fetched here) or not the locked one, when a graph does not
 * fit its lock entry or gets its known pairs wrong; CONFIGURATION for a model that does not exist; SCORING_FAILED when
 * the runtime or its threads do not start. A provider that cannot run here (also one that loads and then fails,
 * miscounts, or scores otherwise than the CPU does) is replaced by `cpu`, which is announced and stands in `info`.
 * `thread`: the code of an inference thread, another one only in tests.
 */
export async function openScorers(options: ScorersOptions = {}, thread: URL = threadUrl()): Promise<Scorers> {
  if (options.threads !== undefined && !(Number.isInteger(options.threads) && options.threads >= 1)) {
    throw new PragauraError('CONFIGURATION', `cannot score on ${options.threads} threads`, {
      hint: 'threads: a whole number from 1',
    });
  }
  const dir = options.modelsDir ?? defaultModelsDir();
  const run = options.softmax === false ? 1 : undefined;
  const graphs = loadGraphs(dir, options.jobs, options.models ?? {}, run);
  const files: Files = { graphs, models: graphs.then((checked) => withTokenizers(dir, checked)) };

  const requested = options.provider ?? 'cpu';
  let provider = requested;
  let started: Started | undefined;
  if (requested !== 'cpu') {
    try {
      started = await onDevice(files, requested, options, thread);
    } catch (error) {
      // What is wrong with the files is wrong everywhere.
      await files.models;
      const reason = messageOf((error as Error).cause ?? error)
        .replace(/\s+/g, ' ')
        .slice(0, 300);
      options.announce?.(`${requested} is not available here (${reason}); running on cpu`);
      provider = 'cpu';
    }
  }
  // On the CPU a thread is a core.
  const threads =
    options.threads ?? (provider === 'cpu' ? Math.min(MAX_DEFAULT_THREADS, availableParallelism()) : 1);
  started ??= await start(files, 'cpu', threads, thread, options);
  const { pool, engine, models } = started;
  const { sums } = pool;
  const weights = models.flatMap(({ graphs: own }) => own.map((graph) => graph.weights));
  const arithmetic = sums === null ? provider : sumsOver(weights, sums);
  const kind = arithmetic.split(' ')[0] as keyof typeof OTHERWISE | 'exact';
  const differs = sums === null || kind === 'exact' ? undefined : OTHERWISE[kind];
  if (differs !== undefined)
    options.announce?.(`${differs}${arithmetic === sums?.arithmetic ? '' : OF_A_MODEL}`);

  const counter = models[0]?.ready.tokenizer;
  const reader = models.find(({ ready }) => ready.jobs.includes('read'))?.ready;
  const calls = new Calls();
  return {
    info: {
      threads,
      requestedProvider: requested,
      provider,
      arithmetic,
      widened: sums?.widened ?? false,
      models: Object.fromEntries(
        models.flatMap(({ ready: { name, jobs: own }, identity }) =>
          own.map((job) => [job, { name, sha256: identity }] as const),
        ),
      ),
      titleTokens: reader?.model.titled?.title ?? 0,
      // A first look of one model says nothing of what another one would read.
      keep: reader?.jobs.includes('rerank') ? (reader.model.upper?.keep ?? null) : null,
    },
    embed: (texts, call) => calls.take(() => engine.embed(texts, call)),
    early: (pairs, call) => calls.take(() => engine.early(pairs, call)),
    rerank: (pairs, call) => calls.take(() => engine.rerank(pairs, call)),
    read: (pairs, call) => calls.take(() => engine.read(pairs, call)),
    nli: (pairs, call) => calls.take(() => engine.nli(pairs, call)),
    countTokens: (text) => counter?.encode(text).ids.length ?? 0,
    close: async () => {
      await calls.end();
      await pool.close();
    },
  };
}

/** Calls under way. The pool knows of one only while it runs something for it, not while a text is encoded. */
class Calls {
  readonly #open = new Set<Promise<unknown>>();
  #ended = false;

  async take<T>(call: () => Promise<T>): Promise<T> {
    if (this.#ended) throw closedError();
    const result = call();
    this.#open.add(result);
    try {
      return await result;
    } finally {
      this.#open.delete(result);
    }
  }

  /** Takes nothing new; resolves when all are done. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.allSettled(this.#open);
  }
}

/** `models` are `graphs` with their tokenizers, which threads need not wait for. */
interface Files {
  graphs: Promise<LoadedGraphs[]>;
  models: Promise<Loaded[]>;
}

interface Started {
  pool: Pool;
  engine: Engine;
  models: Loaded[];
  /** Of each model. */
  scores: KnownScores[];
}

/** Threads that have got every known pair right. */
async function start(
  files: Files,
  provider: Provider,
  threads: number,
  thread: URL,
  { onBatch, onRun, widen }: Pick<ScorersOptions, 'onBatch' | 'onRun' | 'widen'> = {},
): Promise<Started> {
  const graphs = files.graphs.then((models) => models.flatMap((model) => model.graphs));
  const pool = new Pool({ provider, widen }, graphs, thread, onBatch, onRun);
  try {
    const grown = Array.from({ length: threads }, () => pool.grow());
    const [models] = await Promise.all([files.models, ...grown]);
    const engine = new Engine(
      models.map(({ ready }) => ready),
      pool,
    );
    return { pool, engine, models, scores: await checked(engine, models) };
  } catch (error) {
    await pool.close();
    throw unusable(await files.graphs, error);
  }
}

async function checked(engine: Engine, models: readonly Loaded[]): Promise<KnownScores[]> {
  return await Promise.all(
    models.map(async ({ ready }) => {
      const scores = await scoreKnownPairs(engine, ready).catch((error: unknown) => {
        throw new StartFailure(messageOf(error), ready.name);
      });
      const wrong = wrongAmong(ready, scores);
      if (wrong !== null) throw new StartFailure(`its known pairs come out wrong: ${wrong}`, ready.name);
      return scores;
    }),
  );
}

/** Threads on a device whose scores are those of the CPU. A device is fed by one thread. */
async function onDevice(
  files: Files,
  provider: Provider,
  options: ScorersOptions,
  thread: URL,
): Promise<Started> {
  const device = await start(files, provider, options.threads ?? 1, thread, options);
  try {
    const cpu = await start(files, 'cpu', 1, thread);
    await cpu.pool.close();
    const far = device.scores.map((scores, i) => apart(scores, cpu.scores[i]!)).find((one) => one !== null);
    if (far !== undefined) throw new Error(far);
    return device;
  } catch (error) {
    await device.pool.close();
    throw error;
  }
}

function unusable(models: readonly LoadedGraphs[], error: unknown): unknown {
  if (!(error instanceof StartFailure)) return error;
  const path = models.find((m) => m.graphs.some(({ name }) => name === error.model))?.path;
  if (path === undefined) {
    return new PragauraError('SCORING_FAILED', `scoring cannot start: ${error.message}`, {
      hint: 'free memory, or allow more threads; where ONNX Runtime is missing or foreign, install the package anew',
      cause: error,
    });
  }
  return new PragauraError('MODEL_UNUSABLE', `cannot use ${path}: ${error.message}`, {
    hint: 'the file is the locked one: mend its entry in models.lock.json, or choose another model',
    cause: error,
  });
}
