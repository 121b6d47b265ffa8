/** Everything in pieces, on a set of a few lines, with the real program in processes of its own; and the page of what was kept. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAIN } from '../../cli/testing/cli.ts';
import { installSignals } from '../../common/index.ts';
import { readFigures } from '../figures/figures-file.ts';
import { RESULTS } from '../figures/pages.ts';
import { type AllOptions, listedPieces, piecesOf, readState, runAll } from './all.ts';
import { hashOfFile } from './data-sets.ts';
import { durationOf } from './duration.ts';
import { sectionsOfMarkdown } from './markdown-sections.ts';
import { shippedMatrices } from './matrix.ts';
import { reportPage } from './report.ts';
import { readResults, resultsFile } from './results.ts';

const SET = 'squad/squad11-dev-articles-a.tsv.gz';
const ROWS = [
  ['Who built the lighthouse of Aldmere?', 'The lighthouse of Aldmere was built by Ada Brook.', 'Ada Brook'],
  ['When does the harbour freeze?', 'The harbour of Aldmere freezes in January.', 'in January'],
] as const;

let root: string;
let options: AllOptions;
let said: string[];

const run = (id: string, needs = SET) => `
  - id: ${id}
    command: [bench, retrieval, --sets, articles-a, --rerank-limit, "0", --data, "{data}", --out, "{out}", --cache, "{out}/index"]
    result: retrieval-articles-a.json
    needs: [${needs}]
    time: quick
    rows: [{ id: ${id}-r10, dataset: tiny, figure: R@10, at: [stages, { stage: lexical }, metrics, R@10, mean], expected: 1, ok: .01, okish: .1 }]`;
const put = (...runs: string[]) =>
  writeFile(
    path.join(options.matrix, 'tiny.yaml'),
    `schema: pragaura.repro/1\nname: tiny\ntitle: A tiny set\nruns:${runs.join('')}\n`,
  );
const gaps = async () =>
  Object.fromEntries((await readState(options.folder))!.pieces.map(({ name, gap }) => [name, gap]));

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'pragaura-all-'));
  const lines = ROWS.map(([query, text, answer], place) =>
    ['1', query, text, `q${place}`, `Aldmere${place}#0`, text, answer].join('\t'),
  );
  const header = 'label\tquery\tpassage\tqid\tdocid\tanswer_sentence\tanswers';
  await mkdir(path.join(root, 'data', 'squad'), { recursive: true });
  await writeFile(path.join(root, 'data', SET), gzipSync(`${[header, ...lines].join('\n')}\n`));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  said = [];
  const own = await mkdtemp(path.join(root, 'case-'));
  options = {
    matrix: path.join(own, 'bench', 'repro'),
    root: own,
    data: path.join(root, 'data'),
    folder: path.join(own, 'runs'),
    fresh: false,
    main: MAIN,
    tables: [],
    say: (line) => said.push(line),
  };
  await mkdir(path.join(own, RESULTS), { recursive: true });
  await mkdir(options.matrix, { recursive: true });
});

describe('pragaura repro --all', () => {
  it('says what is to be expected, keeps every piece, and does no piece twice', async () => {
    await put(run('one'));
    options.tables = ['entailment'];
    expect((await runAll(options)).exitCode).toBe(0);
    expect(said[0]).toBe(
      '2 pieces: 2 that nobody timed yet (minutes to hours). Ctrl-C stops it, the same command goes on.',
    );
    const { rows, runs } = await readResults(options.matrix, 'tiny');
    expect(rows.get('one-r10')).toEqual({ found: 1 });
    expect(runs.get('one')).toMatchObject({
      seconds: expect.any(Number),
      data: { [SET]: await hashOfFile(options.data, SET) },
    });
    const table = await readFigures(path.join(options.root, RESULTS, 'entailment.json'));
    expect(table).toMatchObject({
      command: 'pragaura bench entailment --half held --json',
      seconds: expect.any(Number),
    });

    said.length = 0;
    const before = await readFile(resultsFile(options.matrix, 'tiny'), 'utf8');
    expect((await runAll(options)).exitCode).toBe(0);
    expect(said.filter((line) => line.endsWith('as run before'))).toHaveLength(2);
    expect(said[0]).toMatch(/^2 pieces: about \d+ (s|min) for 2\./);
    expect(said.find((line) => line.startsWith('[2/2]'))).toMatch(
      /\d+ (s|min) last time; left: about \d+ (s|min) for 1$/,
    );
    expect(await readFile(resultsFile(options.matrix, 'tiny'), 'utf8')).toBe(before);
    expect(listedPieces(await piecesOf(options))).toMatch(
      /^(one|table-entailment) +\d+ (s|min) {2}pragaura bench/,
    );
  });

  it('passes over what has no data, or data of another content, and goes on', async () => {
    await put(run('other'), run('none', 'squad/none.json'), run('good'));
    options.known = new Map([['squad/none.json', 'a'.repeat(64)]]);
    expect((await runAll(options)).exitCode).toBe(1);
    expect(await gaps()).toEqual({ other: null, none: 'no squad/none.json', good: null });
    options.known = new Map([[SET, 'a'.repeat(64)]]);
    said.length = 0;
    await runAll(options);
    expect((await gaps()).other).toBe(`${SET}: not the file whose terms are known, its hash is another`);
    // What was found of the right file is kept.
    expect((await readResults(options.matrix, 'tiny')).rows.get('other-r10')).toEqual({ found: 1 });
  });

  it('goes on behind a piece that is killed, whose earlier figures stay', async () => {
    await put(run('one'));
    await runAll(options);
    const main = path.join(options.root, 'killed.mjs');
    await writeFile(main, 'process.kill(process.pid, "SIGKILL");\n');
    await put(run('one'), run('two'));
    expect((await runAll({ ...options, main, fresh: true })).exitCode).toBe(1);
    const why = 'pragaura bench ended with SIGKILL, as where memory runs out';
    expect(await gaps()).toEqual({ one: why, two: why });
    const { rows } = await readResults(options.matrix, 'tiny');
    expect([rows.get('one-r10'), rows.get('two-r10')]).toEqual([{ found: 1 }, undefined]);
  });

  it('goes on where it was stopped', async () => {
    await put(run('one'), run('two'));
    const signals = installSignals(() => {});
    try {
      const stopping = (line: string) => {
        said.push(line);
        if (line.startsWith('two: pragaura')) setTimeout(() => process.emit('SIGINT', 'SIGINT'), 50);
      };
      const { exitCode } = await runAll({ ...options, say: stopping, signal: signals.signal });
      expect(exitCode).toBe(130);
    } finally {
      signals.dispose();
    }
    expect(await gaps()).toEqual({ one: null, two: 'stopped before it was done' });
    said.length = 0;
    expect((await runAll(options)).exitCode).toBe(0);
    expect(said).toContain('one: as run before');
    expect(await gaps()).toEqual({ one: null, two: null });
  });
});

describe('pragaura repro --report', () => {
  const page = () => reportPage(options);
  const claims = (text: string) =>
    writeFile(
      path.join(options.matrix, 'claims', '000.yaml'),
      `schema: pragaura.claims/1\npaper: "000"\ntitle: A paper\nclaims:\n${text}\n`,
    );

  it('marks as gaps what was never run, and what the last run left out', async () => {
    await put(run('one'), run('none', 'squad/none.json'));
    await mkdir(path.join(options.matrix, 'claims'));
    await claims(
      '  - { id: 000-a, where: Table 1, claim: "found <b>all</b>", number: 1, test: { ours: R@10, figure: { row: one-r10 }, is: near } }\n' +
        '  - { id: 000-b, where: Table 2, claim: c, number: 2, test: { ours: R@10, figure: { row: none-r10 }, is: near } }\n' +
        '  - { id: 000-c, where: Table 3, claim: c, number: 2, untestable: no model }',
    );
    await runAll(options);
    const { html, summary } = await page();
    expect(summary).toBe('3 claims of 1 papers: 1 held, 0 not held, 2 not testable here');
    expect(html).toContain('<td>no squad/none.json</td>');
    expect(html).toContain('never run: pragaura repro --only none');
    expect(html).toContain('gap: none-r10: it was not run');
    expect(html).toContain('found &lt;b&gt;all&lt;/b&gt;');
    expect(html).toContain('bench figures --measure selective-squad');
  });

  it('marks a damaged file and goes on', async () => {
    await put(run('one'));
    await writeFile(resultsFile(options.matrix, 'tiny'), '{');
    await writeFile(path.join(options.root, RESULTS, 'defaults.json'), '{}');
    const { html } = await page();
    expect(html).toContain('tiny.results.json: no JSON');
    expect(html).toContain('defaults.json is no result file');
  });

  it('marks data of another content', async () => {
    await put(run('one'));
    await mkdir(path.join(options.matrix, 'data'));
    await writeFile(
      path.join(options.matrix, 'data', 'sets.yaml'),
      `schema: pragaura.data/1\nsets: [{ name: Tiny, licence: MIT, files: [{ file: ${SET}, n: "2", sha256: ${'a'.repeat(64)} }] }]\n`,
    );
    const { html } = await page();
    expect(html).toContain('another file than that of Tiny (MIT): its terms are not known');
  });

  it('is one accessible page without network or script, of what the repository holds', async () => {
    const { html } = await reportPage({
      ...options,
      root: process.cwd(),
      matrix: shippedMatrices(),
    });
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)|src=/);
    expect(html.match(/<table/g)!.length).toBe(html.match(/<caption/g)!.length);
    expect(html.match(/<svg/g)!.length).toBe(html.match(/<svg[^>]*><title>/g)!.length);
    expect(html.match(/<h1/g)).toHaveLength(1);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, anchor] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(anchor);
    expect((await reportPage({ ...options, root: process.cwd(), matrix: shippedMatrices() })).html).toBe(
      html,
    );
  });
});

describe('parts of the page', () => {
  it('take tables out of Markdown, with the sentence before as a caption', () => {
    const [first, second, ...more] = sectionsOfMarkdown(
      'T',
      '**Set**\n\n| a | b |\n| --- | ---: |\n| `x` | 1 |\n\nBetween.\n\n| c |\n| --- |\n| [y](z.md) |\n\nEnd.',
    );
    expect(first).toMatchObject({
      title: 'T',
      level: 3,
      table: { caption: 'Set', head: ['a', 'b'], rows: [['x', '1']] },
    });
    expect(second).toMatchObject({ title: null, table: { caption: 'Between.', head: ['c'], rows: [['y']] } });
    expect(more).toMatchObject([{ title: null, table: null, notes: ['End.'] }]);
  });

  it.each([
    [40.4, '40 s'],
    [90, '2 min'],
    [3570, '1 h 0 min'],
    [4800, '1 h 20 min'],
  ])('say %d seconds as %s', (seconds, text) => expect(durationOf(seconds)).toBe(text));
});
