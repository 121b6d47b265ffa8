import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagesOf } from '../figures/markers.ts';
import { loadMatrices, parseMatrix, shippedMatrices } from './matrix.ts';
import { selectRows } from './select.ts';
import { figureAt, verdictOf } from './verdict.ts';

const YAML = `
schema: pragaura.repro/1
name: one
title: A table
runs:
  - id: run
    command: [bench, x, --out, "{out}"]
    result: x.json
    time: quick
    rows:
      - { id: row, dataset: d, figure: f, at: [a], expected: .5, ok: .01, okish: .02 }
`;

describe('a matrix', () => {
  it('is read, and what is not said is empty', () => {
    const [run] = parseMatrix(YAML, 'one.yaml').runs;
    expect(run!.rows[0]).toEqual({
      id: 'row',
      dataset: 'd',
      figure: 'f',
      at: ['a'],
      expected: 0.5,
      ok: 0.01,
      okish: 0.02,
      printed: [],
    });
    expect([run!.needs, run!.before]).toEqual([[], []]);
  });

  it.each([
    ['an unknown key', YAML.replace('title:', 'tittle: x\ntitle:'), 'tittle'],
    ['an unknown key of a row', YAML.replace('okish', 'okay: 1, okish'), 'okay'],
    ['a key twice', YAML.replace('title:', 'name: two\ntitle:'), 'unique'],
    ['an alias', YAML.replace('[bench', '&a [bench').replace('at: [a]', 'at: *a'), 'Alias'],
    ['a tag', YAML.replace('title: A', 'title: !!js/function A'), 'tag'],
    ['tolerances the wrong way round', YAML.replace('okish: .02', 'okish: .001'), 'okish is less than ok'],
    ['a figure in words', YAML.replace('.5', 'half'), 'expected'],
    ['no rows', YAML.slice(0, YAML.indexOf('      - {')).replace('rows:', 'rows: []'), 'rows'],
    ['an id twice', YAML.replace('id: row', 'id: run'), 'occurs twice'],
    ['a result outside its folder', YAML.replace('x.json', '../x.json'), 'result'],
    ['another schema', YAML.replace('repro/1', 'repro/2'), 'schema'],
    ['no YAML', 'a: [', 'one.yaml'],
    ['nothing', '', 'one.yaml'],
  ])('with %s is refused', (_, yaml, said) => {
    expect(() => parseMatrix(yaml, 'one.yaml')).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', message: expect.stringContaining(said) }),
    );
  });

  it('of a folder shares no id with another', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'pragaura-matrix-'));
    try {
      await expect(loadMatrices(dir)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await writeFile(path.join(dir, 'a.yaml'), YAML);
      expect(await loadMatrices(dir)).toHaveLength(1);
      await writeFile(path.join(dir, 'b.yaml'), YAML.replace('name: one', 'name: two'));
      await expect(loadMatrices(dir)).rejects.toMatchObject({
        message: expect.stringContaining('run occurs twice'),
      });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });

  it('of the package is sound, and has a place in the pages of the repository', async () => {
    const matrices = await loadMatrices(shippedMatrices());
    const names = matrices.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['acts', 'thresholds', 'retrieval']));
    expect((await pagesOf(names, path.join(import.meta.dirname, '../..'))).size).toBe(names.length);
    for (const { runs } of matrices) {
      for (const run of runs) {
        const parts = [...run.before, run.command].flat().join(' ');
        expect(parts.includes('{data}')).toBe(run.needs.length > 0);
        if (run.result !== 'stdout') expect(parts).toContain('{out}');
        expect(parts.replaceAll(/\{(data|out|shared)\}/g, '')).not.toMatch(/[{}]/);
      }
    }
  });
});

describe('a verdict', () => {
  const row = { expected: 0.91, ok: 0.005, okish: 0.02 };

  it.each([
    [0.91, 'OK'],
    [0.915, 'OK'],
    [0.905, 'OK'],
    [0.9050001, 'OK'],
    [0.9049, 'OKish'],
    [0.93, 'OKish'],
    [0.89, 'OKish'],
    [0.8899, 'FAIL'],
    [0.9301, 'FAIL'],
    [null, 'FAIL'],
  ])('on %s is %s', (found, verdict) => {
    expect(verdictOf(row, found)).toBe(verdict);
  });

  it('is NEW where nothing is claimed, and FAIL where there is no figure either', () => {
    const open = { ...row, expected: null };
    expect([verdictOf(open, 0.5), verdictOf(open, null)]).toEqual(['NEW', 'FAIL']);
  });

  it('may ask for the very figure', () => {
    const exact = { expected: 0.3, ok: 0, okish: 0 };
    expect([verdictOf(exact, 0.1 + 0.2), verdictOf(exact, 0.3001)]).toEqual(['OK', 'FAIL']);
  });
});

describe('a path into a result', () => {
  const result = {
    list: [
      { name: 'a', n: 1, x: [5] },
      { name: 'b', n: 2 },
      { name: 'b', n: 3 },
    ],
    'R@1': '0.5',
  };

  it.each([
    [['list', { name: 'a' }, 'x', 0], 5],
    [['list', { name: 'b', n: 3 }, 'n'], 3],
    [['list', { name: 'b' }, 'n'], null],
    [['list', { name: 'c' }, 'n'], null],
    [['list', 7, 'n'], null],
    [['R@1'], null],
    [['constructor', 'length'], null],
    [['list', 'length'], 3],
    [[{ name: 'a' }], null],
  ])('%j leads to %s', (at, found) => {
    expect(figureAt(result, at as never)).toBe(found);
  });
});

describe('the rows that are asked for', () => {
  const matrix = parseMatrix(YAML, 'one.yaml');
  const ids = (only?: string) =>
    selectRows([matrix, { ...matrix, name: 'two' }], only).flatMap(({ name, runs }) =>
      runs.flatMap(({ rows }) => rows.map(({ id }) => `${name}/${id}`)),
    );

  it.each([
    [undefined, ['one/row', 'two/row']],
    ['one', ['one/row']],
    ['r*w', ['one/row', 'two/row']],
    ['??o, run', ['one/row', 'two/row']],
    ['quick', ['one/row', 'two/row']],
  ])('%s', (only, found) => {
    expect(ids(only)).toEqual(found);
  });

  it.each(['long', 'r.w', '', 'one,nothing'])('"%s" fits nothing', (only) => {
    expect(() => ids(only)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
