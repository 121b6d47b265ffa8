/** Tables of the pages: what their result files say, or named with file and line. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../common/testing/packed.ts';
import { commandTyped, keepFigures } from './figures-file.ts';
import { RESULTS, staleFigures, tablesByHand, writeFigures } from './pages.ts';
import { type Shipped, shippedModels } from './shipped.ts';
import { staleWay, WAY, writeWay } from './way.ts';

const ROW = {
  job: 'relevance',
  label: 'here',
  n: 2,
  median: 0,
  p99: 0.5,
  max: 0.5,
  beyond: 1,
  others: null,
  accuracy: 0.5,
  lost: 0,
  rate: 12,
};
const SHIPPED: Shipped = { rerank: { name: 'ours', sha256: 'a'.repeat(64) } };
const measured = (sha256 = 'a'.repeat(64), report: unknown = [ROW]) => ({
  models: { rerank: `ours@${sha256}` },
  data: { items: 'b'.repeat(64) },
  report,
});

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-figures-'));
  await mkdir(path.join(dir, RESULTS), { recursive: true });
  await mkdir(path.join(dir, 'docs'));
  await writeFile(path.join(dir, 'README.md'), '# Here\n');
  await writeFile(path.join(dir, 'DESIGN.md'), '# Why\n');
  await writeFile(
    path.join(dir, 'docs/arithmetic.md'),
    '# Arithmetic\n\n<!-- figures:arithmetic-float -->\n<!-- /figures:arithmetic-float -->\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n',
  );
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const page = () => readFile(path.join(dir, 'docs/arithmetic.md'), 'utf8');
const result = (name = 'arithmetic-float') => path.join(dir, RESULTS, `${name}.json`);

describe('tables of the pages', () => {
  it('are written from result files, with the command, the day and the models, once', async () => {
    await keepFigures(result(), measured(), new Date('2026-02-03T04:05:06Z'));
    expect(await writeFigures(dir, SHIPPED)).toEqual(['docs/arithmetic.md']);
    expect(await page()).toContain('| here | 2 | 0 | 5.0e-1 | 5.0e-1 | 1 |  | 0.500 | 0.0000 | 12.0 |');
    expect(await page()).toMatch(
      /From `bench\/figures\/measured\/arithmetic-float\.json`: `pragaura.*`, 2026-02-03, .*; rerank ours@a{12}\./,
    );
    expect(await page()).not.toContain('other models');
    expect(await writeFigures(dir, SHIPPED)).toEqual([]);
    expect(await staleFigures(dir, SHIPPED)).toEqual([]);
    const line = (await page()).split('\n').indexOf('| a | b |') + 1;
    expect(await tablesByHand(dir)).toEqual([{ page: 'docs/arithmetic.md', line }]);
  });

  it('that were edited by hand are named with page and line', async () => {
    await keepFigures(result(), measured());
    await writeFigures(dir, SHIPPED);
    const text = await page();
    await writeFile(path.join(dir, 'docs/arithmetic.md'), text.replace('0.500', '0.900'));
    const line = text.split('\n').findIndex((one) => one.includes('0.500')) + 1;
    expect(await staleFigures(dir, SHIPPED)).toEqual([
      {
        page: 'docs/arithmetic.md',
        line,
        what: `figures:arithmetic-float is not ${RESULTS}/arithmetic-float.json`,
      },
    ]);
  });

  it('of other models are stale until they say so', async () => {
    await keepFigures(result(), measured());
    await writeFigures(dir, SHIPPED);
    const now: Shipped = { rerank: { name: 'ours', sha256: 'c'.repeat(64) } };
    expect(await staleFigures(dir, now)).toHaveLength(1);
    await writeFigures(dir, now);
    expect(await page()).toContain(
      `**Made with other models than ship now**: rerank ours@${'a'.repeat(12)}, ships ours@${'c'.repeat(12)}.`,
    );
    expect(await staleFigures(dir, now)).toEqual([]);
  });

  it.each([
    ['no JSON', 'arithmetic-float', () => '{'],
    ['another schema', 'arithmetic-float', (text: string) => text.replace('figures/1', 'figures/0')],
    ['a report of another shape', 'arithmetic-float', (text: string) => text.replace('median', 'middle')],
    ['a name that no table is known for', 'constructor', (text: string) => text],
    ['a name that no page has a place for', 'arithmetic-processors', (text: string) => text],
  ])('are refused for a result file with %s, and none is written', async (_, name, spoil) => {
    await keepFigures(result(name), measured());
    await writeFile(result(name), spoil(await readFile(result(name), 'utf8')));
    const before = await page();
    await expect(writeFigures(dir, SHIPPED)).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining(name),
    });
    expect(await page()).toBe(before);
  });

  it('name commands without places on one machine', () => {
    const typed = [
      'bench',
      'documents',
      '--half',
      'held',
      '--cache',
      '/x/y',
      '--out=/z',
      '--compare',
      '/a/b.json',
    ];
    expect(commandTyped(typed)).toBe('pragaura bench documents --half held --compare b.json');
  });
});

describe('the project', () => {
  it('has the tables that its result files give', async () => {
    expect(await staleFigures(ROOT, await shippedModels())).toEqual([]);
  });

  it('has the picture of the way of a query that the code gives', async () => {
    expect(await staleWay(ROOT)).toEqual([]);
    expect(await staleWay(dir)).toMatchObject([{ page: WAY }]);
    expect(await writeWay(dir)).toEqual([WAY]);
    expect(await writeWay(dir)).toEqual([]);
    expect(await staleWay(dir)).toEqual([]);
  });
});
