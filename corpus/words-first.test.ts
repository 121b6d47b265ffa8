import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildIndex, type IndexProgress, openIndex } from './index.ts';
import { indexHash } from './store/manifest.ts';
import { bytesOf, options, put, Scratch, vectorFor } from './testing/support.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const corpus = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) =>
    JSON.stringify({ _id: `d${from + i}`, text: `Pump ${from + i} stands in the yard.` }),
  ).join('\n');

async function freshBytes(docs: string) {
  const out = scratch.folder();
  await buildIndex([docs], options(out));
  return bytesOf(out);
}

describe('a new index', () => {
  it('is searched by words while its vectors are made, and ends as if it had been written once', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(0, 300) });
    const out = scratch.folder();
    const seen: { pending: number | undefined; hash: string; vectors: number; passages: number }[] = [];
    const embed = async (texts: readonly string[]) => {
      const { manifest, vectors, passages } = await openIndex(out);
      const { pending, hash } = manifest;
      seen.push({ pending, hash, vectors: vectors.length, passages: passages.length });
      return texts.map(vectorFor);
    };
    const report = await buildIndex([docs], options(out, { embed }));
    expect(seen.length).toBeGreaterThan(1);
    for (const one of seen) {
      expect(one).toEqual({ pending: 300, hash: seen[0]!.hash, vectors: 0, passages: 300 });
      expect(one.hash).not.toBe(report.hash);
    }
    expect(report).toMatchObject({ embedded: 300, pending: 0 });
    expect(report.ms.words).toBeGreaterThan(0);
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000002']);
    const few = scratch.folder();
    // The same documents without a first generation: most vectors are there before.
    await buildIndex([scratch.folder({ 'c.jsonl': corpus(0, 60) })], options(few));
    for (let to = 120; to <= 300; to += 60) {
      put(docs, 'c.jsonl', corpus(0, to));
      const grown = await buildIndex([docs], options(few));
      expect(grown.ms.words).toBeNull();
    }
    expect(bytesOf(out)).toEqual(bytesOf(few));
    expect((await openIndex(out)).manifest.pending).toBeUndefined();
  });

  it('waits for no vector where it is told not to, and the next build makes them', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(0, 100) });
    const out = scratch.folder();
    const first = options(out, { wait: false });
    const words = await buildIndex([docs], first);
    expect(first.embedded).toEqual([]);
    expect(words).toMatchObject({ pending: 100, embedded: 0, reused: 0, added: 100 });
    const opened = await openIndex(out);
    expect(opened.manifest).toMatchObject({ pending: 100, hash: words.hash });
    expect(Object.keys(opened.manifest.segments)).not.toContain('vectors');
    const again = options(out);
    expect(await buildIndex([docs], again)).toMatchObject({ pending: 0, embedded: 100, unchanged: 100 });
    expect(bytesOf(out)).toEqual(await freshBytes(docs));
  });

  it('is written once where a handful of texts is to be embedded', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(0, 40) });
    const out = scratch.folder();
    const report = await buildIndex([docs], options(out, { wait: false }));
    expect(report).toMatchObject({ pending: 0, embedded: 40, ms: { words: null } });
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000001']);
  });
});

describe('an index that has its vectors', () => {
  it('stays until the new one has them too', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(0, 100) });
    const out = scratch.folder();
    const { hash } = await buildIndex([docs], options(out));
    put(docs, 'c.jsonl', corpus(100, 300));
    const embed = async (texts: readonly string[]) => {
      expect((await openIndex(out)).manifest.hash).toBe(hash);
      return texts.map(vectorFor);
    };
    const report = await buildIndex([docs], options(out, { embed }));
    expect(report).toMatchObject({ added: 200, removed: 100, ms: { words: null } });
  });

  it('gives way to words at once where nobody waits, and no text of it is embedded again', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(0, 100) });
    const out = scratch.folder();
    await buildIndex([docs], options(out));
    put(docs, 'c.jsonl', corpus(0, 300));
    const words = await buildIndex([docs], options(out, { wait: false }));
    expect(words).toMatchObject({ pending: 200, reused: 100, unchanged: 100, added: 200 });
    const again = options(out);
    expect(await buildIndex([docs], again)).toMatchObject({ embedded: 200, reused: 100 });
    expect(again.embedded).toHaveLength(200);
    expect(bytesOf(out)).toEqual(await freshBytes(docs));
  });

  it('of another embedder is no reason to wait', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(0, 100) });
    const out = scratch.folder();
    await buildIndex([docs], options(out));
    const embedder = { name: 'by-hash', sha256: 'f'.repeat(64), dimension: 8 };
    const seen: (number | undefined)[] = [];
    const embed = async (texts: readonly string[]) => {
      seen.push((await openIndex(out)).manifest.pending);
      return texts.map(vectorFor);
    };
    await buildIndex([docs], options(out, { embedder, embed }));
    expect(new Set(seen)).toEqual(new Set([100]));
  });
});

it('keeps the vectors that an embedder gave before it failed', async () => {
  const docs = scratch.folder({ 'c.jsonl': corpus(0, 640) });
  const out = scratch.folder();
  const given: string[] = [];
  const embed = async (texts: readonly string[]) => {
    if (given.length >= 320) throw new Error('no more');
    given.push(...texts);
    return texts.map(vectorFor);
  };
  await expect(buildIndex([docs], options(out, { embed }))).rejects.toThrow('no more');
  expect((await openIndex(out)).manifest.pending).toBe(640);
  const again = options(out);
  await buildIndex([docs], again);
  expect(again.embedded.filter((text) => given.includes(text))).toEqual([]);
  expect(given.length + again.embedded.length).toBe(640);
  expect(bytesOf(out)).toEqual(await freshBytes(docs));
});

it('tells how much of the work is done, from nothing to all of it', async () => {
  const docs = scratch.folder({ 'c.jsonl': corpus(0, 200) });
  const states: IndexProgress[] = [];
  await buildIndex([docs], options(scratch.folder(), { onProgress: (state) => states.push(state) }));
  expect([...new Set(states.map(({ stage }) => stage))]).toEqual(['read', 'words', 'embed', 'write']);
  const shares = states.filter(({ stage }) => stage === 'embed').map(({ share }) => share!);
  expect(shares[0]).toBe(0);
  expect(shares.at(-1)).toBe(1);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
});

describe('a manifest that says otherwise than the folder', () => {
  const edit = (out: string, change: (manifest: Record<string, unknown>) => object) => {
    const generation = readFileSync(join(out, 'CURRENT'), 'utf8').trim().split(' ')[1]!;
    const file = join(out, generation, 'manifest.json');
    writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))));
  };

  it('is refused: vectors there that it calls pending, or none where it does not', async () => {
    const docs = scratch.folder({ 'c.jsonl': corpus(0, 100) });
    const out = scratch.folder();
    await buildIndex([docs], options(out, { wait: false }));
    edit(out, ({ pending: _, ...rest }) => rest);
    await expect(openIndex(out)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
    edit(out, (manifest) => ({ ...manifest, hash: indexHash(manifest as never) }));
    await expect(openIndex(out)).rejects.toThrow('it has no part vectors');
    await buildIndex([docs], options(out));
    edit(out, (manifest) => ({ ...manifest, pending: 3 }));
    await expect(openIndex(out)).rejects.toThrow('its manifest does not fit');
  });
});
