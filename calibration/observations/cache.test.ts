import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ObservationCache } from './cache.ts';
import { contextWith, observationOf } from './testing/observations.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pragaura-cache-'));
  file = join(dir, 'observations.ndjson');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const context = contextWith();
const queries = ['first', 'second\nline', 'third é'];
const observations = queries.map((query) => observationOf(context, query));
const wanted = new Set(observations.map(({ key }) => key));

/** Adds what is missing and gives the texts of what had been there. */
async function complete(): Promise<string[]> {
  const cache = await ObservationCache.open(dir, context, wanted);
  const found = observations.filter(({ key }) => cache.get(key) !== undefined);
  await Promise.all(
    observations.filter((made) => !found.includes(made)).map((made) => cache.add(made, context)),
  );
  for (const made of found) expect(cache.get(made.key)).toEqual(made);
  await cache.close();
  return found.map(({ example }) => example.query);
}

describe('the cache', () => {
  it('gives back what was put in, under the folder that it makes', async () => {
    dir = join(dir, 'deep', 'er');
    expect(await complete()).toEqual([]);
    expect(await complete()).toEqual(queries);
  });

  it('is whole again wherever it ends', async () => {
    await complete();
    const whole = readFileSync(file);
    const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a).map((at) => at + 1);
    // A header, a context and three observations.
    expect(ends).toHaveLength(5);
    for (let bytes = 0; bytes <= whole.length; bytes++) {
      // Every byte near the end of a line, a good part of those in between.
      if (bytes % 11 !== 0 && !ends.some((end) => Math.abs(end - bytes) < 4)) continue;
      writeFileSync(file, whole.subarray(0, bytes));
      const lines = ends.filter((end) => end <= bytes).length;
      expect(await complete()).toEqual(queries.slice(0, Math.max(0, lines - 2)));
      expect(readFileSync(file).equals(whole)).toBe(true);
    }
  });

  it('cuts off a torn line that is longer than what is read at a time', async () => {
    await complete();
    const whole = readFileSync(file);
    appendFileSync(file, `{"schema":"${'x'.repeat(200_000)}`);
    expect(await complete()).toEqual(queries);
    expect(readFileSync(file).equals(whole)).toBe(true);
  });

  it('keeps observations of several contexts apart, and tells of the others', async () => {
    await complete();
    const other = contextWith({ policy: 'uniform' });
    const theirs = queries.map((query) => observationOf(other, query));
    const cache = await ObservationCache.open(dir, other, new Set(theirs.map(({ key }) => key)));
    expect(theirs.some(({ key }) => cache.get(key) !== undefined)).toBe(false);
    expect(cache.otherContexts).toEqual([context]);
    await cache.add(theirs[0]!, other);
    await cache.close();
    expect(await complete()).toEqual(queries);
  });

  it('is open to one at a time', async () => {
    const held = await ObservationCache.open(dir, context, wanted);
    await expect(ObservationCache.open(dir, context, wanted)).rejects.toMatchObject({
      code: 'INDEX_LOCKED',
      message: expect.stringContaining(`process ${process.pid}`),
      hint: expect.stringContaining('--cache'),
    });
    await held.close();
    expect(await complete()).toEqual([]);
  });

  it('refuses what another version wrote, and what is no cache', async () => {
    for (const line of ['{"schema":"pragaura.observations/0"}', '{"schema":"pragaura.observation/3"}']) {
      writeFileSync(file, `${line}\n`);
      await expect(complete()).rejects.toMatchObject({
        code: 'CONFIGURATION',
        hint: expect.stringContaining('delete'),
      });
      expect(readFileSync(file, 'utf8')).toBe(`${line}\n`);
    }
    writeFileSync(file, 'text\n');
    await expect(complete()).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
    // The lock was given back every time.
    rmSync(file);
    expect(await complete()).toEqual([]);
  });

  it.each([
    ['no JSON', (line: string) => line.replace('"', '')],
    ['a candidate of another shape', (line: string) => line.replace('"claim":', '"claims":')],
    ['support above one', (line: string) => line.replace('"support":null', '"support":2')],
  ])('refuses an observation with %s, naming its line', async (_, damage) => {
    await complete();
    const lines = readFileSync(file, 'utf8').split('\n');
    lines[3] = damage(lines[3]!);
    writeFileSync(file, lines.join('\n'));
    await expect(complete()).rejects.toMatchObject({
      code: 'UNREADABLE_DOCUMENT',
      message: expect.stringContaining('line 4'),
    });
  });

  it('says when it cannot be written', async () => {
    dir = join(dir, 'file');
    writeFileSync(dir, '');
    await expect(complete()).rejects.toMatchObject({ code: 'WRITE_FAILED' });
  });
});

describe('a process that is killed while it writes', () => {
  const built = process.env.TEST_DIST ?? new URL('../../dist', import.meta.url).pathname;
  const room = pathToFileURL(join(built, 'calibration/observations/cache.js')).href;
  const script = `
    const { ObservationCache } = await import(${JSON.stringify(room)});
    const [dir, json, from] = process.argv.slice(1);
    const { context, observation } = JSON.parse(json);
    const cache = await ObservationCache.open(dir, context, new Set());
    for (let i = Number(from); ; i++) {
      await cache.add({ ...observation, key: 'n' + i }, context);
      if (i === Number(from)) console.log('open');
    }
  `;

  it('leaves whole lines and a lock that the next one takes over', async () => {
    const json = JSON.stringify({ context, observation: observations[0] });
    const keys = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const child = spawn(
        process.execPath,
        ['--input-type=module', '-e', script, dir, json, String(round * 1e6)],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const ended = once(child, 'exit');
      const begun = await Promise.race([once(child.stdout, 'data'), ended.then(() => null)]);
      expect(begun).not.toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 20 + 7 * round));
      child.kill('SIGKILL');
      await ended;
      const cache = await ObservationCache.open(dir, context, new Set());
      await cache.close();
      const text = readFileSync(file, 'utf8');
      expect(text.endsWith('\n')).toBe(true);
      const records = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(records.filter(({ schema }) => schema === context.schema)).toHaveLength(1);
      const now = records.flatMap(({ key }) => key ?? []);
      expect(new Set(now).size).toBe(now.length);
      for (const key of keys) expect(now).toContain(key);
      for (const key of now.slice(-100)) keys.add(key);
    }
    expect(keys.size).toBeGreaterThan(100);
  });
});
