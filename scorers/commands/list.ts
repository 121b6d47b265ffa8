/** What the lock file offers and what of it is here. */
import { columns } from '../../common/index.ts';
import { absence, type Where, whereabouts } from '../hub/locate.ts';
import { type HubSettings, hubSettings } from '../hub/settings.ts';
import { defaultModelsDir, filesOf, findModel, JOBS, readLock } from '../runtime/registry.ts';
import type { Job } from '../types.ts';

export interface ListedModel {
  name: string;
  title: string;
  /** What it can do, and for which of that it is the one that is used when none is named. */
  jobs: Job[];
  defaultFor: Job[];
  where: Where;
  /** Of the files that scoring reads; null when neither the lock file nor the disk says. */
  bytes: number | null;
  licence: string;
  revision: string;
  card: string;
  /** Its repository on the hub. */
  hub: string | null;
  maxTokens: number;
  /** Whether every hash stands in the lock file; otherwise the first pull records what is missing. */
  locked: boolean;
}

/**
 * Throws MODEL_UNUSABLE when there is no lock file that can be read. `announce` is told of models that count as absent
 * because their place cannot be read.
 */
export async function listModels(
  dir = defaultModelsDir(),
  settings: HubSettings = hubSettings(),
  announce: (message: string) => void = () => {},
): Promise<ListedModel[]> {
  const lock = await readLock(dir);
  return await Promise.all(
    Object.keys(lock.models).map(async (name) => {
      const named = findModel(lock, name);
      const { model } = named;
      const { where, bytes, fault } = await whereabouts(dir, named, settings);
      if (fault !== undefined) announce(absence(name, fault));
      return {
        name,
        title: model.title,
        jobs: JOBS.filter((job) => model.jobs[job] !== undefined),
        defaultFor: JOBS.filter((job) => lock.defaults[job] === name),
        where,
        bytes,
        licence: model.licence,
        revision: model.revision,
        card: model.card,
        hub: model.hub ?? null,
        maxTokens: model.maxTokens,
        locked: filesOf(model).every((file) => file.sha256 !== undefined),
      };
    }),
  );
}

/** Two lines a model: what it is called, does, weighs and where it is; its card in a line. A star: the default. */
export function renderList(models: readonly ListedModel[]): string {
  const rows = models.map((model) => [
    model.name,
    model.jobs.map((job) => (model.defaultFor.includes(job) ? `${job}*` : job)).join(' '),
    model.where,
    model.bytes === null ? '?' : `${(model.bytes / 1e6).toFixed(1)} MB`,
    model.licence,
  ]);
  const lines = columns(rows, (column) => column !== 3);
  return models
    .map(({ title, hub, locked }, i) => {
      const from =
        hub === null ? '' : ` (${hub}${locked ? '' : '; some hashes are recorded by the first pull'})`;
      return `${lines[i]!}\n    ${title}${from}\n`;
    })
    .join('');
}
