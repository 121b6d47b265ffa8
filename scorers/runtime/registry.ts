/** `models.lock.json`: which models there are, their files by hash, and what each output means. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf, PragauraError } from '../../errors.ts';
import type { Job } from '../types.ts';

export const JOBS = ['embed', 'rerank', 'read', 'nli'] as const satisfies readonly Job[];
export const NLI_LABELS = ['entailment', 'neutral', 'contradiction'] as const;

/** Relative, forward slashes, and never out of the folder. */
const RelativePath = z
  .string()
  .regex(/^[\w.-]+(?:\/[\w.-]+)*$/)
  .refine((path) => !path.split('/').includes('..'), 'must stay inside the models folder');

const LockedFile = z.strictObject({
  path: RelativePath,
  bytes: z.number().int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type LockedFile = z.infer<typeof LockedFile>;

const Pair = z.strictObject({ query: z.string(), passage: z.string() });
const Three = <T extends z.ZodType>(item: T) => z.array(item).min(3);

const LockedModel = z.strictObject({
  title: z.string(),
  revision: z.string(),
  licence: z.string(),
  card: RelativePath,
  weights: LockedFile,
  tokenizer: LockedFile,
  /** Longest sequence that is given to the model, special tokens included. */
  maxTokens: z.number().int().min(16).max(512),
  /**
   * `single`: each sequence runs as a tensor of its own, so that its scores cannot depend on its neighbours (for
   * weights whose activations are quantised over the whole tensor). `stacked`: padded into one tensor a batch.
   */
  batching: z.enum(['single', 'stacked']),
  /** What each job reads, and pairs whose outcome is known: they must come out so when the model is loaded. */
  jobs: z.strictObject({
    embed: z
      .strictObject({
        output: z.string(),
        pooling: z.literal('mean'),
        dimension: z.number().int().positive(),
        /** `text` is nearer to `near` than to `far`. */
        known: Three(z.strictObject({ text: z.string(), near: z.string(), far: z.string() })),
      })
      .optional(),
    rerank: z
      .strictObject({
        output: z.string(),
        /** `better` is more relevant to the query than `worse`. */
        known: Three(z.strictObject({ query: z.string(), better: z.string(), worse: z.string() })),
      })
      .optional(),
    read: z
      .strictObject({
        start: z.string(),
        end: z.string(),
        /** `answer` null: the reader finds none. */
        known: Three(Pair.extend({ answer: z.string().nullable() })),
      })
      .optional(),
    nli: z
      .strictObject({
        output: z.string(),
        /** Label of each logit, in order. */
        labels: z
          .array(z.enum(NLI_LABELS))
          .refine(
            (labels) => labels.length === 3 && new Set(labels).size === 3,
            'must name entailment, neutral and contradiction once each',
          ),
        known: Three(
          z.strictObject({ premise: z.string(), hypothesis: z.string(), label: z.enum(NLI_LABELS) }),
        ),
      })
      .optional(),
  }),
});
export type LockedModel = z.infer<typeof LockedModel>;

const ModelsLock = z.strictObject({
  schema: z.literal('pragaura.models/1'),
  defaults: z.record(z.enum(JOBS), z.string()),
  models: z.record(z.string().regex(/^[a-z0-9][a-z0-9.-]*$/), LockedModel),
});

/** A model chosen for one or more jobs. */
export interface Chosen {
  name: string;
  model: LockedModel;
  jobs: Job[];
}

export function defaultModelsDir(): string {
  return dirname(createRequire(import.meta.url).resolve('#models/models.lock.json'));
}

/**
 * Reads the lock file and picks a model for each job. Throws MODEL_UNUSABLE when the file is missing or does not
 * fit its schema, and CONFIGURATION when a named model does not exist or cannot do the job.
 */
export async function chooseModels(
  dir: string,
  jobs: readonly Job[],
  named: Partial<Record<Job, string>>,
): Promise<Chosen[]> {
  const path = join(dir, 'models.lock.json');
  let lock: z.infer<typeof ModelsLock>;
  try {
    lock = ModelsLock.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new PragauraError('MODEL_UNUSABLE', `cannot use ${path}: ${reason}`, {
      hint: 'install the package anew, or name a folder with a models.lock.json',
      cause: error,
    });
  }
  const chosen = new Map<string, Chosen>();
  for (const job of jobs) {
    const name = named[job] ?? lock.defaults[job];
    const model = Object.hasOwn(lock.models, name) ? lock.models[name] : undefined;
    if (model?.jobs[job] === undefined) {
      const able = Object.keys(lock.models).filter((n) => lock.models[n]?.jobs[job] !== undefined);
      throw new PragauraError(
        'CONFIGURATION',
        model === undefined ? `there is no model "${name}" in ${path}` : `model "${name}" cannot ${job}`,
        { hint: able.length === 0 ? `no model there can ${job}` : `for ${job}: ${able.join(', ')}` },
      );
    }
    const entry = chosen.get(name);
    if (entry === undefined) chosen.set(name, { name, model, jobs: [job] });
    else entry.jobs.push(job);
  }
  return [...chosen.values()];
}
