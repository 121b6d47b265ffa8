/** All files of a model from the hub, from one commit, each with the hash that it must have. */
import { PragauraError } from '../../common/index.ts';
import { filesOf, type LockedFile, type Named } from '../runtime/registry.ts';
import { RepositoryCache, unreadable } from './cache.ts';
import { type FileOnHub, Hub, type HubOptions } from './client.ts';
import { type DownloadOptions, download, kept } from './download.ts';
import { promised, type Sums, sumsOf } from './hash.ts';
import { pullHint } from './locate.ts';
import { aborted } from './refusals.ts';
import type { HubSettings } from './settings.ts';
import { keyOf, type Trusted, trust, trusted } from './trust.ts';

export interface PullOptions extends HubOptions, Omit<DownloadOptions, 'onProgress'> {
  /** `done` of `total` bytes of the file `path` are here. */
  onProgress?: (path: string, done: number, total: number) => void;
}

export interface PulledFile {
  path: string;
  bytes: number;
  sha256: string;
  commit: string;
  /** Who vouches for the hash: the lock file, the record of an earlier pull, or nobody before this pull. */
  vouched: 'locked' | 'earlier' | 'first';
  /** False when the cache had it. */
  fetched: boolean;
}

interface Wanted {
  path: string;
  bytes: number | undefined;
  sha256: string | undefined;
  vouched: PulledFile['vouched'];
  record: Trusted | undefined;
}

/**
 * Brings the files of a hub's model into the cache, checked. What is there, by us or by another tool, is not fetched
 * again. Throws what `Hub.look` and `download` throw; MODEL_UNUSABLE when the hub has other files than the lock file or
 * the first pull says, when the cache cannot be read, or when something is missing and nothing may be fetched
 * (HF_HUB_OFFLINE).
 */
export async function pull(
  named: Named,
  settings: HubSettings,
  options: PullOptions = {},
): Promise<PulledFile[]> {
  const repo = named.model.hub!;
  const { revision } = named.model;
  const cache = new RepositoryCache(settings.cacheDir, repo);
  const wanted = await Promise.all(filesOf(named.model).map((file) => wantedOf(named, file, settings)));
  const pulled =
    (await fromCache(cache, named, wanted, settings, options)) ??
    (await fromHub(cache, named, wanted, settings, options));
  const firsts = pulled
    .filter(({ vouched }) => vouched === 'first')
    .map(({ path, bytes, sha256, commit }) => ({ repo, revision, path, bytes, sha256, commit }));
  const added = new Set<string>();
  for (const { path, sha256 } of await trust(settings.trustFile, firsts, options.signal)) {
    added.add(path);
    options.announce?.(
      `${path} of ${repo}@${revision} is trusted from now on, for its first use, with sha256 ${sha256}.`,
    );
  }
  // What another pull has recorded meanwhile is its to take back.
  return pulled.map((one) =>
    one.vouched === 'first' && !added.has(one.path) ? { ...one, vouched: 'earlier' } : one,
  );
}

async function wantedOf({ model }: Named, file: LockedFile, settings: HubSettings): Promise<Wanted> {
  const { path, bytes, sha256 } = file;
  if (sha256 !== undefined) return { path, bytes, sha256, vouched: 'locked', record: undefined };
  const record = await trusted(settings.trustFile, { repo: model.hub!, revision: model.revision, path });
  return record === undefined
    ? { path, bytes, sha256, vouched: 'first', record }
    : { path, bytes: record.bytes, sha256: record.sha256, vouched: 'earlier', record };
}

/**
 * The files as the cache has them, when they are all there with the hashes that they must have; null otherwise. Offline
 * also those that nobody vouches for yet.
 */
