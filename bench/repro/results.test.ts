import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { between, pagesOf } from '../figures/markers.ts';
import { loadMatrices, parseMatrix, shippedMatrices } from './matrix.ts';
import { mergeResults, type Result, readResults, resultsFile } from './results.ts';
import { tableOf } from './run.ts';

const matrixOf = (...ids: string[]) =>
  parseMatrix(
    `{ schema: pragaura.repro/1, name: t, title: T, runs: [{ id: run, command: [x], result: stdout, time: quick, rows: [${ids
      .map((id) => `{ id: ${id}, dataset: d, figure: f, at: [a], expected: .5, ok: .01, okish: .02 }`)
      .join(', ')}] }] }`,
    't.yaml',
  );
const file = (rows: object) => JSON.stringify({ schema: 'pragaura.repro-results/1', rows });

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-results-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));
const read = () => readFile(resultsFile(dir, 't'), 'utf8');

describe('results', () => {
  it('are none where nothing was kept', async () => {
    expect(await readResults(dir, 't')).toEqual(new Map());
    const nothing = await mergeResults(dir, matrixOf('a'), new Map());
    expect(nothing).toEqual({ results: new Map(), written: [] });
    expect(await readdir(dir)).toEqual([]);
  });

  it('take the place of earlier ones, in the order of the matrix, without rows that it has no more', async () => {
    const failed = { found: null, why: 'it ended with 1' };
    await writeFile(
      resultsFile(dir, 't'),
      file({ gone: { found: 3 }, c: { found: 0.1 }, b: { found: -0.0004 }, a: { found: 1 } }),
    );
    const now = new Map<string, Result>([
      ['a', failed],
      ['foreign', { found: 1 }],
    ]);
    const { results, written } = await mergeResults(dir, matrixOf('a', 'b', 'constructor', 'c'), now);
    expect([...results]).toEqual([
      ['a', failed],
      ['b', { found: -0.0004 }],
      ['c', { found: 0.1 }],
    ]);
    expect(written).toEqual([resultsFile(dir, 't')]);
    expect(await readResults(dir, 't')).toEqual(results);
    expect(Object.keys(JSON.parse(await read()).rows)).toEqual(['a', 'b', 'c']);
    expect(await readdir(dir)).toEqual(['t.results.json']);
  });

  it('are left alone when nothing changes', async () => {
    const now = new Map([['a', { found: 1 }]]);
    await mergeResults(dir, matrixOf('a'), now);
    const before = await stat(resultsFile(dir, 't'));
    expect((await mergeResults(dir, matrixOf('a'), now)).written).toEqual([]);
    expect((await stat(resultsFile(dir, 't'))).ino).toBe(before.ino);
  });

  it.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['another schema', file({}).replace('results/1', 'results/2')],
    ['rows in a list', file([])],
    ['a verdict', file({ a: { found: 1, verdict: 'OK' } })],
    ['a figure in words', file({ a: { found: '1' } })],
    ['no figure and no reason', file({ a: { found: null } })],
    ['a figure and a reason', file({ a: { found: 1, why: 'x' } })],
    ['an id that no row can have', file({ 'A b': { found: 1 } })],
    ['an unknown key', file({}).replace('{', '{"rowz":{},')],
  ])('with %s are refused and stay as they are', async (_, text) => {
    await writeFile(resultsFile(dir, 't'), text);
    await expect(mergeResults(dir, matrixOf('a'), new Map([['a', { found: 1 }]]))).rejects.toMatchObject({
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

  it('of the package give the tables of its pages', async () => {
    const root = path.join(import.meta.dirname, '../..');
    const matrices = await loadMatrices(shippedMatrices());
    const pages = await pagesOf(
      matrices.map(({ name }) => name),
      root,
    );
    for (const matrix of matrices) {
      const page = await readFile(path.join(root, pages.get(matrix.name)!), 'utf8');
      if (page.includes(`<!-- figures:${matrix.name} -->\n<!--`)) continue;
      const results = await readResults(shippedMatrices(), matrix.name);
      expect(between(page, matrix.name, tableOf(matrix, results))).toBe(page);
    }
  });
});
