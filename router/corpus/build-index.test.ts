import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildIndex, openIndex, passageText } from './index.ts';
import { bytesOf, options, put, Scratch, vectorFor } from './testing/support.ts';

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
});
