/** Documents out of Debian's packages, by apt and dpkg of this machine. */
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { isSystemError, messageOf, PragauraError } from '../../common/index.ts';
import type { Described } from './described.ts';

const run = promisify(execFile);

type Package = Pick<Described, 'name' | 'package' | 'version' | 'paths'>;

const BY_HAND = 'or unpack the package with "dpkg-deb -x FILE.deb FOLDER" into';

/** Where a collection's package lies unpacked, whether or not it does yet. */
function folderOf(cache: string, { package: name, version }: Package): string {
  return path.join(cache, 'packages', `${name}_${version.replaceAll(':', '-')}`);
}

/** The files and folders that are indexed. Throws NOT_FOUND, saying how to get them, where one is not there. */
export async function installedPaths(collection: Package, cache: string): Promise<string[]> {
  const folder = folderOf(cache, collection);
  const paths = collection.paths.map((place) => path.join(folder, unzippedName(place)));
  for (const place of paths) {
    if (await exists(place)) continue;
    throw new PragauraError('NOT_FOUND', `${collection.name} needs ${place}, which is not there.`, {
      hint: `Get it with "pragaura bench documents --setup --sets ${collection.name}" and the same --cache, ${BY_HAND} ${folder}`,
    });
  }
  return paths;
}

/**
 * Downloads the package in its version and unpacks it under `cache`, unless that was done before; gives what
 * `installedPaths` gives. Nothing is installed on the machine. Throws NOT_FOUND, saying what would mend it, where apt
 * or dpkg is missing, apt does not have the version, or the package does not hold the paths.
 */
export async function install(
  collection: Package,
  cache: string,
  say: (line: string) => void,
): Promise<string[]> {
  const folder = folderOf(cache, collection);
  if (!(await exists(folder))) {
    await mkdir(path.dirname(folder), { recursive: true });
    const work = await mkdtemp(`${folder}.`);
    try {
      say(`${collection.name}: downloading ${collection.package} ${collection.version}`);
      await download(collection, work, folder);
      const file = (await readdir(work)).find((name) => name.endsWith('.deb'));
      if (file === undefined) throw missing(collection, 'apt downloaded nothing', folder);
      await program('dpkg-deb', ['-x', file, 'unpacked'], work, folder);
      await rename(path.join(work, 'unpacked'), folder);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  for (const place of collection.paths) await unzipped(path.join(folder, place));
  return installedPaths(collection, cache);
}

/** Debian packs large documents one by one: `a.pdf.gz` is read as `a.pdf` beside it. */
function unzippedName(place: string): string {
  return place.replace(/\.gz$/, '');
}

async function unzipped(file: string): Promise<void> {
  const out = unzippedName(file);
  if (out === file || (await exists(out)) || !(await exists(file))) return;
  const part = `${out}.part`;
  await pipeline(createReadStream(file), createGunzip(), createWriteStream(part));
  await rename(part, out);
}

async function download(collection: Package, work: string, folder: string): Promise<void> {
  try {
    await program(
      'apt-get',
      ['-qq', 'download', `${collection.package}=${collection.version}`],
      work,
      folder,
    );
  } catch (error) {
    if (PragauraError.isInstance(error)) throw error;
    throw missing(collection, lastLine(error), folder, error);
  }
}

/** Throws NOT_FOUND where the program is not on this machine, else whatever it failed with. */
async function program(name: string, args: readonly string[], cwd: string, folder: string): Promise<void> {
  try {
    await run(name, args, { cwd, env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'EACCES')) throw error;
    throw new PragauraError(
      'NOT_FOUND',
      `There is no program ${name} here, so no package can be had with it.`,
      {
        hint: `Run it on Debian or in its container image, ${BY_HAND} ${folder}`,
        cause: error,
      },
    );
  }
}

function missing({ package: name, version }: Package, why: string, folder: string, cause?: unknown) {
  return new PragauraError('NOT_FOUND', `apt cannot get ${name} ${version}: ${why}`, {
    hint: `Run "apt-get update" or name a release that has it in apt's sources ("apt-cache policy ${name}" shows which there are), ${BY_HAND} ${folder}`,
    cause,
  });
}

/** What apt said last: the reason. */
function lastLine(error: unknown): string {
  const said = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : '';
  return said.trim().split('\n').at(-1)?.replace(/^E: /, '') || messageOf(error);
}

async function exists(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}
