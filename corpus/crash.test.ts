import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildIndex, openIndex } from './index.ts';
import { buildInChild } from './testing/child.ts';
import { bytesOf, options, put, Scratch } from './testing/support.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const record = (i: number, word: string) =>
  JSON.stringify({ _id: `d${i}`, title: `Title ${i}`, text: `The ${word} number ${i} stands in the yard.` });
const corpus = (n: number, word: string) => Array.from({ length: n }, (_, i) => record(i, word)).join('\n');

/** An index of the old documents, and the hashes that it may have from now on. */
async function oldAndNew() {
  const docs = scratch.folder({ 'c.jsonl': corpus(1500, 'pump') });
  const [out, fresh] = [scratch.folder(), scratch.folder()];
  const old = await buildIndex([docs], options(out));
  put(docs, 'c.jsonl', corpus(1500, 'valve'));
  const renewed = await buildIndex([docs], options(fresh));
  return { docs, out, fresh, old: old.hash, renewed: renewed.hash };
}

describe('a build that is killed', () => {
  beforeAll(() => {
    // The child runs what was built, not these sources.
    expect(statSync(new URL('../dist/corpus/index.js', import.meta.url)).isFile()).toBe(true);
  });

  it('leaves the old index or the new one, never half, and the next build ends as a fresh one', async () => {
    const { docs, out, fresh, old, renewed } = await oldAndNew();
    const seen = new Set<string>();
    // How long the last stage takes here, so that the kills fall all over it and just behind it.
    let writing = 0;
    await buildInChild(docs, scratch.folder(), {
      onLine: (line) => {
        if (line === 'write 0') writing = performance.now();
        if (line === 'write 1500') writing = performance.now() - writing;
      },
    });
    const moments = ['read', 'embed 512', 'embed 1280'].map((at) => ({ at, after: 0 }));
    for (let share = 0; share <= 1.1; share += 0.22) moments.push({ at: 'write 0', after: share * writing });
    for (const { at, after } of moments) {
      const { signal } = await buildInChild(docs, out, {
        pause: 5,
        onLine: (line, kill) => {
          if (line.startsWith(at)) setTimeout(() => kill('SIGKILL'), after);
        },
      });
      const index = await openIndex(out);
      expect([old, renewed]).toContain(index.manifest.hash);
      seen.add(`${signal} ${index.manifest.hash === old ? 'old' : 'new'}`);
    }
    expect(seen).toContain('SIGKILL old');
    await buildIndex([docs], options(out));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
    expect(readdirSync(out)).toHaveLength(2);
  });

  it('does not compute again what was computed before', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(1500, 'pump') });
    const out = join(scratch.folder(), 'index');
    const killed = await buildInChild(docs, out, {
      pause: 20,
      onLine: (line, kill) => {
        if (line === 'embed 768') kill('SIGKILL');
      },
    });
    expect(killed.signal).toBe('SIGKILL');
    expect((await openIndex(out)).manifest.pending).toBe(1500);
    // A torn record at the end, as a crash may leave it.
    const [cache] = readdirSync(join(out, 'pragaura-staging'));
    writeFileSync(join(out, 'pragaura-staging', cache!), 'torn', { flag: 'a' });
    const again = options(out);
    const report = await buildIndex([docs], again);
    expect(report.embedded).toBeLessThanOrEqual(1500 - 768);
    expect(again.embedded).toHaveLength(report.embedded);
    expect(report.reused).toBe(1500 - report.embedded);
    const fresh = scratch.folder();
    await buildIndex([docs], options(fresh));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
  });

  it('stops on request, and goes on with the next run', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(1500, 'pump') });
    const out = join(scratch.folder(), 'index');
    const stopped = await buildInChild(docs, out, {
      pause: 20,
      onLine: (line, kill) => {
        if (line === 'embed 512') kill('SIGINT');
      },
    });
    expect(stopped.error).toMatchObject({ code: 'ABORTED' });
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000001', 'pragaura-staging']);
    const report = await buildIndex([docs], options(out));
    expect(report.embedded).toBeLessThanOrEqual(1500 - 512);
  });

  it('of a new index leaves nothing, its words or all of it, and words that were there stay', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(1500, 'pump') });
    const fresh = scratch.folder();
    const { hash: whole } = await buildIndex([docs], options(fresh));
    const alone = await buildIndex([docs], options(scratch.folder(), { wait: false }));
    const seen = new Set<string>();
    const lasted = { words: 0, write: 0 };
    await buildInChild(docs, scratch.folder(), {
      onLine: (line) => {
        if (line === 'words 0') lasted.words = performance.now();
        if (line === 'embed 0') lasted.words = performance.now() - lasted.words;
        if (line === 'write 0') lasted.write = performance.now();
        if (line.startsWith('report')) lasted.write = performance.now() - lasted.write;
      },
    });
    const moments = [{ at: 'embed 256', after: 0 }];
    for (let share = 0.1; share <= 1.1; share += 0.5) {
      moments.push({ at: 'words 0', after: share * lasted.words });
      moments.push({ at: 'write 0', after: share * lasted.write });
    }
    for (const { at, after } of moments) {
      const out = scratch.folder();
      const { lines } = await buildInChild(docs, out, {
        pause: 5,
        onLine: (line, kill) => {
          if (line.startsWith(at)) setTimeout(() => kill('SIGKILL'), after);
        },
      });
      const state = await openIndex(out).then(
        ({ manifest }) => manifest.hash,
        () => 'nothing',
      );
      expect(['nothing', alone.hash, whole]).toContain(state);
      if (lines.includes('embed 0')) expect(state).not.toBe('nothing');
      seen.add(state);
      await buildIndex([docs], options(out));
      expect(bytesOf(out)).toEqual(bytesOf(fresh));
    }
    expect(seen).toContain(alone.hash);
  });
});

describe('a disk that takes no more', () => {
  it.each([
    ['the vectors of a build under way', 4],
    ['the new generation', 200],
  ])('while writing %s: the old index stays and nothing else', async (_, fileBlocks) => {
    const { docs, out, old } = await oldAndNew();
    const before = bytesOf(out);
    const { error } = await buildInChild(docs, out, { fileBlocks });
    expect(error?.code).toBe('WRITE_FAILED');
    expect(error?.message).toContain('the file would be larger than is allowed');
    expect((await openIndex(out)).manifest.hash).toBe(old);
    expect(bytesOf(out)).toEqual(before);
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000002']);
  });
});
