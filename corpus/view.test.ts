import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../common/index.ts';
import { buildIndex, loadIdentifiers, loadPostings, openIndex, openView } from './index.ts';
import { openStored } from './store/open-index.ts';
import { options, Scratch } from './testing/support.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const WORDS =
  'valve pump filter motor reset drain ZX-12 ZX-13 RFC 7231 section 12.3 warranty days 14 30 may not'.split(
    ' ',
  );

/** A document with headings, lists, entries, tables and identifiers, no two alike. */
function page(random: Random, number: number): string {
  const some = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
  const blocks = [
    () => `## ${some(2)}\n\nThe ${some(12)}. It ${some(9)}, because ${some(5)}.`,
    () => `1. Open the ${some(3)}.\n2. Close the ${some(4)}.\n`,
    () => `| part | days |\n| --- | --- |\n| ${some(1)} | ${Math.floor(random() * 90)} |\n`,
    () => `**${some(1)}** is ${some(8)}.`,
    () => `<!-- ${some(6)} -->\n\nPart ZX-${number} of ${some(6)}.`,
  ];
  const body = Array.from({ length: 2 + Math.floor(random() * 4) }, () =>
    blocks[Math.floor(random() * blocks.length)]!(),
  );
  return `# Page ${number} of ${some(2)}\n\n${body.join('\n\n')}\n`;
}

/** Both as everything that a router reads of an index. */
const contentOf = (index: Awaited<ReturnType<typeof openView>>) => {
  const { manifest, passages, documents, vectors, dimension } = index;
  const { createdBy: _, counts, segments, ...rest } = manifest;
  const { failed: __, ...counted } = counts;
  // Of documents the list also names what failed, which a view does not know.
  const { 'documents.ndjson': ___, ...others } = segments;
  return {
    ...{ rest, counted, segments: others, passages, documents, vectors, dimension },
    parts: passages.map((_, ordinal) => index.partsOf(ordinal)),
    entries: WORDS.map((word) => index.entriesOf(word)),
    postings: loadPostings(index, passages).kinds,
    identifiers: [...loadIdentifiers(index).extract('ZX-12, ZX-3, RFC 7231, section 12.3')],
  };
};

describe('a view of an index', () => {
  it('is, to the byte, the index of the documents that may be read: 50 draws', async () => {
    const random = seededRandom(7);
    for (let round = 0; round < 10; round += 1) {
      const pages = Array.from({ length: 8 }, (_, i) => [`p${i}.md`, page(random, i)] as const);
      const all = scratch.folder(Object.fromEntries(pages));
      const whole = join(all, '..', 'whole');
      await buildIndex([all], options(whole));
      for (let draw = 0; draw < 5; draw += 1) {
        const visible = new Set<string>(pages.map(([name]) => name).filter(() => random() < 0.6));
        if (visible.size === 0) continue;
        const some = scratch.folder(Object.fromEntries(pages.filter(([name]) => visible.has(name))));
        const alone = join(some, '..', 'alone');
        await buildIndex([some], options(alone));
        const view = await openView(whole, ({ docId }) => visible.has(docId.split('/').at(-1)!));
        const never = openStored(alone);
        expect(contentOf(view)).toEqual(contentOf(never));
        for (const name of Object.keys(never.manifest.segments)) {
          if (/^(passages|documents|vectors|hidden)/.test(name)) continue;
          expect(Buffer.compare(view.segment(name), never.segment(name))).toBe(0);
        }
      }
      scratch.clear();
    }
  });

  it('is the index itself where all may be read, and knows no word where none may', async () => {
    const docs = scratch.folder({ 'a.md': 'The valve ZX-12 opens.', 'b.md': 'The pump ZX-13 stops.' });
    const out = join(docs, '..', 'out');
    await buildIndex([docs], options(out));
    expect((await openView(out, () => true)).manifest.hash).toBe((await openIndex(out)).manifest.hash);
    const nothing = await openView(out, () => false);
    expect(nothing.manifest.counts).toMatchObject({ documents: 0, passages: 0 });
    expect(nothing.entriesOf('valve')).toEqual([]);
    expect(loadIdentifiers(nothing).has('ZX-12')).toBe(false);
  });

  it('is searched by words alone while vectors are missing, and does not say how many', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 80 }, (_, i) => [`p${i}.md`, page(seededRandom(i), i)]),
    );
    const docs = scratch.folder(many);
    const out = join(docs, '..', 'out');
    await buildIndex([docs], { ...options(out), wait: false });
    const view = await openView(out, ({ docId }) => docId.endsWith('p1.md'));
    expect(view.manifest.pending).toBe(view.passages.length);
    expect(view.vectors).toHaveLength(0);
    // Nothing was written beside it.
    expect(readFileSync(join(out, 'CURRENT'), 'utf8')).toContain('generation-000001');
  });
});
