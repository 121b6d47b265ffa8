import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { install, installedPaths } from './debian.ts';

const collection = {
  name: 'small',
  package: 'small-doc',
  version: '1:2.0-3',
  paths: ['usr/share/doc/a.html'],
};

let dir: string;
let cache: string;
const path_ = process.env.PATH;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-debian-'));
  cache = path.join(dir, 'cache');
});
afterEach(async () => {
  process.env.PATH = path_;
  await rm(dir, { recursive: true, force: true });
});

/** The only programs there are, as shell scripts. */
async function programs(scripts: Record<string, string>): Promise<void> {
  const bin = path.join(dir, 'bin');
  await mkdir(bin);
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(path.join(bin, name), `#!/bin/sh\nPATH=${path_}\n${script}\n`);
    await chmod(path.join(bin, name), 0o755);
  }
  process.env.PATH = bin;
}

const DOWNLOADS = 'echo "$3" > small-doc_1%3a2.0-3_all.deb';
const UNPACKS = 'mkdir -p "$3/usr/share/doc" && cp "$2" "$3/usr/share/doc/a.html"';

describe('install', () => {
  it('downloads the version once, unpacks it, and leaves nothing else', async () => {
    await programs({ 'apt-get': DOWNLOADS, 'dpkg-deb': UNPACKS });
    const said: string[] = [];
    const [file] = await install(collection, cache, (line) => said.push(line));
    expect(await readFile(file!, 'utf8')).toBe('small-doc=1:2.0-3\n');
    await rm(path.join(dir, 'bin'), { recursive: true });
    expect(await install(collection, cache, (line) => said.push(line))).toEqual([file]);
    expect(await installedPaths(collection, cache)).toEqual([file]);
    expect(said).toEqual(['small: downloading small-doc 1:2.0-3']);
    expect(await readdir(path.join(cache, 'packages'))).toEqual(['small-doc_1-2.0-3']);
  });

  it('unpacks what the package has packed once more', async () => {
    await programs({
      'apt-get': DOWNLOADS,
      'dpkg-deb': 'mkdir -p "$3/usr" && gzip -c "$2" > "$3/usr/a.pdf.gz"',
    });
    const [file] = await install({ ...collection, paths: ['usr/a.pdf.gz'] }, cache, () => {});
    expect(path.basename(file!)).toBe('a.pdf');
    expect(await readFile(file!, 'utf8')).toBe('small-doc=1:2.0-3\n');
  });

  it.each([
    ['there is no apt', {}, 'no program apt-get', 'dpkg-deb -x'],
    ['there is no dpkg', { 'apt-get': DOWNLOADS }, 'no program dpkg-deb', 'dpkg-deb -x'],
    [
      'apt does not have it',
      { 'apt-get': 'echo "W: old lists" >&2; echo "E: Version was not found" >&2; exit 100' },
      'apt cannot get small-doc 1:2.0-3: Version was not found',
      'apt-get update',
    ],
    ['apt says nothing', { 'apt-get': 'exit 0' }, 'apt downloaded nothing', 'apt-get update'],
    [
      'the package holds something else',
      { 'apt-get': DOWNLOADS, 'dpkg-deb': 'mkdir -p "$3/usr"' },
      'a.html, which is not there',
      '--setup --sets small',
    ],
  ])('says what mends it where %s', async (_, scripts, message, hint) => {
    await programs(scripts as Record<string, string>);
    await expect(install(collection, cache, () => {})).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});

it('without set-up a package that is missing is not downloaded', async () => {
  await programs({ 'apt-get': DOWNLOADS, 'dpkg-deb': UNPACKS });
  await expect(installedPaths(collection, cache)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    hint: expect.stringContaining('pragaura bench documents --setup --sets small'),
  });
});
