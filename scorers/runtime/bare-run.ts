import type { InferenceSession } from 'onnxruntime-node';
import { PragauraError } from '../../common/index.ts';
import type { Scorers, ScorersOptions } from '../types.ts';
import { processorSums } from './arithmetic.ts';
import { Engine } from './engine.ts';
import { loadModels } from './load.ts';
import { Pool } from './pool.ts';
import type { ThreadModel } from './protocol.ts';
import type { Forward, Sequence } from './queue.ts';
import { defaultModelsDir } from './registry.ts';
import { sessionOptions } from './session-options.ts';
import { threadUrl } from './thread-url.ts';

/** What a call gives to ONNX Runtime: to run it without anything of ours around it. */
export interface BareRun {
  weights: Uint8Array<SharedArrayBuffer>;
  session: InferenceSession.SessionOptions;
  /** Names of the outputs that are asked for. */
  outputs: string[];
  batching: ThreadModel['batching'];
  sequences: readonly Sequence[];
}

/** Runs nothing and remembers what it was given. */
class RecordingPool extends Pool {
  readonly #models: readonly ThreadModel[];
  recorded: { model: ThreadModel; sequences: readonly Sequence[] } | undefined;

  constructor(models: readonly ThreadModel[]) {
    super({ provider: 'cpu' }, Promise.resolve([]), threadUrl());
    this.#models = models;
  }

  override async run(name: string, sequences: readonly Sequence[]): Promise<Forward[]> {
    const model = this.#models.find((known) => known.name === name)!;
    this.recorded = { model, sequences };
    return sequences.map(({ ids }) =>
      model.outputs.map(({ kind, width }) =>
        new Float32Array(kind === 'tokens' ? ids.length * width : width).fill(1),
      ),
    );
  }
}

/**
 * The sequences that `call` would send through its model, that model and how its sessions are made; no model runs.
 * Throws what `openScorers` throws for models that are not there, and INTERNAL for a call that gives nothing to a model.
 */
export async function bareRunOf(
  options: Pick<ScorersOptions, 'jobs' | 'models' | 'modelsDir' | 'provider'>,
  call: (scorers: Pick<Scorers, 'embed' | 'rerank' | 'read' | 'nli'>) => Promise<unknown>,
): Promise<BareRun> {
  const models = await loadModels(
    options.modelsDir ?? defaultModelsDir(),
    options.jobs,
    options.models ?? {},
  );
  const pool = new RecordingPool(models.flatMap(({ graphs }) => graphs));
  await call(
    new Engine(
      models.map(({ ready }) => ready),
      pool,
    ),
  );
  if (pool.recorded === undefined) throw new PragauraError('INTERNAL', 'the call gave nothing to a model');
  const { model, sequences } = pool.recorded;
  const provider = options.provider ?? 'cpu';
  const widened = provider === 'cpu' && (await processorSums()).widened;
  return {
    weights: model.weights,
    session: sessionOptions(provider, widened),
    outputs: model.outputs.map(({ name }) => name),
    batching: model.batching,
    sequences,
  };
}
