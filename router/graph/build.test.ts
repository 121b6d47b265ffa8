import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { buildIndex, openIndex } from '../../corpus/index.ts';
import { options, put, Scratch, vectorFor } from '../../corpus/testing/support.ts';
import { triplesIn } from './extract.ts';
import { buildGraph, type GraphOptions, keepGraph, openGraph } from './index.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const CITIES = Array.from({ length: 400 }, (_, i) => `Marie Curie visited Warsaw${i}.`);

async function indexed(texts: Readonly<Record<string, string>>) {
  const docs = scratch.folder(texts);
  const out = join(scratch.folder(), 'index');
  await buildIndex([docs], options(out));
  return { docs, out, index: await openIndex(out) };
}

const filesOf = (folder: string) =>
  ['graph.ndjson', 'graph-source.ndjson'].map((name) => readFileSync(join(folder, name), 'utf8'));

const settings = (more: Partial<GraphOptions> = {}): GraphOptions => ({
  embed: async (texts) => texts.map(vectorFor),
  maxEdges: 1_000,
  minSem: 0,
  labelled: [],
  ...more,
});

describe('building a graph', () => {
  it('stores it in the folder of the generation, where reading it finds it', async () => {
    const { out, index } = await indexed({
      'a.txt': 'The Wayback Machine was set up by Brewster Kahle.\n',
    });
    const report = await buildGraph(index, settings({ minSem: 0 }));
    expect(report).toMatchObject({ nodes: 2, edges: 1, variables: 0, dropped: 0, ungrounded: 0, resumed: 0 });
    const graph = (await openGraph(index))!;
    expect(graph.pathScore('Who set up the Wayback Machine?').kind).toBe('strong');
    expect(graph.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000001']);
    expect(readdirSync(index.folder).filter((name) => name.startsWith('graph'))).toEqual([
      'graph-source.ndjson',
      'graph.ndjson',
    ]);
  });

  it('keeps what labels say is missing, and tells of how many queries it could not', async () => {
    const { index } = await indexed({ 'a.txt': 'The Wayback Machine was set up by Brewster Kahle.\n' });
    const asked = { query: 'What does the Wayback Machine cost?', action: 'ASK' as const, missing: ['year'] };
    const lost = { ...asked, query: 'What does it cost?' };
    const report = await buildGraph(index, settings({ labelled: [asked, lost] }));
    expect(report).toMatchObject({ variables: 1, edges: 2, unanchored: 1 });
    expect((await openGraph(index))!.requirementsOf('Wayback Machine')).toEqual([
      { variable: 'year', of: 'Wayback Machine', asked: [asked.query] },
    ]);
  });

  it('leaves out what its source does not bear out', async () => {
    const { index } = await indexed({ 'a.txt': 'The Wayback Machine was set up by Brewster Kahle.\n' });
    const opposite = (text: string) => vectorFor(text).map(() => 0);
    const report = await buildGraph(
      index,
      settings({ minSem: 0.5, embed: async (texts) => texts.map(opposite) }),
    );
    expect(report).toMatchObject({ nodes: 0, edges: 0, ungrounded: 1 });
  });

  it('goes on where it was interrupted, also after a line that was cut off, and ends with the same bytes', async () => {
    const texts = Object.fromEntries(CITIES.map((text, i) => [`${i}.txt`, `${text}\n`]));
    const { out, index } = await indexed(texts);
    const stop = new AbortController();
    const interrupted = buildGraph(index, settings({ signal: stop.signal, onProgress: () => stop.abort() }));
    await expect(interrupted).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await openGraph(index)).toBeNull();
    appendFileSync(join(out, 'graph.progress'), '[0.1,0.');

    const embedded: string[] = [];
    const counting = settings({
      embed: async (list) => {
        embedded.push(...list);
        return list.map(vectorFor);
      },
    });
    const report = await buildGraph(index, counting);
    expect(report.resumed).toBe(256);
    expect(embedded).toHaveLength(CITIES.length - 256);
    const resumed = filesOf(index.folder);
    expect(await buildGraph(index, settings())).toMatchObject({ known: CITIES.length, embedded: 0 });
    expect(filesOf(index.folder)).toEqual(resumed);
  });

  it('does not go on with the numbers of another build', async () => {
    const { out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    writeFileSync(join(out, 'graph.progress'), `${'0'.repeat(64)}\n[0.9]\n`);
    expect(await buildGraph(index, settings())).toMatchObject({ resumed: 0, edges: 1 });
  });

  it('is refused while another process writes the index', async () => {
    const { out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    const holder = { pid: process.pid, host: 'elsewhere', born: '' };
    writeFileSync(join(out, 'pragaura.lock'), JSON.stringify(holder));
    await expect(buildGraph(index, settings())).rejects.toMatchObject({ code: 'INDEX_LOCKED' });
  });

  it('is refused for an index that was brought up to date meanwhile', async () => {
    const { docs, out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    put(docs, 'b.txt', 'Another one.\n');
    await buildIndex([docs], options(out));
    await expect(buildGraph(index, settings())).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
      message: expect.stringContaining('meanwhile'),
    });
  });
});

describe('a damaged file', () => {
  it('gives nothing but a typed error that names the remedy', async () => {
    const { index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    await buildGraph(index, settings());
    const { folder, manifest } = index;
    const file = join(index.folder, 'graph.ndjson');
    const whole = readFileSync(file, 'utf8');
    const damaged = [
      '',
      'no json',
      whole.slice(0, -20),
      whole.replace('visited', 'vis1ted'),
      whole.replace('graph/1', 'graph/9'),
      '{"schema":"pragaura.graph/1"}\n{}\n',
    ];
    for (const text of damaged) {
      writeFileSync(file, text);
      await expect(openGraph(index)).rejects.toMatchObject({
        code: 'INDEX_UNUSABLE',
        hint: expect.stringContaining('pragaura graph'),
      });
    }
    writeFileSync(file, whole);
    await expect(
      openGraph({ folder, manifest: { ...manifest, counts: { ...manifest.counts, passages: 0 } } }),
    ).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
    await expect(openGraph({ folder, manifest: { ...manifest, hash: 'other' } })).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
    });
    expect((await openGraph(index))!.data.edges).toHaveLength(1);
  });
});

