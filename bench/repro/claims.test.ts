import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../common/testing/packed.ts';
import type { FiguresFile } from '../figures/figures-file.ts';
import { readFigures } from '../figures/figures-file.ts';
import { MEASUREMENTS } from '../figures/measurements.ts';
import { RESULTS, resultNames } from '../figures/pages.ts';
import { type Claim, judgeClaim, loadPapers, type Measured, type Test } from './claims.ts';
import { hashOfFile, knownFiles, loadDataSets } from './data-sets.ts';
import { loadMatrices, parseMatrix, shippedMatrices } from './matrix.ts';

const MATRIX = parseMatrix(
  '{ schema: pragaura.repro/1, name: t, title: T, runs: [{ id: run, command: [x], result: stdout, time: quick, rows: [{ id: a, dataset: d, figure: f, at: [a], expected: .5, ok: .01, okish: .02 }] }] }',
  't.yaml',
);
const REPORT = {
  bare: 0.5,
  interval: { value: 0.5, interval: { low: 0.4, high: 0.6 } },
  flat: { value: 0.5, low: 0.45, high: 0.55 },
  count: { good: 0, of: 30 },
  faults: { tried: 10, harmful: 1 },
  words: 'none',
};
const measured = (found: number | null): Measured => ({
  rows: new Map([
    [
      'a',
      {
        row: MATRIX.runs[0]!.rows[0]!,
        result: found === null ? { found, why: 'it ended with 1' } : { found },
      },
    ],
  ]),
  reports: new Map([['t', { report: REPORT } as FiguresFile]]),
});
const claim = (test: Partial<Test> & Pick<Test, 'is'>, number: number | null = 0.5): Claim => ({
  id: 'c',
  where: 'Table 1',
  claim: 'x',
  number,
  test: { ours: 'y', figure: { row: 'a' }, tolerance: 0, ...test },
});
const at = (...steps: string[]) => ({ measured: 't', at: steps });

describe('a claim', () => {
  it.each([
    ['near', 0.52, 0.02, 'held'],
    ['near', 0.53, 0.02, 'not held'],
    ['least', 0.48, 0.02, 'held'],
    ['least', 0.47, 0.02, 'not held'],
    ['most', 0.52, 0.02, 'held'],
    ['most', 0.53, 0.02, 'not held'],
    ['more', 0.5, 0, 'not held'],
    ['more', 0.51, 0, 'held'],
    ['more', 0.51, 0.02, 'not held'],
    ['less', 0.49, 0, 'held'],
    ['less', 0.49, 0.02, 'not held'],
  ] as const)('%s .5, found %d, tolerance %d: %s', (is, found, tolerance, verdict) => {
    expect(judgeClaim(claim({ is, tolerance }), measured(found))).toMatchObject({
      verdict,
      found,
      gap: null,
    });
  });

  it('that is surely more or less needs all of the interval', () => {
    const interval = (of: number) =>
      judgeClaim(claim({ is: 'more', of, figure: at('interval') }), measured(1)).verdict;
    expect([interval(0.39), interval(0.41)]).toEqual(['held', 'not held']);
  });

  it('knows figures in every form that benches write', () => {
    const found = (name: string) => judgeClaim(claim({ is: 'near', figure: at(name) }), measured(1));
    expect(found('bare')).toMatchObject({ found: 0.5, interval: null });
    expect(found('flat')).toMatchObject({ found: 0.5, interval: { low: 0.45, high: 0.55 } });
    expect(found('count').interval!.high).toBeCloseTo(0.116, 3);
    expect(found('faults').found).toBe(0.1);
  });

  it('about a difference takes one figure from the other, and has no interval', () => {
    const than = { row: 'a' };
    expect(
      judgeClaim(claim({ is: 'most', of: -0.1, figure: at('interval'), than }), measured(0.7)),
    ).toMatchObject({
      verdict: 'held',
      found: expect.closeTo(-0.2),
      interval: null,
    });
  });

  it('is not testable where nothing tests it or its figure is not there, which is a gap', () => {
    const { test: _, ...bare } = claim({ is: 'near' });
    expect(judgeClaim({ ...bare, untestable: 'no model' }, measured(1))).toMatchObject({
      verdict: 'not testable here',
      gap: null,
    });
    const gap = (test: Parameters<typeof claim>[0], found: number | null = 1) =>
      judgeClaim(claim(test), measured(found));
    expect(gap({ is: 'near' }, null)).toMatchObject({
      verdict: 'not testable here',
      gap: 'a: it ended with 1',
    });
    expect(gap({ is: 'near', figure: { measured: 'none', at: ['x'] } }).gap).toBe('none was not measured');
    expect(gap({ is: 'near', figure: at('words') }).gap).toContain('t has no figure at ["words"]');
    expect(gap({ is: 'near', than: at('constructor') }).gap).toContain('t has no figure');
  });

  it('that names a row of no matrix is refused', () => {
    expect(() => judgeClaim(claim({ is: 'near', figure: { row: 'b' } }), measured(1))).toThrow(
      /claim c names the row b/,
    );
  });
});

