import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildIndex, openIndex } from '../../corpus/index.ts';
import { options, put, Scratch, vectorFor } from '../../corpus/testing/support.ts';
import { buildGraph, type GraphOptions, openGraph } from './index.ts';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const CITIES = Array.from({ length: 400 }, (_, i) => `Marie Curie visited Warsaw${i}.`);

async function indexed(texts: Readonly<Record<string, string>>) {
  const docs = scratch.folder(texts);
  const out = join(scratch.folder(), 'index');
  await buildIndex([docs], options(out));
  return { docs, out, index: await openIndex(out) };
}

const settings = (more: Partial<GraphOptions> = {}): GraphOptions => ({
  embed: async (texts) => texts.map(vectorFor),
  maxEdges: 1_000,
  minSem: 0,
  labelled: [],
  ...more,
});

describe('building a graph', () => {
  it('stores it in the index folder, where reading it and bringing the index up to date find it', async () => {
    const { docs, out, index } = await indexed({
      'a.txt': 'The Wayback Machine was set up by Brewster Kahle.\n',
    });
    const report = await buildGraph(index, settings({ minSem: 0 }));
    expect(report).toMatchObject({ nodes: 2, edges: 1, variables: 0, dropped: 0, ungrounded: 0, resumed: 0 });
    const graph = (await openGraph(index))!;
    expect(graph.pathScore('Who set up the Wayback Machine?').kind).toBe('strong');
    expect(graph.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000001', 'graph.ndjson']);

    put(docs, 'b.txt', 'Another one.\n');
    await buildIndex([docs], options(out));
    const changed = await openIndex(out);
    const said: string[] = [];
    expect(await openGraph(changed, (message) => said.push(message))).toBeNull();
    expect(said).toEqual([expect.stringContaining(`pragaura graph --index ${out}`)]);
    await buildGraph(changed, settings({ minSem: 0 }));
    expect((await openGraph(changed))!.hash).toBe(graph.hash);
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
    const resumed = readFileSync(join(out, 'graph.ndjson'), 'utf8');
    await buildGraph(index, settings());
    expect(readFileSync(join(out, 'graph.ndjson'), 'utf8')).toBe(resumed);
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
});

describe('a damaged file', () => {
  it('gives nothing but a typed error that names the remedy', async () => {
    const { out, index } = await indexed({ 'a.txt': 'Marie Curie visited Warsaw.\n' });
    await buildGraph(index, settings());
    const { manifest } = index;
    const file = join(out, 'graph.ndjson');
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
      openGraph({ dir: out, manifest: { ...manifest, counts: { ...manifest.counts, passages: 0 } } }),
    ).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
    expect((await openGraph(index))!.data.edges).toHaveLength(1);
  });
});