async function fromCache(
  cache: RepositoryCache,
  named: Named,
  wanted: readonly Wanted[],
  settings: HubSettings,
  { signal }: PullOptions,
): Promise<PulledFile[] | null> {
  const { offline } = settings;
  const { revision } = named.model;
  const commit = await cache.commitOf(revision);
  const pulled: PulledFile[] = [];
  const missing: string[] = [];
  for (const { path, bytes, sha256, vouched } of wanted) {
    const found = await cache.find(revision, path);
    const sums =
      found === null || (vouched === 'first' && offline === null) ? null : await sumsIn(found, signal);
    const isRight =
      sums !== null && (sha256 ?? sums.sha256) === sums.sha256 && (bytes ?? sums.bytes) === sums.bytes;
    if (isRight)
      pulled.push({ path, bytes: sums.bytes, sha256: sums.sha256, commit: commit!, vouched, fetched: false });
    else missing.push(`${path}${sums === null ? '' : ' (there with another content)'}`);
  }
  if (missing.length === 0) return pulled;
  if (offline === null) return null;
  throw new PragauraError(
    'MODEL_UNUSABLE',
    `The model ${named.name} is not whole in ${settings.cacheDir}: ${missing.join(', ')} of ${named.model.hub} at ${revision} missing.`,
    { hint: pullHint(named.name, named.model.hub!, settings) },
  );
}

/** Throws ABORTED once the signal has fired, MODEL_UNUSABLE for a file that cannot be read. */
async function sumsIn(path: string, signal: AbortSignal | undefined): Promise<Sums> {
  try {
    return await sumsOf(path, signal);
  } catch (error) {
    if (signal?.aborted) throw aborted(error);
    throw unreadable(path, error);
  }
}

async function fromHub(
  cache: RepositoryCache,
  named: Named,
  wanted: readonly Wanted[],
  settings: HubSettings,
  options: PullOptions,
): Promise<PulledFile[]> {
  const hub = new Hub(settings, options);
  try {
    const pulled: PulledFile[] = [];
    // All from the commit of the first, though a branch may move meanwhile.
    let at = named.model.revision;
    for (const want of wanted) {
      const file = await hub.look(named.model.hub!, at, want.path);
      at = file.commit;
      const { sha256 } = want;
      const another = (what: string): PragauraError =>
        anotherFile(named, want, { ...file, revision: named.model.revision }, settings.trustFile, what);
      refuseAnother(want, file, another);
      const expected = {
        sha256,
        another: (found: string) => another(`with sha256 ${found}, not ${sha256}`),
      };
      const got = await download(hub, cache, file, expected, {
        signal: options.signal,
        ...(options.announce && { announce: options.announce }),
        onProgress: (done, total) => options.onProgress?.(want.path, done, total),
      });
      await kept(file, settings, options, () => cache.link(file.commit, want.path, file.etag));
      const { path, vouched } = want;
      pulled.push({ path, bytes: file.bytes, commit: file.commit, vouched, ...got });
    }
    await cache.writeRef(named.model.revision, at);
    return pulled;
  } finally {
    await hub.close();
  }
}

/** Refuses before a byte is fetched what the hub itself says is another file. */
function refuseAnother(
  { bytes, sha256 }: Wanted,
  file: FileOnHub,
  another: (what: string) => PragauraError,
): void {
  if (sha256 !== undefined && promised(file.etag) === 'sha256' && file.etag !== sha256) {
    throw another(`with sha256 ${file.etag}, not ${sha256}`);
  }
  if (bytes !== undefined && file.bytes !== bytes) throw another(`of ${file.bytes} bytes, not ${bytes}`);
}

function anotherFile(
  { name, model }: Named,
  { path, record }: Wanted,
  file: FileOnHub,
  trustFile: string,
  what: string,
): PragauraError {
  const base = name.split('@')[0]!;
  return new PragauraError(
    'MODEL_UNUSABLE',
    `${model.hub} at ${model.revision} has another ${path} than ${record === undefined ? 'the lock file names' : 'when it was first pulled'}: one ${what}.`,
    {
      hint: `Nothing of it is used. ${
        record === undefined
          ? `If the new file is wanted: pragaura models pull ${base}@${file.commit}`
          : record.commit === file.commit
            ? `A commit does not change, so one of the two came broken: to trust this one, remove "${keyOf(file)}" from ${trustFile}`
            : `The old one: pragaura models pull ${base}@${record.commit}; the new one: pragaura models pull ${base}@${file.commit}`
      }`,
    },
  );
}
