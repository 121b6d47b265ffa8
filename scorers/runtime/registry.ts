/** `models.lock.json`: which models there are, their files by hash, and what each output means. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { Job } from '../types.ts';

export const JOBS = ['embed', 'rerank', 'read', 'nli'] as const satisfies readonly Job[];
export const NLI_LABELS = ['entailment', 'neutral', 'contradiction'] as const;

/** Relative, forward slashes, and never out of the folder. */
const RelativePath = z
  .string()
  .regex(/^[\w.-]+(?:\/[\w.-]+)*$/)
  .refine((path) => !path.split('/').includes('..'), 'must stay inside the models folder');

/** Goes into paths and addresses: a commit, a branch or a tag. */
const HubRevision = /^(?!.*\.\.)[\w][\w.-]*(?:\/[\w][\w.-]*)*$/;

/** `bytes` and `sha256` may be left out for files of a hub only: then the first pull records them. */
const LockedFile = z.strictObject({
  path: RelativePath,
  bytes: z.number().int().positive().optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type LockedFile = z.infer<typeof LockedFile>;

/** A file whose content is known before it is seen. */
export interface FullyLocked {
  path: string;
  bytes: number;
  sha256: string;
}

/** Whether a file's size and hash stand in the lock file. */
export function isLocked(file: LockedFile): file is FullyLocked {
  return file.bytes !== undefined && file.sha256 !== undefined;
}

const Asked = z.strictObject({ query: z.string(), title: z.string().optional() });
const Three = <T extends z.ZodType>(item: T) => z.array(item).min(3);

const Shape = z.strictObject({
  /** The card in a line. */
  title: z.string(),
  /** Of a hub: the commit, or a branch or tag. Of shipped weights: words that tell them from others. */
  revision: z.string(),
  licence: z.string(),
  card: z.union([RelativePath, z.url({ protocol: /^https$/ })]),
  /** Repository on the hub, `org/name`, whose paths the files below have. Without it they lie in this folder. */
  hub: z
    .string()
    .regex(/^[\w][\w.-]*\/[\w][\w.-]*$/)
    .optional(),
  weights: LockedFile,
  tokenizer: LockedFile,
  /**
   * The graph comes in halves. `weights` is the lower one: it gives `rerank.early` and, as `hidden`, `width` numbers a
   * token. This is the upper one, which takes those in place of word pieces and gives all other outputs. `keep`: how
   * many passages are read, of those that the lower half has ranked.
   */
  upper: LockedFile.extend({
    hidden: z.string(),
    width: z.number().int().positive(),
    keep: z.number().int().min(1),
  }).optional(),
  /** The upstream config.json, whose label names must be ours in the same order. */
  config: LockedFile.optional(),
  /** Longest sequence that is given to the model, special tokens included. */
  maxTokens: z.number().int().min(16).max(512),
  /**
   * `single`: each sequence runs as a tensor of its own, so that its scores cannot depend on its neighbours (for
   * weights whose activations are quantised over the whole tensor). `stacked`: padded into one tensor a batch.
   */
  batching: z.enum(['single', 'stacked']),
  /**
   * The model was trained on `[CLS] query [SEP] title [SEP] passage [SEP]` (without a title, as others): word pieces
   * that it takes of a query and of a title. Without this it takes no titles.
   */
  titled: z.strictObject({ query: z.number().int().min(8), title: z.number().int().min(1) }).optional(),
  /** What each job reads, and pairs whose outcome is known: they must come out so when the model is loaded. */
  jobs: z.strictObject({
    embed: z
      .strictObject({
        output: z.string(),
        /** Over the tokens' vectors: their mean, or the first one (`cls`). */
        pooling: z.enum(['mean', 'cls']),
        dimension: z.number().int().positive(),
        /** `text` is nearer to `near` than to `far`. */
        known: Three(z.strictObject({ text: z.string(), near: z.string(), far: z.string() })),
      })
      .optional(),
    rerank: z
      .strictObject({
        output: z.string(),
        /** Relevance as the lower layers see it, where the graph has such an output. */
        early: z.string().optional(),
        /** `better` is more relevant to the query than `worse`. */
        known: Three(Asked.extend({ better: z.string(), worse: z.string() })),
      })
      .optional(),
    read: z
      .strictObject({
        start: z.string(),
        end: z.string(),
        /** `answer` null: the reader finds none. */
        known: Three(Asked.extend({ passage: z.string(), answer: z.string().nullable() })),
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
        ).refine(
          // One label alone would let the other two be swapped.
          (known) => NLI_LABELS.every((label) => known.some((pair) => pair.label === label)),
          'must have a pair of each label',
        ),
      })
      .optional(),
  }),
});

/** The files of a model that scoring or its checks need. */
export function filesOf({ weights, upper, tokenizer, config }: z.infer<typeof Shape>): LockedFile[] {
  return [weights, upper, tokenizer, config].filter((file) => file !== undefined);
}

const LockedModel = Shape.refine(
  (model) => model.hub !== undefined || filesOf(model).every(isLocked),
  'files that are not from a hub need their bytes and sha256',
)
  .refine((model) => model.hub === undefined || HubRevision.test(model.revision), 'no revision of a hub')
  .refine(
    ({ upper, hub, batching, jobs }) =>
      upper === undefined ||
      (hub === undefined && isLocked(upper) && batching === 'single' && jobs.rerank?.early !== undefined),
    'halves are shipped with bytes and sha256, run single, and the lower one has an early relevance',
  )
  .refine(
    ({ titled, maxTokens }) => titled === undefined || titled.query + titled.title <= maxTokens / 2,
    'query and title must leave half of a sequence to the passage',
  );
export type LockedModel = z.infer<typeof LockedModel>;

const ModelsLock = z.strictObject({
  schema: z.literal('pragaura.models/1'),
  defaults: z.record(z.enum(JOBS), z.string()),
  models: z.record(z.string().regex(/^[a-z0-9][a-z0-9.-]*$/), LockedModel),
});
export type ModelsLock = z.infer<typeof ModelsLock>;

/** `name`: as it is asked for, with `@revision` where that is not the locked one. */
export interface Named {
  name: string;
  model: LockedModel;
}

/** A model chosen for one or more jobs. */
export interface Chosen extends Named {
  jobs: Job[];
}

export const LOCK_FILE = 'models.lock.json';

/** The models folder of the package itself. */
export function defaultModelsDir(): string {
  return dirname(createRequire(import.meta.url).resolve('#models/models.lock.json'));
}

/** Reads the lock file. Throws MODEL_UNUSABLE when it is missing or does not fit its schema. */
export async function readLock(dir: string): Promise<ModelsLock> {
  const path = join(dir, LOCK_FILE);
  try {
    return ModelsLock.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new PragauraError('MODEL_UNUSABLE', `cannot use ${path}: ${reason}`, {
      hint: 'install the package anew, or name a folder with a models.lock.json',
      cause: error,
    });
  }
}

/**
 * The model of a name, `NAME` or `NAME@REVISION`. Another revision than the locked one has other files, whose hashes
 * nobody knows yet. Throws CONFIGURATION when there is no such model, or no such revision of it.
 */
export function findModel(
  lock: ModelsLock,
  named: string,
  hint = `there are: ${Object.keys(lock.models).join(', ')}`,
): Named {
  const [name = '', ...rest] = named.split('@');
  const revision = rest.length === 0 ? undefined : rest.join('@');
  const model = Object.hasOwn(lock.models, name) ? lock.models[name] : undefined;
  if (model === undefined) {
    throw new PragauraError('CONFIGURATION', `there is no model "${name}" in the lock file`, { hint });
  }
  if (revision === undefined || revision === model.revision) return { name, model };
  if (model.hub === undefined || !HubRevision.test(revision)) {
    throw new PragauraError('CONFIGURATION', `there is no revision "${revision}" of the model "${name}"`, {
      hint:
        model.hub === undefined ? `it is shipped with the package: ${name}` : 'a commit, a branch or a tag',
    });
  }
  const { config, weights, tokenizer, ...others } = model;
  const files = { weights: { path: weights.path }, tokenizer: { path: tokenizer.path } };
  return {
    name: named,
    model: {
      ...others,
      ...files,
      revision,
      ...(config === undefined ? {} : { config: { path: config.path } }),
    },
  };
}

/**
 * Picks a model for each job: the named one, else the default. Throws what `readLock` and `findModel` throw, and
 * CONFIGURATION when a named model cannot do the job.
 */
export async function chooseModels(
  dir: string,
  jobs: readonly Job[],
  named: Partial<Record<Job, string>>,
): Promise<Chosen[]> {
  const lock = await readLock(dir);
  const chosen = new Map<string, Chosen>();
  for (const job of jobs) {
    const able = Object.keys(lock.models).filter((name) => lock.models[name]?.jobs[job] !== undefined);
    const hint = able.length === 0 ? `no model there can ${job}` : `for ${job}: ${able.join(', ')}`;
    const { name, model } = findModel(lock, named[job] ?? lock.defaults[job], hint);
    if (model.jobs[job] === undefined) {
      throw new PragauraError('CONFIGURATION', `model "${name}" cannot ${job}`, { hint });
    }
    const entry = chosen.get(name);
    if (entry === undefined) chosen.set(name, { name, model, jobs: [job] });
    else entry.jobs.push(job);
  }
  return [...chosen.values()];
}