describe('the graph of an index that is brought up to date', () => {
  const PEOPLE = ['Marie Curie', 'Irene Joliot', 'Ada Quist'];
  const ways = fc.array(
    fc.record({
      put: fc.array(fc.record({ name: fc.nat(5), person: fc.nat(2), city: fc.nat(3), more: fc.boolean() }), {
        maxLength: 4,
      }),
      remove: fc.array(fc.nat(5), { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 3 },
  );
  const labelled = [
    { query: 'Who visited Warsaw1?', action: 'ANSWER' as const, passages: ['docs/d0.txt', 'docs/d1.txt'] },
    { query: 'Did Marie Curie visit the Radium Hall?', action: 'ASK' as const, missing: ['year'] },
    { query: 'Did Ada Quist meet Irene Joliot?', action: 'ABSTAIN' as const },
  ];

  it('is the graph that would be built of it anew, whatever was put in and taken out', async () => {
    await fc.assert(
      fc.asyncProperty(ways, async (steps) => {
        const { docs, out, index } = await indexed({ 'keep.txt': 'Marie Curie visited Warsaw1.\n' });
        await buildGraph(index, settings({ minSem: 0.02, labelled }));
        for (const { put: texts, remove } of steps) {
          for (const { name, person, city, more } of texts) {
            const also = more ? `\nShe was there. ${PEOPLE[person]} was born in 18${city}7.\n` : '\n';
            put(docs, `d${name}.txt`, `${PEOPLE[person]} visited Warsaw${city}.${also}`);
          }
          for (const name of remove) rmSync(join(docs, `d${name}.txt`), { force: true });
          await buildIndex([docs], options(out, { keepGraph }));
        }
        const kept = await openIndex(out);
        const other = join(scratch.folder(), 'index');
        await buildIndex([docs], options(other));
        const anew = await openIndex(other);
        await buildGraph(anew, settings({ minSem: 0.02, labelled }));
        expect(filesOf(kept.folder).map(sorted)).toEqual(filesOf(anew.folder).map(sorted));
        scratch.clear();
      }),
      { numRuns: 15 },
    );
  });

  /** Lines with their keys in order: what was found out first is written first. */
  const sorted = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .map(({ sha256, ...rest }) =>
        'triples' in rest ? rest : { ...rest, sha256: rest.extraction ? '' : sha256 },
      );

  it('looks at what is new alone, and says how much that was', async () => {
    const texts = Object.fromEntries(CITIES.map((text, i) => [`${i}.txt`, `${text}\n`]));
    const { docs, out, index } = await indexed(texts);
    await buildGraph(index, settings());
    put(docs, 'new.txt', 'Irene Joliot visited Vienna.\n');
    const build = options(out, { keepGraph });
    expect((await buildIndex([docs], build)).graph).toEqual({ edges: CITIES.length + 1, embedded: 1 });
    expect(build.embedded).toHaveLength(2);
    const { graph } = await buildIndex([docs], options(out, { keepGraph }));
    expect(graph).toEqual({ edges: CITIES.length + 1, embedded: 0 });
  });

  it('is none where there was none, or nobody keeps it', async () => {
    const { docs, out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    expect((await buildIndex([docs], options(out, { keepGraph }))).graph).toBeNull();
    await buildGraph(await openIndex(out), settings());
    put(docs, 'b.txt', 'Another one.\n');
    expect((await buildIndex([docs], options(out))).graph).toBeNull();
    expect(await openGraph(await openIndex(out))).toBeNull();
    expect(index.folder).toContain('generation-000001');
  });

  it('waits for vectors that nobody waited for', async () => {
    const { docs, out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    await buildGraph(index, settings({ labelled }));
    for (const [i, text] of CITIES.entries()) put(docs, `${i}.txt`, `${text}\n`);
    const words = await buildIndex([docs], options(out, { keepGraph, wait: false }));
    expect(words).toMatchObject({ pending: CITIES.length, graph: null });
    expect(await openGraph(await openIndex(out))).toBeNull();
    const whole = await buildIndex([docs], options(out, { keepGraph }));
    expect(whole).toMatchObject({ pending: 0, graph: { embedded: CITIES.length } });
    expect((await openGraph(await openIndex(out)))!.requirementsOf('Marie Curie')).toHaveLength(1);
  });

  it('belongs to its generation, with the index that it was made for', async () => {
    const { docs, out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    await buildGraph(index, settings());
    const { hash } = (await openGraph(index))!;
    put(docs, 'b.txt', 'Irene Joliot visited Vienna.\n');
    await buildIndex([docs], options(out, { keepGraph, keepGenerations: 2 }));
    expect((await openGraph(await openIndex(out)))!.hash).not.toBe(hash);
    expect((await openGraph(await openIndex(out, 'generation-000001')))!.hash).toBe(hash);
  });

  it('leaves nothing of a document that was taken out', async () => {
    const { docs, out, index } = await indexed({
      'a.txt': 'Marie Curie visited Warsaw.\n',
      'b.txt': 'Irene Joliot visited Vienna.\n',
    });
    await buildGraph(index, settings());
    rmSync(join(docs, 'b.txt'));
    await buildIndex([docs], options(out, { keepGraph }));
    const { folder } = await openIndex(out);
    expect(filesOf(folder).join()).toContain('Curie');
    expect(filesOf(folder).join()).not.toContain('Joliot');
  });

  it('is interrupted with the index, which stays as it was, and goes on with it', async () => {
    const { docs, out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    await buildGraph(index, settings());
    for (const [i, text] of CITIES.entries()) put(docs, `${i}.txt`, `${text}\n`);
    const stop = new AbortController();
    const interrupted = buildIndex(
      [docs],
      options(out, {
        keepGraph,
        signal: stop.signal,
        onProgress: ({ stage }) => stage === 'graph' && stop.abort(),
      }),
    );
    await expect(interrupted).rejects.toMatchObject({ code: 'ABORTED' });
    expect((await openIndex(out)).manifest.hash).toBe(index.manifest.hash);
    expect(readdirSync(out).filter((name) => name.startsWith('generation'))).toHaveLength(1);
    const { graph } = await buildIndex([docs], options(out, { keepGraph }));
    expect(graph).toEqual({ edges: CITIES.length + 1, embedded: CITIES.length - 256 });
  });

  it.each([
    ['is missing', null, 'is not beside it'],
    ['is cut off', (whole: string) => whole.slice(0, -30), 'damaged'],
    ['was changed', (whole: string) => whole.replace('visited', 'v1sited'), 'damaged'],
    ['is of another version', (whole: string) => whole.replace('source/1', 'source/9'), 'damaged'],
  ])(
    'is left out where what it was made of %s, which is said; the index is built',
    async (_, damage, said) => {
      const { docs, out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
      await buildGraph(index, settings());
      const file = join(index.folder, 'graph-source.ndjson');
      if (damage === null) rmSync(file);
      else writeFileSync(file, damage(readFileSync(file, 'utf8')));
      put(docs, 'b.txt', 'Another one.\n');
      const report = await buildIndex([docs], options(out, { keepGraph }));
      expect(report).toMatchObject({ added: 1, graph: { problem: expect.stringContaining(said) } });
      const after = await openIndex(out);
      expect(await openGraph(after)).toBeNull();
      expect(await buildGraph(after, settings())).toMatchObject({ edges: 1 });
    },
  );

  it('takes triples of another extraction, and cosines of another embedder, for nothing', async () => {
    const { docs, out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    await buildGraph(index, settings());
    const other = { ...options(out).embedder, sha256: 'f'.repeat(64) };
    const build = options(out, { keepGraph, embedder: other });
    expect((await buildIndex([docs], build)).graph).toEqual({ edges: 1, embedded: 1 });
    const { folder } = await openIndex(out);
    const file = join(folder, 'graph-source.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"extraction":2', '"extraction":1'));
    const again = await buildIndex([docs], options(out, { keepGraph, embedder: other }));
    expect(again.graph).toEqual({ edges: 1, embedded: 0 });
    expect(triplesIn('Marie Curie visited Warsaw.', '')).toHaveLength(1);
  });
});
