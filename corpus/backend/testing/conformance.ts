/** What every backend must do. Tests only. */
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIndex } from '../../build-index.ts';
import { analyse, type FieldName, QUANTITY } from '../../postings/index.ts';
import { openIndex } from '../../store/open-index.ts';
import { options, Scratch, vectorFor } from '../../testing/support.ts';
import type { CorpusIndex } from '../../types.ts';
import type { IndexBackend, Search } from '../backend.ts';
import type { Filters } from '../filters.ts';

/** Documents with entries, steps, quantities, causes, identifiers, copies, other scripts, and names of a prototype. */
const FILES: Record<string, string> = {
  'valve.md':
    '# The valve\n\n## What it is\n\nA valve is a device that controls the flow of water. It weighs 12 kg.\n\n' +
    '## Replacing it\n\n1. Close the tap.\n2. Open the lid of the valve.\n3. Remove the valve.\n\n' +
    '## Faults\n\nThe valve broke because the water froze in January 1998. It cost $40.\n',
  'options.html':
    '<title>Options</title><h1>Options</h1><dl><dt>--all</dt><dd>Opens every valve of the house, also those below ground.</dd>' +
    '<dt>--force, -f</dt><dd>Opens a valve that is locked.</dd></dl><h2>Flow</h2><p>Water flows through a valve.</p>',
  'records.md':
    '# Records\n\nTicket ADR-0012 was closed in 2004. Ticket ADR-0013 was opened.\n\nBR-1 and BR-2 stay.\n',
  'words.md': '# Words\n\n東京都の水道は古い。\n\nShip it 🚀 today, __proto__ and constructor included.\n',
  'copy-a.md': '# Copies\n\nThe barometer hangs beside the door of the office.\n',
  'copy-b.md': '# Copies\n\nThe barometer hangs beside the gate of the garden, and the office is closed.\n',
  'long.md': Array.from(
    { length: 12 },
    (_, i) => `# Part ${i}\n\n${`Section ${i} says how water number ${i} flows. `.repeat(12)}\n`,
  ).join('\n'),
};
const FIELDS: readonly FieldName[] = ['text', 'definition', 'quantity', 'procedure', 'cause'];

const asked = (text: string) => [...new Set(analyse(text))].map((term) => ({ term, weight: 1 }));

/**
 * Registers the tests of a backend. `open` is given the folder of an index and gives a backend over the same generation; what
 * it gives is closed at the end. All is held against the folder itself, and against the embedded backend to the bit.
 */
