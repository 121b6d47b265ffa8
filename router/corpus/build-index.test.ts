import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildIndex, openIndex, passageText } from './index.ts';
import { bytesOf, options, put, Scratch, unprivileged, vectorFor } from './testing/support.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const FILES = {
  'guide.md':
    '# Guide\n\nThe pump moves water. It runs at 50 Hz.\n\n## Start\n\n1. Press the button.\n2. Wait.\n',
  'notes/plain.txt': 'First paragraph of the notes.\n\nSecond paragraph of the notes.\n',
  'faq.jsonl':
    '{"_id":"q1","title":"Price","text":"It costs ten euros."}\n{"id":2,"text":"Closed on Sundays."}\n',
};

describe('building and opening', () => {
  it('keeps passages, vectors and documents together', async () => {
    const docs = scratch.folder(FILES);
    const out = join(scratch.folder(), 'index');
    const report = await buildIndex([docs], options(out));
    const index = await openIndex(out);
    expect(index.documents.map(({ docId }) => docId)).toEqual(['2', 'guide.md', 'notes/plain.txt', 'q1']);
    expect(report).toMatchObject({
      added: 4,
      changed: 0,
      unchanged: 0,
      removed: 0,
      failed: [],
      rebuilt: null,
    });
    expect(report.hash).toBe(index.manifest.hash);
    index.passages.forEach((passage, row) => {
      const vector = index.vectors.subarray(row * index.dimension, (row + 1) * index.dimension);
      expect([...vector]).toEqual([...vectorFor(passageText(passage))]);
    });
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000001']);
    expect(Object.keys(index.manifest.segments)).toContain('identifiers');
    expect(() => index.segment('no-such-part')).toThrow(expect.objectContaining({ code: 'INDEX_UNUSABLE' }));
  });

  it('gives the same bytes for the same input, in whatever order it was named', async () => {
    const a = scratch.folder(FILES);
    const [one, two] = [scratch.folder(), scratch.folder()];
    await buildIndex([join(a, 'guide.md'), join(a, 'faq.jsonl')], options(one));
    await buildIndex([join(a, 'faq.jsonl'), join(a, 'guide.md')], options(two));
    expect(bytesOf(two)).toEqual(bytesOf(one));
  });
});

describe('bringing an index up to date', () => {
  it('adds, changes and removes by content, and ends with the bytes of a fresh build', async () => {
    const docs = scratch.folder(FILES);
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    await buildIndex([docs], options(out));
    put(docs, 'new.txt', 'A new text about valves.');
    put(docs, 'faq.jsonl', '\n{"_id":"q1","title":"Price","text":"It costs twelve euros."}\n');
    const again = options(out);
    const report = await buildIndex([docs], again);
    expect(report).toMatchObject({ added: 1, changed: 1, unchanged: 2, removed: 1, rebuilt: null });
    expect(again.embedded.sort()).toEqual(['Price: It costs twelve euros.', 'new: A new text about valves.']);
    await buildIndex([docs], options(fresh));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000002']);
  });

  it('embeds nothing again when nothing changed, also when records move within their file', async () => {
    const docs = scratch.folder(FILES);
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    const first = await buildIndex([docs], options(out));
    expect(await buildIndex([docs], options(out))).toMatchObject({
      unchanged: 4,
      embedded: 0,
      hash: first.hash,
    });
    put(docs, 'faq.jsonl', `\n\n${FILES['faq.jsonl']}`);
    expect(await buildIndex([docs], options(out))).toMatchObject({ unchanged: 4, changed: 0, embedded: 0 });
    await buildIndex([docs], options(fresh));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
    expect((await openIndex(out)).passages.find(({ docId }) => docId === 'q1')).toMatchObject({
      position: '3:1',
    });
  });

  it('keeps what is missing when told to', async () => {
    const out = scratch.folder();
    await buildIndex([scratch.folder({ 'a.txt': 'The first text.' })], options(out));
    const other = scratch.folder({ 'b.txt': 'The second text.' });
    const kept = await buildIndex([other], options(out, { keepMissing: true }));
    expect(kept).toMatchObject({ added: 1, removed: 0, embedded: 1, counts: { documents: 2 } });
    await expect(
      buildIndex([other], options(out, { keepMissing: true, maxTokens: 50 })),
    ).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect(await buildIndex([other], options(out))).toMatchObject({ removed: 1, unchanged: 1 });
  });

  it('builds everything anew for another embedder or other settings, and says so', async () => {
    const docs = scratch.folder(FILES);
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    await buildIndex([docs], options(out));
    const embedder = { name: 'other', sha256: 'f'.repeat(64), dimension: 8 };
    const other = await buildIndex([docs], options(out, { embedder }));
    expect(other.rebuilt).toBe('The index was made with another embedder.');
    expect(other.embedded).toBe(other.counts.passages);
    const shorter = await buildIndex([docs], options(out, { embedder, maxTokens: 16 }));
    expect(shorter.rebuilt).toBe('The index was made with other passage settings.');
    await buildIndex([docs], options(fresh, { embedder, maxTokens: 16 }));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
  });

  it('mends an index that is damaged', async () => {
    const docs = scratch.folder(FILES);
    const [out, fresh] = [scratch.folder(), scratch.folder()];
    await buildIndex([docs], options(out));
    writeFileSync(join(out, 'generation-000001', 'vectors.f32'), 'x');
    const report = await buildIndex([docs], options(out));
    expect(report.rebuilt).toContain('vectors.f32 has another size');
    await buildIndex([docs], options(fresh));
    expect(bytesOf(out)).toEqual(bytesOf(fresh));
  });

  it('embeds equal texts once', async () => {
    const docs = scratch.folder({ 'a.jsonl': '{"_id":"1","text":"Same."}\n{"_id":"2","text":"Same."}\n' });
    const run = options(scratch.folder());
    expect(await buildIndex([docs], run)).toMatchObject({ embedded: 1, counts: { passages: 2 } });
    expect(run.embedded).toEqual(['Same.']);
  });
});

