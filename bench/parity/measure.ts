/** Every question under every arm: one pool of threads, scores that arms have in common computed once. */
import {
  codeHash,
  concurrently,
  type Example,
  type Observation,
  observeWith,
} from '../../calibration/index.ts';
import { PragauraError } from '../../common/index.ts';
import { openRouter, type Router, type Sampler } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { DataQuery } from '../datasets/types.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import { type Arm, NOISE_SEED } from './arms.ts';
import { type Counts, Memo } from './memo.ts';
import { labelNoise } from './noise.ts';

export interface MeasureOptions {
  set: string;
  index: string;
  examples: readonly Example[];
  arms: readonly Arm[];
  /** Folder of profiles for arms without special branches; needed where there are such arms. */
  generalProfiles?: string;
  /** The language model that is asked of each query; undefined: none. */
  sampler?: Sampler | undefined;
  /** Folder of results; what is there is not measured again. */
  out: string;
  say: (line: string) => void;
  signal?: AbortSignal;
}

export interface Measured {
  arm: Arm;
  versions: Router['versions'];
  budget: Router['validFor']['budget'];
  /** One for each example, in their order. */
  observations: Observation[];
}

/** One line of the results of an arm. */
interface Kept {
  id: string;
  observation: Observation;
}

/** Questions at a time. The arms of a question run one after the other, so that each finds what the last one scored. */
const IN_FLIGHT = 8;

/** A router that decides as the arm does. Throws what `openRouter` throws. */
export function openArm(
  arm: Arm,
  {
    index,
    generalProfiles,
    sampler,
    say,
  }: Pick<MeasureOptions, 'index' | 'generalProfiles' | 'sampler' | 'say'>,
  scorers: Scorers,
): Promise<Router> {
  const general = generalProfiles === undefined ? undefined : { folder: generalProfiles };
  const profiles = arm.profiles === 'general' ? general : arm.profiles;
  if (profiles === undefined) {
    throw new PragauraError('INTERNAL', `Arm ${arm.name} goes by profiles that were not written.`);
  }
  return openRouter({
    rule: 'provisional',
    index,
    scorers,
    policy: arm.policy,
    budget: arm.budget,
    ...(profiles === 'own' ? {} : { profiles: profiles.folder }),
    ...(arm.noise === null ? {} : { relabel: labelNoise(arm.noise, NOISE_SEED) }),
    ...(sampler && { sampler }),
    announce: say,
  });
}

/** Measures what was not measured before; a question that failed is tried again. */
export async function measureArms(
  options: MeasureOptions,
  scorers: Scorers,
): Promise<{ measured: Measured[]; counts: Counts; code: string }> {
  const { examples, arms, say } = options;
  const memo = new Memo(scorers);
  const code = await codeHash();
  const runs: { arm: Arm; router: Router; file: ResultsFile<Kept> }[] = [];
  try {
    for (const arm of arms) {
      const router = await openArm(arm, options, memo.scorers);
      const depends = { ...router.versions, ...router.validFor, noise: [arm.noise, NOISE_SEED], code };
      const file = await ResultsFile.open<Kept>(options.out, `parity-${options.set}-${arm.name}`, depends);
      runs.push({ arm, router, file });
    }
    const known = (file: ResultsFile<Kept>, { id, query }: Example) => {
      const kept = file.get(id)?.observation;
      return kept !== undefined && kept.error === null && kept.example.query === query ? kept : undefined;
    };
    const progress = new Progress(`${options.set}, ${arms.length} arms`, examples.length, say);
    await concurrently(examples, IN_FLIGHT, async (example) => {
      options.signal?.throwIfAborted();
      const missing = runs.filter(({ file }) => known(file, example) === undefined);
      await memo.question(async () => {
        for (const { router, file } of missing) {
          await file.add({ id: example.id, observation: await observeWith(router, example) });
        }
      });
      progress.step(missing.length === 0);
    });
    return {
      measured: runs.map(({ arm, router, file }) => ({
        arm,
        versions: router.versions,
        budget: router.validFor.budget,
        // Labels are those of today's data, not of the run that measured.
        observations: examples.map((example) => ({ ...kept(file, example.id), example })),
      })),
      counts: memo.counts,
      code,
    };
  } finally {
    await Promise.all(runs.flatMap(({ router, file }) => [router.close(), file.close()]));
  }
}

function kept(file: ResultsFile<Kept>, id: string): Observation {
  const found = file.get(id);
  if (found !== undefined) return found.observation;
  throw new PragauraError('INTERNAL', `Question ${id} was not measured.`);
}

/** A question of a set as an example; what the set has no label for stays unsaid. */
export function exampleOf({ id, query, answers, relevant, group }: DataQuery): Example {
  return {
    id,
    query,
    group,
    ...(answers.length > 0 ? { answers: [...answers] } : {}),
    ...(relevant.length > 0
      ? { passages: relevant.map(({ docId }) => docId), grades: relevant.map(({ grade }) => grade) }
      : {}),
  };
}