export function conforms(name: string, open: (dir: string) => Promise<IndexBackend>): void {
  describe(`the backend ${name}`, () => {
    const scratch = new Scratch();
    let index: CorpusIndex;
    let backend: IndexBackend;
    let reference: IndexBackend;

    beforeAll(async () => {
      const dir = join(scratch.folder(), '..', 'conformance-index');
      await buildIndex([scratch.folder(FILES)], options(dir, { maxTokens: 40 }));
      index = await openIndex(dir);
      const { embeddedBackend } = await import('../embedded.ts');
      reference = embeddedBackend(index);
      backend = await open(dir);
    });
    afterAll(async () => {
      await backend?.close();
      scratch.clear();
    });

    const all = () => index.passages.map((_, ordinal) => ordinal);
    const first = async (search: Search) => (await backend.search([search]))[0]!;
    const allowed = ({ docId, source, genre }: Filters) =>
      all().filter((ordinal) => {
        const passage = index.passages[ordinal]!;
        return (
          (docId?.includes(passage.docId) ?? true) &&
          (source?.includes(passage.source) ?? true) &&
          (genre?.includes(passage.genre) ?? true)
        );
      });

    it('holds the documents, identifiers and terms of the generation', () => {
      expect(backend.documents).toEqual(index.documents);
      expect(backend.manifest.counts).toEqual(index.manifest.counts);
      expect(backend.manifest.embedder).toEqual(index.manifest.embedder);
      expect(backend.identifiers.extract('see ADR-0012 and BR-7')).toEqual(
        reference.identifiers.extract('see ADR-0012 and BR-7'),
      );
      expect(backend.identifiers.has('ADR-0012')).toBe(true);
      expect(backend.identifiers.has('ADR-0014')).toBe(false);
      for (const field of FIELDS) {
        const terms = asked('valve water __proto__ xylophone 12 東 the');
        expect(backend.lexicons[field].weigh(terms)).toEqual(reference.lexicons[field].weigh(terms));
      }
      expect([...backend.lexicons.text.termsLike('b', 3, 12)]).toEqual([
        ...reference.lexicons.text.termsLike('b', 3, 12),
      ]);
    });

    it('gives passages with their parts and vectors in the order asked for, and none for what is none', async () => {
      const some = [3, 0, 5, index.passages.length, 1];
      const found = await backend.passages(some);
      expect(found.map(({ ordinal }) => ordinal)).toEqual([3, 0, 5, 1]);
      for (const { ordinal, passage, parts, vector } of found) {
        expect(passage).toEqual(index.passages[ordinal]);
        expect(parts).toEqual(index.partsOf(ordinal));
        expect([...vector!]).toEqual([...index.vectors.slice(ordinal * 8, ordinal * 8 + 8)]);
      }
      expect(await backend.passages([])).toEqual([]);
      const { docId, first: start } = index.documents[1]!;
      expect(index.passages[start]!.passageId).toBe(`${docId}#0`);
    });

    it.each<[string, FieldName, string]>([
      ['text', 'text', 'valve water'],
      ['definitions', 'definition', 'valve'],
      ['quantities', 'quantity', 'valve'],
      ['steps', 'procedure', 'valve'],
      ['causes', 'cause', 'valve'],
      ['a script without spaces', 'text', '水道'],
      ['an emoji', 'text', '🚀'],
      ['inherited names', 'text', '__proto__ constructor'],
    ])('finds by %s', async (_, field, text) => {
      const hits = await first({ field, terms: asked(text), k: 100 });
      const [wanted] = await reference.search([{ field, terms: asked(text), k: 100 }]);
      expect(hits.length).toBeGreaterThan(0);
      expect(hits).toEqual(wanted);
    });

    it('finds nothing by nothing, by unknown words, and where none is wanted', async () => {
      expect(await first({ field: 'text', terms: [], k: 5 })).toEqual([]);
      expect(await first({ field: 'text', terms: asked('xylophone'), k: 5 })).toEqual([]);
      expect(await first({ field: 'text', terms: asked('valve'), k: 0 })).toEqual([]);
      expect(await first({ vector: vectorFor('valve'), k: 0 })).toEqual([]);
      expect(await backend.search([])).toEqual([]);
    });

    it('lets only passages through that hold the kind of quantity that is asked for', async () => {
      const search = { field: 'quantity' as const, terms: asked('valve it weighs cost'), k: 50 };
      for (const kinds of [QUANTITY.MASS, QUANTITY.MONEY, QUANTITY.DATE, QUANTITY.AREA]) {
        const [wanted] = await reference.search([{ ...search, kinds }]);
        expect(await first({ ...search, kinds })).toEqual(wanted);
      }
      const heavy = await first({ ...search, kinds: QUANTITY.MASS });
      expect(heavy.map(({ ordinal }) => index.passages[ordinal]!.text).join()).toContain('12 kg');
      expect(await first({ ...search, kinds: QUANTITY.AREA })).toEqual([]);
    });

    it('finds the nearest vectors, best first, by their cosines', async () => {
      const hits = await first({ vector: vectorFor('valve'), k: 5 });
      const [wanted] = await reference.search([{ vector: vectorFor('valve'), k: 5 }]);
      expect(hits).toHaveLength(5);
      expect(hits).toEqual(wanted);
    });

    it('refuses a vector of another embedder', async () => {
      const vector = new Float32Array(3);
      await expect(first({ vector, k: 2 })).rejects.toMatchObject({ code: 'INTERNAL' });
      await expect(backend.look([0], { terms: [], vector })).rejects.toMatchObject({ code: 'INTERNAL' });
    });

    it('puts passages of one score in the order of their ordinals', async () => {
      const hits = await first({ field: 'text', terms: asked('section'), k: 100 });
      const sorted = [...hits].sort((a, b) => b.score - a.score || a.ordinal - b.ordinal);
      expect(hits).toEqual(sorted);
      expect(new Set(hits.map(({ ordinal }) => ordinal)).size).toBe(hits.length);
    });

    it.each<[string, Filters]>([
      ['a document', { docId: ['docs/valve.md'] }],
      ['two documents', { docId: ['docs/valve.md', 'docs/words.md'] }],
      ['a genre', { genre: ['steps'] }],
      ['a genre of a document', { docId: ['docs/valve.md'], genre: ['steps', 'definition'] }],
      ['no value', { docId: [] }],
      ['a document that does not exist', { docId: ['__proto__'] }],
      ['nothing', {}],
    ])('honours a filter for %s in every search', async (_, filters) => {
      const open = allowed(filters);
      const terms = asked('the valve water it office ship section');
      const [dense, ...byWords] = await backend.search([
        { vector: vectorFor('valve'), filters, k: 100 },
        ...FIELDS.map((field) => ({ field, terms, filters, k: 100 })),
      ]);
      expect(dense!.map(({ ordinal }) => ordinal).sort((a, b) => a - b)).toEqual(open);
      const wanted = await reference.search(FIELDS.map((field) => ({ field, terms, filters, k: 100 })));
      expect(byWords).toEqual(wanted);
      const query = { terms, vector: vectorFor('valve'), filters };
      expect((await backend.look(all(), query)).map(({ ordinal }) => ordinal)).toEqual(open);
    });

    it('says of passages what its own searches say', async () => {
      const query = { terms: asked('valve water flows'), vector: vectorFor('valve') };
      const [byWords, byVector] = await backend.search([
        { field: 'text', terms: query.terms, k: 100 },
        { vector: query.vector, k: 100 },
      ]);
      const order = all().reverse();
      const seen = await backend.look(order, query);
      expect(seen.map(({ ordinal }) => ordinal)).toEqual(order);
      for (const { ordinal, lexical, dense, passage } of seen) {
        expect(passage).toEqual(index.passages[ordinal]);
        expect(lexical).toBe(byWords!.find((hit) => hit.ordinal === ordinal)?.score ?? 0);
        expect(dense).toBe(byVector!.find((hit) => hit.ordinal === ordinal)!.score);
      }
    });

    it('names the first passages that hold a term, and those that explain one', async () => {
      const [water, none] = await backend.holding(['water', 'xylophone'], 2);
      const [wanted] = await reference.holding(['water'], 2);
      expect(water!.map(({ passage }) => passage)).toEqual(wanted!.map(({ passage }) => passage));
      expect(water).toHaveLength(2);
      expect(none).toEqual([]);
      const terms = ['--force', '-f', 'all', 'Faults', 'Flow', 'Copies', 'nothing', ''];
      const explained = await backend.entriesOf(terms);
      expect(explained.map((found) => found.map(({ ordinal }) => ordinal))).toEqual(
        terms.map((term) => index.entriesOf(term)),
      );
      expect(explained[0]!.length).toBeGreaterThan(0);
      expect(explained[3]!.length).toBeGreaterThan(0);
    });

    it('finds, for any words, depth and filter, what the reference finds, whoever asks beside it', async () => {
      const words = fc.constantFrom(
        ...['valve', 'water', 'section', 'office', 'because', '12', 'the', '東京', 'ADR-0012', 'nothing'],
      );
      const search = fc.record({
        field: fc.constantFrom(...FIELDS),
        terms: fc.uniqueArray(words, { maxLength: 4 }).map((some) => asked(some.join(' '))),
        k: fc.nat(8),
        filters: fc.constantFrom<Filters | undefined>(
          undefined,
          { genre: ['steps', 'narrative'] },
          { docId: ['docs/valve.md', 'docs/long.md'] },
        ),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(search, { maxLength: 5 }), async (searches) => {
          const [found, again] = await Promise.all([backend.search(searches), backend.search(searches)]);
          expect(found).toEqual(await reference.search(searches));
          expect(again).toEqual(found);
        }),
        { numRuns: 30 },
      );
    });

    it('stops when the caller has gone', async () => {
      const call = { signal: AbortSignal.abort() };
      const query = { terms: asked('valve'), vector: vectorFor('valve') };
      const aborted = { code: 'ABORTED' };
      await expect(backend.search([{ vector: query.vector, k: 2 }], call)).rejects.toMatchObject(aborted);
      await expect(backend.search([{ field: 'text', terms: query.terms, k: 2 }], call)).rejects.toMatchObject(
        aborted,
      );
      await expect(backend.look([0], query, call)).rejects.toMatchObject(aborted);
      await expect(backend.passages([0], call)).rejects.toMatchObject(aborted);
    });

    it('is well', async () => {
      expect((await backend.health()).state).toBe('ok');
    });
  });
}
