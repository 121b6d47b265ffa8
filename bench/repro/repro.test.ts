/** The command on data sets of a few lines, with the real program in processes of its own. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAIN } from '../../cli/testing/cli.ts';
import { installSignals } from '../../common/index.ts';
import { parseMatrix } from './matrix.ts';
import { mergeResults, resultsFile } from './results.ts';
import { type ReproOptions, runRepro } from './run.ts';

const SET = 'squad/squad11-dev-articles-a.tsv.gz';
const TEXTS = [
  'The lighthouse of Aldmere was built in 1874 by Ada Brook.',
  'The harbour of Aldmere freezes in January and opens again in March.',
  'Corn, barley and rye are grown on the plain south of the river Wend.',
];
const ROWS = [
  ['Who built the lighthouse of Aldmere?', 0, 'Ada Brook'],
  ['When does the harbour of Aldmere freeze?', 1, 'in January'],
  ['What is grown south of the river Wend?', 2, 'Corn, barley and rye'],
] as const;

let root: string;
let options: ReproOptions;
let said: string[];

const matrix = (rows: string, change = '') => `
schema: pragaura.repro/1
name: tiny
title: A tiny set
runs:
  - id: tiny
    command: [bench, retrieval, --sets, articles-a, --rerank-limit, "0", --data, "{data}", --out, "{out}", --cache, "{out}/index"]
    result: retrieval-articles-a.json
    needs: [${SET}${change}]
    time: quick
    rows:
${rows}`;
const row = (id: string, expected: number, stage = 'lexical') =>
  `      - { id: ${id}, dataset: tiny, figure: R@10, at: [stages, { stage: ${stage} }, metrics, R@10, mean], expected: ${expected}, ok: .01, okish: .1 }\n`;
const put = (text: string) => writeFile(path.join(options.matrix, 'tiny.yaml'), text);

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'pragaura-repro-'));
  const lines = ROWS.map(([query, place, answer]) =>
    ['1', query, TEXTS[place], `q${place}`, `Aldmere${place}#0`, TEXTS[place], answer].join('\t'),
  );
  const header = 'label\tquery\tpassage\tqid\tdocid\tanswer_sentence\tanswers';
  await mkdir(path.join(root, 'data', 'squad'), { recursive: true });
  await mkdir(path.join(root, 'matrix'));
  await writeFile(path.join(root, 'data', SET), gzipSync(`${[header, ...lines].join('\n')}\n`));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(() => {
  said = [];
  options = {
    matrix: path.join(root, 'matrix'),
    data: path.join(root, 'data'),
    folder: path.join(root, 'runs'),
    only: undefined,
    list: false,
    json: true,
    fresh: false,
    update: null,
    main: MAIN,
    say: (line) => said.push(line),
  };
});
const records = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('pragaura repro', () => {
  it('runs a command once for all its rows, and says OK, OKish and FAIL', async () => {
    await put(matrix(row('good', 1) + row('near', 0.95) + row('far', 0.5) + row('none', 1, 'nothing')));
    const { text, exitCode } = await runRepro(options);
    expect(records(text).map(({ id, found, verdict }) => [id, found, verdict])).toEqual([
      ['good', 1, 'OK'],
      ['near', 1, 'OKish'],
      ['far', 1, 'FAIL'],
      ['none', null, 'FAIL'],
    ]);
    expect(exitCode).toBe(1);
    expect(said.filter((line) => line.startsWith('tiny: pragaura bench retrieval'))).toHaveLength(1);
  });

  it('does not run again what was run, unless that is wanted or something has changed', async () => {
    await put(matrix(row('good', 1) + row('near', 0.95)));
    const { text, exitCode } = await runRepro({ ...options, json: false });
    expect(text).toMatch(/OK +good .* 1\.000 +1\.000\n/);
    expect(text).toContain('2 rows: 1 OK, 1 OKish');
    expect(exitCode).toBe(0);
    expect(said).toEqual(['tiny: as run before']);
    await put(matrix(row('good', 1)).replace('"0", --data', '"0", --titles, --data'));
    await runRepro(options);
    expect(said[1]).toContain('--titles');
    await put(matrix(row('good', 1)));
    await runRepro({ ...options, fresh: true });
    expect(said[2]).toContain('pragaura bench');
  });

  it('says what is missing, and what went wrong', async () => {
    await put(matrix(row('good', 1), ', squad/none.json'));
    const missing = await runRepro(options);
    expect(records(missing.text)[0]).toMatchObject({ verdict: 'MISSING', why: 'no squad/none.json' });
    expect([missing.exitCode, said]).toEqual([66, []]);
    await put(matrix(row('good', 1)).replace('--sets, articles-a', '--sets, none'));
    const failed = await runRepro(options);
    expect(records(failed.text)[0]).toMatchObject({ verdict: 'FAIL', why: 'pragaura bench ended with 2' });
    expect(failed.exitCode).toBe(1);
    await put(matrix(row('good', 1)).replace('result: retrieval-articles-a.json', 'result: stdout'));
    expect(records((await runRepro(options)).text)[0].why).toMatch(/stdout cannot be read/);
  });

  it('runs what comes before, and stops where that fails', async () => {
    const before = '    before: [[classify, --window, "0"]]\n    command: [bench';
    await put(matrix(row('good', 1)).replace('    command: [bench', before));
    expect(records((await runRepro(options)).text)[0].why).toBe('pragaura classify ended with 2');
    expect(said).toEqual(['tiny: pragaura classify --window 0']);
  });

  describe('with --update', () => {
    let pages: string;
    beforeEach(async () => {
      pages = await mkdtemp(path.join(root, 'pages-'));
      await put(matrix(row('good', 1) + row('far', 0.5)));
      await rm(resultsFile(options.matrix, 'tiny'), { force: true });
      await writeFile(path.join(pages, 'DESIGN.md'), '');
      await writeFile(path.join(pages, 'README.md'), '# x\n<!-- figures:tiny -->\n<!-- /figures:tiny -->\n');
    });
    const page = () => readFile(path.join(pages, 'README.md'), 'utf8');
    const kept = async () => JSON.parse(await readFile(resultsFile(options.matrix, 'tiny'), 'utf8')).rows;

    it('writes tables between markers, with every row of a run, and the same again', async () => {
      await runRepro({ ...options, update: pages, only: 'good' });
      const written = await page();
      expect(written).toContain('| tiny | R@10 | 1.000 | 1.000 | OK |');
      expect(written).toContain('| tiny | R@10 | .500 | 1.000 | FAIL |');
      expect(written).toContain(
        '- tiny: `pragaura bench retrieval --sets articles-a --rerank-limit 0 --cache {out}/index`',
      );
      expect(said.at(-1)).toBe(`written: ${resultsFile(options.matrix, 'tiny')}, README.md`);
      await runRepro({ ...options, update: pages });
      expect(await page()).toBe(written);
      expect(said.at(-1)).toBe('The pages say so already.');
    });

    it('keeps what was found before of runs that are not run now, judged by what is expected now', async () => {
      const other = matrix(row('old', 0.8) + row('new', 1)).slice(matrix('').indexOf('  - id: tiny'));
      await put(matrix(row('good', 1)) + other.replace('- id: tiny', '- id: other'));
      await mergeResults(options.matrix, parseMatrix(matrix(row('old', 0.5) + row('gone', 1)), 'tiny.yaml'), {
        rows: new Map([
          ['old', { found: 0.75 }],
          ['gone', { found: 1 }],
        ]),
        runs: new Map(),
      });
      await runRepro({ ...options, update: pages, only: 'good' });
      expect(await kept()).toEqual({ good: { found: 1 }, old: { found: 0.75 } });
      expect(await page()).toContain('| tiny | R@10 | .800 | .750 | OKish |');
      expect(await page()).toContain('| tiny | R@10 | 1.000 | – | not run |');
    });

    it('writes the pages again without running, where it only lists', async () => {
      await runRepro({ ...options, update: pages });
      await put(matrix(row('good', 0.8) + row('far', 0.5)));
      said.length = 0;
      const { text } = await runRepro({ ...options, update: pages, list: true });
      expect(records(text)).toHaveLength(2);
      expect(await page()).toContain('| tiny | R@10 | .800 | 1.000 |');
      expect(said).toEqual(['written: README.md']);
    });

    it('keeps a failure in place of a figure, and a figure where files are missing', async () => {
      await runRepro({ ...options, update: pages });
      await put(matrix(row('good', 1), ', squad/none.json'));
      await runRepro({ ...options, update: pages });
      expect(await kept()).toEqual({ good: { found: 1 } });
      await put(matrix(row('good', 1) + row('none', 1, 'nothing')));
      await runRepro({ ...options, update: pages });
      expect(await kept()).toMatchObject({ none: { found: null, why: 'the result lacks it' } });
      await put(matrix(row('good', 1)).replace('--sets, articles-a', '--sets, none'));
      await runRepro({ ...options, update: pages });
      expect(await kept()).toEqual({ good: { found: null, why: 'pragaura bench ended with 2' } });
      expect(await page()).toContain('| – | FAIL (pragaura bench ended with 2) |');
    });

    it('refuses pages without a place and a damaged file before anything is run', async () => {
      await writeFile(resultsFile(options.matrix, 'tiny'), '{}');
      await expect(runRepro({ ...options, update: pages })).rejects.toMatchObject({ code: 'CONFIGURATION' });
      await rm(resultsFile(options.matrix, 'tiny'));
      await writeFile(path.join(pages, 'README.md'), '# x\n');
      await expect(runRepro({ ...options, update: pages })).rejects.toMatchObject({ code: 'CONFIGURATION' });
      expect(said).toEqual([]);
    });
  });

  it('lists without running', async () => {
    await put(matrix(row('good', 1)));
    const { text, exitCode } = await runRepro({ ...options, list: true, json: false });
    expect([exitCode, said]).toEqual([0, []]);
    expect(text).toContain('tiny (quick): pragaura bench retrieval');
    expect(text).toContain('good  tiny: R@10');
    expect(records((await runRepro({ ...options, list: true })).text)[0]).toMatchObject({
      id: 'good',
      run: 'tiny',
    });
  });

  it('stops when it is interrupted, and stops the command too', async () => {
    await put(matrix(row('good', 1)).replace('id: tiny\n', 'id: slow\n'));
    const signals = installSignals(() => {});
    try {
      const started = runRepro({
        ...options,
        signal: signals.signal,
        say: (line) => {
          said.push(line);
          setTimeout(() => process.emit('SIGINT', 'SIGINT'), 50);
        },
      });
      const { text, exitCode } = await started;
      expect(records(text)[0]).toMatchObject({ verdict: 'NOT_RUN', found: null });
      expect(exitCode).toBe(130);
    } finally {
      signals.dispose();
    }
  });
});
