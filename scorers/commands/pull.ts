/** Gets models and proves that they can be used. */
import { PragauraError, progress } from '../../common/index.ts';
import { type PulledFile, pull } from '../hub/pull.ts';
import { hubSettings } from '../hub/settings.ts';
import { distrust, type TrustedFile } from '../hub/trust.ts';
import { defaultModelsDir, findModel, readLock } from '../runtime/registry.ts';
import { verifyModels } from './verify.ts';

export interface PulledModel {
  name: string;
  files: PulledFile[];
}

interface PullContext {
  say: (message: string) => void;
  signal: AbortSignal;
}

/**
 * Pulls each named model and verifies it. Throws what `pull` throws, CONFIGURATION for a name that the lock file does
 * not have, MODEL_UNUSABLE for a model that came as locked and still cannot be used.
 */
export async function pullModels(
  dir = defaultModelsDir(),
  names: readonly string[],
  { say, signal }: PullContext,
): Promise<PulledModel[]> {
  const lock = await readLock(dir);
  const wanted = names.map((name) => findModel(lock, name));
  const settings = hubSettings();
  const pulled: PulledModel[] = [];
  for (const named of wanted) {
    const { name, model } = named;
    const firstUse: TrustedFile[] = [];
    if (model.hub === undefined) say(`${name} is shipped with the package: there is nothing to pull.`);
    else {
      const files = await withBar(name, (onProgress) =>
        pull(named, settings, { signal, announce: say, onProgress }),
      );
      for (const { path, bytes, fetched } of files) {
        say(`${name}: ${path}, ${megabytes(bytes)}, ${fetched ? 'pulled' : 'was here'}.`);
      }
      pulled.push({ name, files });
      const { hub: repo, revision } = model;
      for (const { path, bytes, sha256, commit, vouched } of files) {
        if (vouched === 'first') firstUse.push({ repo, revision, path, bytes, sha256, commit });
      }
    }
    const checked: string[] = [];
    for await (const { ok, check, detail, fix } of verifyModels(dir, [name])) {
      if (!ok) {
        // What cannot be used is not to be trusted for having come first.
        await distrust(settings.trustFile, firstUse);
        throw new PragauraError(
          'MODEL_UNUSABLE',
          `${name}, ${check}: ${detail}`,
          fix === undefined ? {} : { hint: fix },
        );
      }
      checked.push(detail);
    }
    say(`${name} can be used: ${checked.at(-1)}.`);
  }
  return pulled;
}

type OnProgress = (path: string, done: number, total: number) => void;

/** Draws how far each file is, and how fast it comes. */
async function withBar<T>(name: string, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const bar = progress(`Pulling ${name}`);
  let current = '';
  let since = 0;
  let before = 0;
  try {
    return await work((path, done, total) => {
      if (path !== current) [current, since, before] = [path, performance.now(), done];
      const rate = (1000 * (done - before)) / Math.max(1, performance.now() - since);
      const left = rate > 0 ? `, ${Math.ceil((total - done) / rate)} s left` : '';
      bar.update(
        Math.floor((100 * done) / total),
        `% of ${path} (${megabytes(total)}), ${megabytes(rate)}/s${left}`,
      );
    });
  } finally {
    bar.end();
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 1)} MB`;
}
