import { abortOf, type ErrorCode, PragauraError } from '../../common/index.ts';
import {
  type Decision,
  openRouter,
  provisionalThresholds,
  type Router,
  type RouterOptions,
} from '../../router/index.ts';
import { isAboutShown } from '../labels/examples.ts';
import type { Example, Observation } from '../types.ts';
import { ObservationCache } from './cache.ts';
import { concurrently } from './concurrently.ts';
import { type Context, contextOf, differences, idOf, keyOf } from './key.ts';
import { measure } from './measure.ts';
import { measuringProgress } from './progress.ts';

export interface ObserveOptions extends Omit<RouterOptions, 'thresholds' | 'relabel'> {
  /** Folder in which observations are kept between runs. */
  cache: string;
  /** Told in words what of the cache cannot be used, and how far the measuring is. */
  say: (line: string) => void;
  /** Aborted: what is in flight is finished and kept, then ABORTED is thrown. */
  signal?: AbortSignal;
  /** Queries in flight at most. Default 8: enough that no inference thread waits for the next one. */
  inFlight?: number;
}

export interface ObserveStats {
  /** Examples whose query was measured before, by an earlier run or for another example of this one. */
  fromCache: number;
  measured: number;
  /** Observations with an `error`. */
  failed: number;
  /** Wall time of the measuring, models loaded. */
  seconds: number;
  /**
   * Seconds that the measured queries spent in each stage of the router, waiting for a free thread included, summed
   * over queries; `other` is what no stage took.
   */
  secondsByStage: Record<string, number>;
  /** Share of these seconds in the stages that run models (embed, judge, nli), in [0, 1]; null when none was measured. */
  modelShare: number | null;
}

export interface Observed {
  /** One for each example, in their order. */
  observations: Observation[];
  stats: ObserveStats;
  versions: Decision['versions'];
  /** What thresholds fitted on these observations hold for. */
  validFor: Router['validFor'];
}

/** What is measured by words alone holds for no index that anybody will use. */
function notYet(index: string): PragauraError {
  return new PragauraError('INDEX_UNUSABLE', `Vectors of the index ${index} are still being made.`, {
    hint: `Wait until "pragaura index" is done; where it was stopped: pragaura index PATH… --out ${index}`,
  });
}

const IN_FLIGHT = 8;
const MODEL_STAGES = ['embed', 'judge', 'nli'];

/**
 * Measures every example with a router of its own, from the cache where the same query was measured before under the
 * same index, models, profiles, policy, budget, layers, vocabulary, graph, limits and program. Failures and missed deadlines are kept in no
 * cache: the next run tries them again.
 * Throws what `openRouter` and the cache throw; INDEX_UNUSABLE while vectors of the index are still being made; ABORTED when the signal fired before all was done.
 */
export async function observe(examples: readonly Example[], options: ObserveOptions): Promise<Observed> {
  const { cache: dir, say, signal, inFlight = IN_FLIGHT, ...routerOptions } = options;
  if ('thresholds' in routerOptions || 'relabel' in routerOptions) {
    throw new PragauraError('INTERNAL', 'Observations are made without thresholds and by the true acts.');
  }
  const router = await openRouter({ ...routerOptions, rule: 'provisional' });
  try {
    if (router.pending > 0) throw notYet(options.index);
    const context = await contextOf(router, provisionalThresholds().limits);
    const keys = examples.map((example) => keyOf(idOf(context), example));
    const cache = await ObservationCache.open(dir, context, new Set(keys));
    try {
      return await fill(router, examples, keys, { cache, context, say, signal, inFlight });
    } finally {
      await cache.close();
    }
  } finally {
    await router.close();
  }
}

/** Measures one example with a router that is open, past any cache. A query that fails is an observation with `error`. */
export async function observeWith(
  router: Pick<Router, 'explain' | 'validFor'>,
  example: Example,
  signal?: AbortSignal,
): Promise<Observation> {
  const key = keyOf(idOf(router.validFor), example);
  return (await measure(router, example, key, signal)).observation;
}

interface Filling {
  cache: ObservationCache;
  context: Context;
  say: (line: string) => void;
  signal: AbortSignal | undefined;
  inFlight: number;
}

