import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../figures/figures-file.ts';
import { between, pagesOf } from '../figures/markers.ts';
import { type Shipped, shippedModels } from '../figures/shipped.ts';
import { loadMatrices, parseMatrix, shippedMatrices } from './matrix.ts';
import { type Kept, mergeResults, type Result, readResults, resultsFile } from './results.ts';
import { tableOf } from './run.ts';

const matrixOf = (...ids: string[]) =>
  parseMatrix(
    `{ schema: pragaura.repro/1, name: t, title: T, runs: [{ id: run, command: [x], result: stdout, time: quick, rows: [${ids
      .map((id) => `{ id: ${id}, dataset: d, figure: f, at: [a], expected: .5, ok: .01, okish: .02 }`)
      .join(', ')}] }] }`,
    't.yaml',
  );
const file = (rows: object, runs: object = {}) =>
  JSON.stringify({ schema: 'pragaura.repro-results/2', runs, rows });
const NOTHING: Kept = { rows: new Map(), runs: new Map() };
const found = (rows: Record<string, Result>, runs: Record<string, Made> = {}): Kept => ({
  rows: new Map(Object.entries(rows)),
  runs: new Map(Object.entries(runs)),
});
const made = (model: string): Made => ({
  date: '2026-02-03',
  machine: 'two cores',
  models: { rerank: `ours@${model.repeat(64)}` },
});

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-results-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));
const read = () => readFile(resultsFile(dir, 't'), 'utf8');

describe('results', () => {
  it('are none where nothing was kept', async () => {
    expect(await readResults(dir, 't')).toEqual(NOTHING);
    expect(await mergeResults(dir, matrixOf('a'), NOTHING)).toEqual({ kept: NOTHING, written: [] });
    expect(await readdir(dir)).toEqual([]);
  });

  it('take the place of earlier ones, in the order of the matrix, without rows that it has no more', async () => {
    const failed = { found: null, why: 'it ended with 1' };
    await writeFile(
      resultsFile(dir, 't'),
      file(
        { gone: { found: 3 }, c: { found: 0.1 }, b: { found: -0.0004 }, a: { found: 1 } },
        { run: made('a'), gone: made('a') },
      ),
    );
    const now = found({ a: failed, foreign: { found: 1 } }, { run: made('b'), foreign: made('b') });
    const { kept, written } = await mergeResults(dir, matrixOf('a', 'b', 'constructor', 'c'), now);
    expect([...kept.runs]).toEqual([['run', made('b')]]);
    expect([...kept.rows]).toEqual([
      ['a', failed],
      ['b', { found: -0.0004 }],
      ['c', { found: 0.1 }],
    ]);
    expect(written).toEqual([resultsFile(dir, 't')]);
    expect(await readResults(dir, 't')).toEqual(kept);
    expect(Object.keys(JSON.parse(await read()).rows)).toEqual(['a', 'b', 'c']);
    expect(await readdir(dir)).toEqual(['t.results.json']);
  });

  it('are left alone when nothing changes', async () => {
    const now = found({ a: { found: 1 } }, { run: made('a') });
    await mergeResults(dir, matrixOf('a'), now);
    const before = await stat(resultsFile(dir, 't'));
    expect((await mergeResults(dir, matrixOf('a'), now)).written).toEqual([]);
    expect((await stat(resultsFile(dir, 't'))).ino).toBe(before.ino);
  });

  it.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['another schema', file({}).replace('results/2', 'results/1')],
    ['rows in a list', file([])],
    ['a verdict', file({ a: { found: 1, verdict: 'OK' } })],
    ['a figure in words', file({ a: { found: '1' } })],
    ['no figure and no reason', file({ a: { found: null } })],
    ['a figure and a reason', file({ a: { found: 1, why: 'x' } })],
    ['an id that no row can have', file({ 'A b': { found: 1 } })],
    ['a run without its models', file({}, { run: { date: '2026-02-03', machine: 'x' } })],
    ['an unknown key', file({}).replace('{', '{"rowz":{},')],
  ])('with %s are refused and stay as they are', async (_, text) => {
    await writeFile(resultsFile(dir, 't'), text);
    await expect(mergeResults(dir, matrixOf('a'), found({ a: { found: 1 } }))).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('t.results.json'),
      hint: expect.stringContaining('remove it'),
      cause: expect.any(Error),
    });
    expect(await read()).toBe(text);
  });

  it('that cannot be read are no empty ones', async () => {
    await mkdir(resultsFile(dir, 't'));
    await expect(readResults(dir, 't')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('t.results.json cannot be read: is a folder'),
    });
  });

  it.each([
    ['of the models that ship', { run: made('a') }, /^- run: `pragaura x`; 2026-02-03, two cores$/m],
    [
      'of other models',
      { run: made('b') },
      /^- run: .*; \*\*made with other models than ship now\*\*: rerank ours@b{12}, ships ours@a{12}$/m,
    ],
    ['of nobody knows which', {}, /^- run: `pragaura x`; \*\*before the models that ship now\*\*$/m],
  ])('%s say so in their table', (_, runs, says) => {
    const shipped: Shipped = { rerank: { name: 'ours', sha256: 'a'.repeat(64) } };
    expect(tableOf(matrixOf('a'), found({ a: { found: 0.5 } }, runs), shipped)).toMatch(says);
  });

  it('of the package give the tables of its pages', async () => {
    const root = path.join(import.meta.dirname, '../..');
    const shipped = await shippedModels();
    const matrices = await loadMatrices(shippedMatrices());
    const pages = await pagesOf(
      matrices.map(({ name }) => name),
      root,
    );
    for (const matrix of matrices) {
      const page = await readFile(path.join(root, pages.get(matrix.name)!), 'utf8');
      if (page.includes(`<!-- figures:${matrix.name} -->\n<!--`)) continue;
      const kept = await readResults(shippedMatrices(), matrix.name);
      expect(between(page, matrix.name, tableOf(matrix, kept, shipped))).toBe(page);
    }
  });
});
