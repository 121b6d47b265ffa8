/** Which model does a job: on the command line, in the configuration file, in the environment. */
import type { Argv } from 'yargs';
import { PragauraError } from '../common/index.ts';
import type { Job, ModelChoice } from '../scorers/types.ts';

export interface ModelArguments {
  models?: Partial<Record<Job, string>> | undefined;
  modelsDir?: string | undefined;
}

const JOBS = {
  embed: 'Model that embeds texts; an index needs the one that it was made with',
  rerank: 'Model that tells how relevant a passage is',
  read: 'Model that finds the answer in a passage',
  nli: 'Model that tells whether a passage entails or contradicts a claim',
} as const satisfies Record<Job, string>;

function modelsFrom(value: unknown, jobs: readonly Job[]): Partial<Record<Job, string>> | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) {
    throw new PragauraError('USAGE', `--models takes a job, for example --models.${jobs[0]} NAME.`);
  }
  const models: Partial<Record<Job, string>> = {};
  for (const [job, name] of Object.entries(value)) {
    if (!jobs.includes(job as Job)) throw new PragauraError('USAGE', `Unknown argument: models.${job}`);
    if (name === undefined) continue;
    if (typeof name !== 'string' || name === '') {
      throw new PragauraError('USAGE', `--models.${job} takes one NAME or NAME@REVISION.`);
    }
    models[job as Job] = name;
  }
  return models;
}

/** Adds `--models.JOB` for these jobs, and `--models-dir`. */
export function modelOptions<T>(parser: Argv<T>, jobs: readonly Job[] = Object.keys(JOBS) as Job[]): Argv<T> {
  // Strict parsing knows `--models.nli` by its first part.
  let withModels = parser
    .option('models', { hidden: true, coerce: (value) => modelsFrom(value, jobs) })
    .option('models-dir', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: "Folder with a models.lock.json [default: the package's own]",
    }) as Argv<T>;
  for (const job of jobs) {
    withModels = withModels.option(`models.${job}`, {
      type: 'string',
      requiresArg: true,
      describe: `${JOBS[job]}; "pragaura models list" has the names`,
    }) as Argv<T>;
  }
  return withModels;
}

/** What `openScorers` and `openRouter` get from these options. */
export function modelsOf({ models, modelsDir }: ModelArguments): ModelChoice {
  return { ...(models === undefined ? {} : { models }), ...(modelsDir === undefined ? {} : { modelsDir }) };
}