async function fill(
  router: Router,
  examples: readonly Example[],
  keys: readonly string[],
  { cache, context, say, signal, inFlight }: Filling,
): Promise<Observed> {
  const known = new Map<string, Observation>();
  const missing = new Map<string, Example>();
  for (const [i, key] of keys.entries()) {
    const found = cache.get(key);
    const example = examples[i]!;
    if (found !== undefined && !lacksShown(found, example)) known.set(key, found);
    // Of the same query with several labels that is measured which asks for most.
    else if (!missing.has(key) || isAboutShown(example)) missing.set(key, example);
  }
  if (missing.size > 0 && known.size === 0) tellWhy(cache.otherContexts, context, say);
  const seconds: Record<string, number> = Object.create(null);
  const progress = measuringProgress(missing.size);
  const started = performance.now();
  const ends = { stop: signal, cancel: signal && abortOf(signal) };
  const measureOne = async ([key, example]: [string, Example], own: AbortSignal) => {
    const { observation, timings } = await measure(router, example, key, own);
    known.set(key, observation);
    if (isKept(observation)) await cache.add(observation, context);
    for (const [stage, ms] of Object.entries(timings)) seconds[stage] = (seconds[stage] ?? 0) + ms / 1_000;
    progress.step();
  };
  await concurrently([...missing], inFlight, measureOne, ends)
    .catch((error) => {
      // A second Ctrl-C cancels what is in flight; that is told below like the first.
      if (!signal?.aborted || !PragauraError.isInstance(error) || error.code !== 'ABORTED') throw error;
    })
    .finally(() => progress.end());
  const left = keys.filter((key) => !known.has(key)).length;
  if (left > 0) throw interrupted(missing.size, left);
  const wall = (performance.now() - started) / 1_000;
  // Labels are those of today's examples, not of the run that measured.
  const observations = keys.map((key, i) => ({ ...known.get(key)!, example: examples[i]! }));
  const failed = observations.filter(({ error }) => error !== null);
  if (failed.length > 0 && failed.length === observations.length) throw allFailed(failed);
  return {
    observations,
    stats: {
      fromCache: keys.length - missing.size,
      measured: missing.size,
      failed: failed.length,
      seconds: wall,
      ...stagesOf(seconds),
    },
    versions: router.versions,
    validFor: router.validFor,
  };
}

/** Measured before for a label that is about the span alone: making what would be shown takes half as long again. */
function lacksShown({ shown }: Observation, example: Example): boolean {
  return shown === undefined && isAboutShown(example);
}

/** A failure may have been that of a moment, of an index too, and whether a deadline is met depends on what runs beside. */
function isKept({ error, closed }: Observation): boolean {
  return error === null && closed !== 'DEADLINE_EXCEEDED' && closed !== 'INDEX_UNAVAILABLE';
}

/** Nothing could be used of a cache that holds something: says what is different, of the context that is nearest. */
function tellWhy(others: readonly Context[], context: Context, say: (line: string) => void): void {
  const [nearest] = others.map((other) => differences(context, other)).sort((a, b) => a.length - b.length);
  if (nearest === undefined || nearest.length === 0) return;
  say(`What the cache holds was measured with ${nearest.join(', ')}; every query is measured again.`);
}

function stagesOf({
  total,
  ...stages
}: Record<string, number>): Pick<ObserveStats, 'secondsByStage' | 'modelShare'> {
  if (total === undefined) return { secondsByStage: {}, modelShare: null };
  const known = Object.values(stages).reduce((sum, seconds) => sum + seconds, 0);
  const models = MODEL_STAGES.reduce((sum, stage) => sum + (stages[stage] ?? 0), 0);
  return {
    secondsByStage: { ...stages, other: Math.max(0, total - known) },
    modelShare: total === 0 ? null : models / total,
  };
}

function interrupted(wanted: number, left: number): PragauraError {
  return new PragauraError('ABORTED', `Interrupted with ${wanted - left} of ${wanted} queries measured.`, {
    hint: 'What was measured is kept. The same command goes on where this one stopped.',
  });
}

function allFailed([first, ...more]: readonly Observation[]): PragauraError {
  const code = first!.error as ErrorCode;
  return new PragauraError(code, `None of the ${more.length + 1} queries could be decided (${code}).`, {
    hint: 'One of them with "pragaura ask" says more; "pragaura doctor" checks models and index.',
  });
}