describe('what cannot be indexed', () => {
  it('is reported by name, and the rest is indexed', async () => {
    const docs = scratch.folder({
      ...FILES,
      'bad.pdf': 'no pdf',
      'binary.txt': Buffer.from([0, 255, 0, 254, 1, 2, 3]),
      'blank.md': ' \n',
      'locked.txt': 'secret',
      'twice.jsonl': '{"_id":"q1","text":"Again."}\n{"_id":"__proto__","text":"Proto."}\n',
      'closed/x.txt': 'x',
    });
    const out = scratch.folder();
    chmodSync(join(docs, 'locked.txt'), 0);
    chmodSync(join(docs, 'closed'), 0);
    const report = await unprivileged([docs, out], () => buildIndex([docs], options(out)));
    chmodSync(join(docs, 'closed'), 0o700);
    expect(report.failed).toEqual([
      { name: 'bad.pdf', code: 'UNREADABLE_DOCUMENT', reason: 'is not a PDF, or is damaged' },
      { name: 'binary.txt', code: 'UNREADABLE_DOCUMENT', reason: 'is not text' },
      { name: 'blank.md', code: 'UNREADABLE_DOCUMENT', reason: 'holds no text' },
      { name: 'closed/', code: 'UNREADABLE_DOCUMENT', reason: 'no permission' },
      { name: 'locked.txt', code: 'UNREADABLE_DOCUMENT', reason: 'no permission' },
      {
        name: 'twice.jsonl#q1',
        code: 'INVALID_INPUT',
        reason: 'its id "q1" is taken by faq.jsonl#q1',
      },
    ]);
    const { documents, manifest } = await openIndex(out);
    expect(documents.map(({ docId }) => docId)).toEqual([
      '2',
      '__proto__',
      'guide.md',
      'notes/plain.txt',
      'q1',
    ]);
    expect(manifest.counts.failed).toBe(6);
  });

  it.each<[string, Record<string, string>]>([
    ['an empty folder', {}],
    ['a folder of other things', { 'a.png': 'x' }],
    ['nothing readable', { 'a.pdf': 'x' }],
  ])('%s is EMPTY_INPUT, and no folder is left behind', async (_, files) => {
    const out = join(scratch.folder(), 'index');
    const building = buildIndex([scratch.folder(files)], options(out));
    await expect(building).rejects.toMatchObject({ code: 'EMPTY_INPUT', exitCode: 66 });
    expect(existsSync(out)).toBe(false);
  });

  it('a path that does not exist is NOT_FOUND', async () => {
    const building = buildIndex([join(scratch.folder(), 'nope')], options(join(scratch.folder(), 'index')));
    await expect(building).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('where an index may not be written', () => {
  it('refuses a folder with other things in it, and a file', async () => {
    const docs = scratch.folder(FILES);
    const taken = scratch.folder({ 'thesis.txt': 'mine' });
    await expect(buildIndex([docs], options(taken))).rejects.toMatchObject({ code: 'USAGE' });
    await expect(buildIndex([docs], options(join(taken, 'thesis.txt')))).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect(readdirSync(taken)).toEqual(['thesis.txt']);
  });

  it('says that there is no permission', async () => {
    const docs = scratch.folder(FILES);
    const dir = scratch.folder();
    chmodSync(dir, 0o555);
    const building = unprivileged([docs], () => buildIndex([docs], options(join(dir, 'index'))));
    await expect(building).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining('no permission'),
    });
  });

  it('does not index itself', async () => {
    const docs = scratch.folder(FILES);
    const out = join(docs, 'index');
    const first = await buildIndex([docs], options(out));
    expect(await buildIndex([docs], options(out))).toMatchObject({ hash: first.hash, unchanged: 4 });
  });
});

describe('an embedder that fails', () => {
  it.each<[string, (texts: readonly string[]) => Promise<Float32Array[]>]>([
    ['too few vectors', async () => []],
    ['another dimension', async (texts) => texts.map(() => new Float32Array(7))],
    ['numbers that are none', async (texts) => texts.map(() => new Float32Array(8).fill(Number.NaN))],
  ])('%s is an error, not an index', async (_, embed) => {
    const out = join(scratch.folder(), 'index');
    const building = buildIndex([scratch.folder(FILES)], options(out, { embed }));
    await expect(building).rejects.toMatchObject({ code: 'SCORING_FAILED' });
    await expect(openIndex(out)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  });
});
