import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openIndex } from '../corpus/index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { buildGraph } from './graph/index.ts';
import {
  type CalibratedThresholds,
  type Decision,
  indexDocuments,
  openRouter,
  provisionalThresholds,
  type Router,
} from './index.ts';

const demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
const QUERY = { id: 'q', query: 'When was the FTP feed switched off?' };
const SAID = 'Vectors are still being made: searched by words alone.';
let folder: string;
let scorers: Scorers;
/** Of words alone, and with its vectors. */
let words: string;
let whole: string;
let router: Router;
let said: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-pending-'));
  [words, whole] = [join(folder, 'words'), join(folder, 'whole')];
  scorers = await openScorers({ threads: 2 });
  const report = await indexDocuments([join(demo, 'documents')], { out: words, wait: false, scorers });
  expect(report.pending).toBe(report.counts.passages);
  await indexDocuments([join(demo, 'documents')], { out: whole, scorers });
  said = [];
  router = await openRouter({ index: words, scorers, announce: (line) => said.push(line) });
});

afterAll(async () => {
  await router.close();
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a router over an index whose vectors are still being made', () => {
  it('says so when it is opened', () => {
    expect(router.pending).toBeGreaterThan(0);
    expect(said).toEqual([expect.stringContaining('it is searched by words alone')]);
  });

  it('finds by words what the dense branch would have been granted, and measures no cosine', async () => {
    const { decision, branches } = await router.explain(QUERY);
    expect(decision.action).toBe('ANSWER');
    expect(decision.caveats).toContain(SAID);
    expect(decision.evidence.length).toBeGreaterThan(0);
    for (const { scores, branches: from } of decision.evidence) {
      expect(scores.dense).toBeNull();
      expect(from).not.toContain('dense');
    }
    expect(branches.find(({ name }) => name === 'dense')?.hits).toEqual([]);
    const { budget, spent } = decision.receipt;
    expect(spent.docsScored).toBeLessThanOrEqual(budget.docsScored);
    const lexical = branches.find(({ name }) => name === 'lexical')!;
    const complete = await openRouter({ index: whole, scorers });
    const beside = (await complete.explain(QUERY)).branches.find(({ name }) => name === 'lexical')!;
    await complete.close();
    // The same words, and what the other branch left.
    expect(lexical.hits.slice(0, beside.hits.length)).toEqual(beside.hits);
    expect(lexical.hits.length).toBeGreaterThan(beside.hits.length);
  });

  it('names a record by its identifier as before, and invents no cosine for it', async () => {
    const decision = await router.route({ id: 'i', query: 'What does ADR-0012 decide?' });
    expect(decision.evidence.length).toBeGreaterThan(0);
    for (const { scores } of decision.evidence) expect(scores.dense).toBeNull();
  });

  it('says it with every decision, whatever was decided', async () => {
    const queries = ['', 'Thank you.', 'How much is the annual membership fee?', 'Who repairs ADR-9999?'];
    const decisions: Decision[] = [];
    for (const query of queries) decisions.push(await router.route({ id: 'e', query }));
    decisions.push(router.expired({ ...QUERY, deadlineMs: 1 }));
    for (const { caveats } of decisions) expect(caveats.filter((one) => one === SAID)).toHaveLength(1);
    const complete = await openRouter({ index: whole, scorers });
    expect((await complete.route(QUERY)).caveats).not.toContain(SAID);
    expect(complete.pending).toBe(0);
    await complete.close();
  });
});

describe('what needs the vectors', () => {
  it('is refused: a calibration of the whole index', async () => {
    const complete = await openRouter({ index: whole, scorers });
    const thresholds: CalibratedThresholds = {
      ...provisionalThresholds(),
      hash: 'a1',
      validFor: complete.validFor,
    };
    await complete.close();
    await expect(openRouter({ index: words, scorers, thresholds })).rejects.toThrow('another index');
  });

  it('is refused: a graph', async () => {
    const index = await openIndex(words);
    const options = { embed: scorers.embed, maxEdges: 10, minSem: 0, labelled: [] };
    await expect(buildGraph(index, options)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  });
});

it('gives the decisions of a whole index once it has them', async () => {
  const report = await indexDocuments([join(demo, 'documents')], { out: words, scorers });
  expect(report.pending).toBe(0);
  expect((await openIndex(words)).manifest.hash).toBe((await openIndex(whole)).manifest.hash);
});
