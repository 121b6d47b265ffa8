import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Scorers } from '../../scorers/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { makeGraph, shapesGraph } from './graphs.ts';
import { halfOfQuery } from './sample.ts';
import type { DecisionQuery } from './types.ts';

/** What indexing needs of the scorers, without a model: every text lies in one direction. */
const scorers = {
  info: { models: { embed: { name: 'none', sha256: '0'.repeat(64) } } },
  embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0)),
  countTokens: (text: string) => text.split(/\s+/).length,
} as unknown as Scorers;

const query = (group: string, rest: Partial<DecisionQuery> = {}): DecisionQuery => ({
  id: group,
  query: 'Who wrote the Iliad?',
  action: 'ANSWER',
  group,
  source: 'test',
  fits: true,
  ...rest,
});

it('builds a graph once, and again for other labels', async () => {
  const cache = await mkdtemp(path.join(tmpdir(), 'pragaura-graphs-'));
  try {
    const text = 'Homer wrote the Iliad. Anna Lee married Bo Lind in Oslo.';
    const documents = [{ docId: 'a', title: '', text, source: 'test' }];
    const dir = await indexOf({ name: 'graphs', documents }, cache, scorers, () => {});
    const said: string[] = [];
    const make = (shaping: DecisionQuery[]) =>
      makeGraph(dir, shaping, {
        scorers,
        say: (line) => said.push(line),
        signal: new AbortController().signal,
      });
    const figures = await make([]);
    expect(await make([])).toEqual(figures);
    expect(figures).toMatchObject({ passages: 1, variables: 0, grounded: 1, unknown: 0 });
    expect(figures.edges).toBeGreaterThan(0);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^graph: [1-9]\d* things, [1-9]\d* edges/);
    await make([query('g')]);
    await make([query('g')]);
    expect(said).toHaveLength(2);
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
});

it('shapes by half of the tuning half, and by nothing that is reported', () => {
  const queries = Array.from({ length: 400 }, (_, i) => query(`group ${i}`));
  const shaping = queries.filter(shapesGraph);
  expect(shaping.length).toBeGreaterThan(60);
  expect(shaping.length).toBeLessThan(140);
  expect(shaping.every((one) => halfOfQuery(one) === 'tune')).toBe(true);
  expect(shaping.some((one) => shapesGraph({ ...one, fits: false }))).toBe(false);
});
