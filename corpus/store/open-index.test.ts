import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildIndex } from '../build-index.ts';
import { options, Scratch } from '../testing/support.ts';
import { indexHash } from './manifest.ts';
import { openIndex } from './open-index.ts';

const scratch = new Scratch();
let out: string;
let folder: string;
beforeEach(async () => {
  out = scratch.folder();
  folder = join(out, 'generation-000001');
  await buildIndex([scratch.folder({ 'a.txt': 'A text about pumps.' })], options(out));
});
afterEach(() => scratch.clear());

const edit = (path: string, change: (content: string) => string) =>
  writeFileSync(path, change(readFileSync(path, 'latin1')), 'latin1');

async function refusal(dir: string): Promise<{ code: string; message: string; hint: string }> {
  const outcome = await openIndex(dir).then(
    () => new Error('was opened'),
    (error) => error,
  );
  expect(outcome).toMatchObject({ code: 'INDEX_UNUSABLE' });
  return outcome;
}

describe('an index that is refused, with the command that mends it', () => {
  it.each<[string, () => void, string]>([
    [
      'a part is missing',
      () => rmSync(join(folder, 'vectors.f32')),
      'vectors.f32 cannot be read (does not exist)',
    ],
    [
      'a part is longer',
      () => appendFileSync(join(folder, 'passages.ndjson'), 'x'),
      'passages.ndjson has another size',
    ],
    [
      'a part is shorter',
      () => writeFileSync(join(folder, 'identifiers.bin'), ''),
      'identifiers.bin has another size',
    ],
    [
      'one byte is another',
      () => edit(join(folder, 'vectors.f32'), (s) => `${s.slice(0, 5)}~${s.slice(6)}`),
      'vectors.f32 is not what was written',
    ],
    [
      'the manifest is torn',
      () => edit(join(folder, 'manifest.json'), (s) => s.slice(0, 200)),
      'its manifest cannot be read',
    ],
    [
      'the manifest was edited',
      () => edit(join(folder, 'manifest.json'), (s) => s.replace('by-hash', 'by-mouse')),
      'its manifest does not fit',
    ],
    [
      'the manifest leads out of the folder',
      () => edit(join(folder, 'manifest.json'), (s) => s.replace('"vectors.f32"', '"../../vectors"')),
      'its manifest does not fit',
    ],
    ['the generation is gone', () => rmSync(folder, { recursive: true }), 'its manifest cannot be read'],
    [
      'CURRENT leads elsewhere',
      () => writeFileSync(join(out, 'CURRENT'), 'pragaura.index/1 ../secret\n'),
      'CURRENT names no generation',
    ],
    ['CURRENT is empty', () => writeFileSync(join(out, 'CURRENT'), ''), 'CURRENT names no generation'],
    [
      'it is of another version',
      () => writeFileSync(join(out, 'CURRENT'), 'pragaura.index/0 generation-000001\n'),
      'is an index of another version (pragaura.index/0; this one reads pragaura.index/1)',
    ],
    [
      'its texts were analysed by other code',
      () =>
        edit(join(folder, 'manifest.json'), (s) => {
          const manifest = JSON.parse(s);
          manifest.settings.analysis = 0;
          return JSON.stringify({ ...manifest, hash: indexHash(manifest) });
        }),
      'was analysed by another version',
    ],
    ['it was never finished', () => rmSync(join(out, 'CURRENT')), 'was never finished'],
  ])('%s', async (_, damage, message) => {
    damage();
    const error = await refusal(out);
    expect(error.message).toContain(message);
    expect(error.hint).toBe(`Build it anew: pragaura index PATH… --out ${out}`);
  });

  it('there is none', async () => {
    const dir = join(out, "it's not here");
    const error = await refusal(dir);
    expect(error.message).toBe(`There is no index at ${dir}.`);
    expect(error.hint).toContain(`--out '${out}/it'\\''s not here'`);
  });

  it('a folder, or a file, that is something else is not to be overwritten', async () => {
    const foreign = scratch.folder({ 'thesis.txt': 'mine' });
    for (const dir of [foreign, join(foreign, 'thesis.txt')]) {
      const error = await refusal(dir);
      expect(error.message).toContain('is not an index of PragAURA');
      expect(error.hint).toBe('Build it elsewhere: pragaura index PATH… --out OTHER-FOLDER');
    }
  });
});

it('lays typed arrays over every part', async () => {
  const index = await openIndex(out);
  for (const name of Object.keys(index.manifest.segments)) {
    if (name.endsWith('.ndjson')) continue;
    const bytes = index.segment(name);
    expect(bytes.byteOffset % 8).toBe(0);
    expect(bytes.length).toBe(index.manifest.segments[name]!.bytes);
  }
});
