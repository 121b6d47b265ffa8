import { availableParallelism } from 'node:os';
import { PragauraError } from '../common/index.ts';
import { openScorers, type Scorers, type ScorersOptions } from '../scorers/index.ts';
import { buildIndex } from './build-index.ts';
import type { BuildOptions, IndexReport } from './build-options.ts';

export interface IndexDocumentsOptions
  extends Pick<
    BuildOptions,
    | 'out'
    | 'maxTokens'
    | 'keepMissing'
    | 'remove'
    | 'stage'
    | 'unreviewed'
    | 'keepGenerations'
    | 'identifiers'
    | 'wait'
    | 'elsewhere'
    | 'keepGraph'
    | 'onProgress'
    | 'signal'
  > {
  /** A pool that is open already, with the job `embed`; it is left open. Default: one of its own. */
  scorers?: Scorers;
  /** For a pool of its own, which has a thread for every core unless it is told otherwise. */
  models?: Omit<ScorersOptions, 'jobs' | 'onRun'>;
}

/**
 * Indexes files and folders into `options.out`, or brings an index there up to date; the embedder is the pool's.
 * Files that cannot be read are named in the report, the rest is indexed.
 * Throws EMPTY_INPUT, INDEX_LOCKED, INDEX_UNUSABLE (a folder that is no index of ours), WRITE_FAILED,
 * MODEL_UNUSABLE, CONFIGURATION (declared identifiers that do not fit) and, when the signal fires, ABORTED.
 */
export async function indexDocuments(
  paths: readonly string[],
  options: IndexDocumentsOptions,
): Promise<IndexReport> {
  if (!Array.isArray(paths) || typeof options?.out !== 'string') {
    throw new PragauraError('CONFIGURATION', 'indexDocuments was not told what to index, or where to.', {
      hint: "Call it like this: indexDocuments(['docs'], { out: 'my-index' })",
    });
  }
  const { scorers: given, models, ...build } = options;
  let inside = 0;
  const scorers = given ?? (await openScorers(ownPool(models, (ms) => (inside += ms))));
  try {
    const [probe] = await scorers.embed(['dimension']);
    return await buildIndex(paths, {
      ...build,
      embed: (texts, call) => scorers.embed(texts, call),
      embedder: { ...scorers.info.models.embed!, dimension: probe!.length },
      countTokens: (text) => scorers.countTokens(text),
      ...(given === undefined &&
        build.elsewhere === undefined && { insideMs: () => inside / scorers.info.threads }),
    });
  } finally {
    if (given === undefined) await scorers.close();
  }
}

/** Nothing else is asked of this pool, so that it may have the whole processor; a device is fed by one thread. */
function ownPool(models: IndexDocumentsOptions['models'], onRun: (ms: number) => void): ScorersOptions {
  const cores = (models?.provider ?? 'cpu') === 'cpu' ? { threads: availableParallelism() } : {};
  return { ...cores, ...models, jobs: ['embed'], onRun };
}