describe('a file of claims', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'pragaura-claims-'));
    await mkdir(path.join(dir, 'claims'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  const put = (claims: string, name = '000') =>
    writeFile(
      path.join(dir, 'claims', `${name}.yaml`),
      `schema: pragaura.claims/1\npaper: "${name}"\ntitle: T\nclaims: [${claims}]\n`,
    );
  const ONE = '{ id: a, where: w, claim: c, number: 1, untestable: x }';

  it('is optional', async () => {
    expect(await loadPapers(path.join(dir, 'claims'))).toEqual([]);
    expect(await loadDataSets(dir)).toEqual([]);
  });

  it.each([
    ['neither a test nor a reason', '{ id: a, where: w, claim: c, number: 1 }'],
    [
      'both',
      '{ id: a, where: w, claim: c, number: 1, untestable: x, test: { ours: o, figure: { row: r }, is: near } }',
    ],
    [
      'a test without a number',
      '{ id: a, where: w, claim: c, number: null, test: { ours: o, figure: { row: r }, is: near } }',
    ],
    ['an unknown key', '{ id: a, where: w, claim: c, number: 1, untestable: x, tolerance: 1 }'],
    ['no claim', ''],
  ])('with %s is refused', async (_, claims) => {
    await put(claims);
    await expect(loadPapers(dir)).rejects.toMatchObject({ code: 'CONFIGURATION' });
  });

  it('may not use an id of another', async () => {
    await put(ONE);
    await put(ONE, '001');
    await expect(loadPapers(dir)).rejects.toMatchObject({
      message: expect.stringContaining('claim a occurs'),
    });
  });
});

describe("the repository's own claims and data sets", () => {
  it('are of five papers, and each names a row, or a figure that its result file has', async () => {
    const matrices = await loadMatrices(shippedMatrices());
    const rows = matrices.flatMap(({ runs }) =>
      runs.flatMap((run) => run.rows.map((row) => [row.id, { row, result: { found: 1 } }] as const)),
    );
    const reports = new Map<string, FiguresFile>();
    for (const name of await resultNames(ROOT)) {
      reports.set(name, await readFigures(path.join(ROOT, RESULTS, `${name}.json`)));
    }
    const papers = await loadPapers(shippedMatrices());
    expect(papers.map(({ paper }) => paper)).toEqual(['000', '001', '002', '003', '004']);
    for (const { paper, claims } of papers) {
      for (const each of claims) {
        expect(each.id.startsWith(`${paper}-`), each.id).toBe(true);
        const { gap } = judgeClaim(each, { rows: new Map(rows), reports });
        if (gap === null) continue;
        // Only what no result file has yet.
        const name = each.test!.figure;
        expect('measured' in name && Object.hasOwn(MEASUREMENTS, name.measured), `${each.id}: ${gap}`).toBe(
          true,
        );
        expect(gap, each.id).toMatch(/was not measured$|firstLook/);
      }
    }
  });

  it('know every file that a row or a table needs', async () => {
    const known = knownFiles(await loadDataSets(shippedMatrices()));
    const matrices = await loadMatrices(shippedMatrices());
    const needs = [
      ...matrices.flatMap(({ runs }) => runs.flatMap((run) => run.needs)),
      ...Object.values(MEASUREMENTS).flatMap(({ measured: each }) => each?.needs ?? []),
    ];
    expect(needs.filter((file) => !known.has(file))).toEqual([]);
  });

  it('hash files', async () => {
    expect(await hashOfFile(ROOT, 'no-such-file')).toBeNull();
    expect(await hashOfFile(ROOT, 'bench')).toBeNull();
    const sha256 = createHash('sha256').update(await readFile(path.join(ROOT, 'package.json')));
    expect(await hashOfFile(ROOT, 'package.json')).toBe(sha256.digest('hex'));
  });
});
