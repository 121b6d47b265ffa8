import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parse as parseHtml } from 'parse5';
import { afterAll, describe, expect, it } from 'vitest';
import { evaluateObservations } from '../evaluation/evaluate.ts';
import { byEntailment, type Made, observed } from '../evaluation/testing/observations.ts';
import { Evaluation } from '../evaluation/types.ts';
import { checkComparable, comparedSections, comparisonFiles, type Named, readEvaluation } from './compare.ts';
import { csvOf } from './csv.ts';
import { spendingOf } from './figures/frontier.ts';
import { series } from './figures/theme.ts';
import { headline, sectionsOf } from './sections.ts';
import { textOf } from './text.ts';
import { checkFolder, type Part, reportFiles, writeParts } from './write-report.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const EVIL = '</title><script>alert(1)</script>"\u001b[31m';

const made: Made[] = Array.from({ length: 40 }, (_, i) => ({
  id: i === 0 ? `=cmd(),"${EVIL}\n` : `q${i}`,
  group: `g${i % 5}`,
  act: i % 3 === 0 ? 'QUANTITY' : 'FACT',
  u: i / 40,
  right: (i * 7) % 10 > i / 8,
  support: 0.5 + i / 80,
}));
const observations = made.map(observed);
const thresholds = byEntailment(0.5);
const { evaluation, graded } = evaluateObservations(observations, thresholds, {
  resamples: 50,
  remarks: [EVIL],
  rankers: [{ name: EVIL, about: EVIL, uncertainty: () => 0 }],
  promised: {
    target: 'risk',
    level: '0.3',
    delta: '0.1',
    ask: null,
    exchangeable: 'questions',
    pools: [{ acts: ['FACT'], tau: 0.5, askUpTo: null }],
  },
});

const named = (parts: readonly Part[]) => new Map(parts.map(({ name, text }) => [name, text]));
const files = named(await reportFiles(evaluation, graded));

interface Node {
  nodeName: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Node[];
}
const nodesOf = (node: Node): Node[] => [node, ...(node.childNodes ?? []).flatMap(nodesOf)];

describe('report', () => {
  it('writes every number, the tables, the figures and the page', () => {
    expect([...files.keys()].sort()).toEqual([
      'ablation.svg',
      'abstentions.csv',
      'acts.csv',
      'curves.csv',
      'guarantee.csv',
      'metrics.json',
      'observations.ndjson',
      'queries.csv',
      'rankings.csv',
      'reliability.csv',
      'reliability.svg',
      'report.html',
      'risk-coverage.svg',
      'selective-accuracy.svg',
      'selective.csv',
      'summary.csv',
      'uncertainty-by-act.svg',
      'unsupported.svg',
    ]);
    expect(Evaluation.parse(JSON.parse(files.get('metrics.json')!))).toEqual(evaluation);
  });

  it('holds no script, no handler and no address on the page, whatever names say', () => {
    const nodes = nodesOf(parseHtml(files.get('report.html')!) as unknown as Node);
    const names = new Set(nodes.map(({ nodeName }) => nodeName));
    for (const name of ['script', 'iframe', 'link', 'img', 'object', 'foreignObject'])
      expect(names).not.toContain(name);
    const attributes = nodes.flatMap(({ attrs = [] }) => attrs);
    expect(attributes.filter(({ name }) => /^on/i.test(name) || /href$|^src$/i.test(name))).toEqual([]);
    expect(
      attributes.filter(({ value }) => /https?:/.test(value) && !value.startsWith('http://www.w3.org/')),
    ).toEqual([]);
    expect([...files].filter(([name, text]) => /svg|html/.test(name) && text.includes('\u001b'))).toEqual([]);
    expect(nodes.filter(({ nodeName }) => nodeName === 'svg')).toHaveLength(6);
  });

  it('gives each drawing ids of its own, and every reference leads somewhere', () => {
    const html = files.get('report.html')!;
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    const used = [...html.matchAll(/url\(#([^)]+)\)/g)].map(([, id]) => id!);
    for (const id of used) expect(ids).toContain(id);
  });

  it('draws the same twice', async () => {
    const again = named(await reportFiles(evaluation, graded));
    expect([...again].filter(([name, text]) => files.get(name) !== text).map(([name]) => name)).toEqual([]);
  });

  it('has a row a query, and the figures of the evaluation in the tables', () => {
    const rows = parse(files.get('queries.csv')!, { columns: true }) as Record<string, string>[];
    expect(rows).toHaveLength(40);
    expect(rows[0]!.id).toBe(`'${made[0]!.id}`);
    const right = rows.filter(({ action, em }) => action === 'ANSWER' && em === '1').length;
    expect(right / rows.filter(({ action }) => action === 'ANSWER').length).toBeCloseTo(
      evaluation.answered.em.value!,
      12,
    );
    const summary = parse(files.get('summary.csv')!, { columns: true }) as Record<string, string>[];
    expect(Number(summary.find(({ figure }) => figure === 'coverage')!.value)).toBe(
      evaluation.coverage.value,
    );
  });

  it('counts an error as not answered, in the text, the tables and beside others', async () => {
    const answered = Array.from({ length: 8 }, (): Made => ({ u: 0.1 }));
    const { evaluation: failed } = evaluateObservations(
      [...answered, { error: 'INTERNAL' }].map(observed),
      thresholds,
      {
        resamples: 50,
      },
    );
    const text = textOf(headline(failed), failed.remarks, sectionsOf(failed));
    expect(text).toMatch(/^coverage +9 +0\.889 /m);
    expect(text).toContain('They are not answered');
    const parts = named(await reportFiles(failed));
    expect(parts.get('summary.csv')).toMatch(/^coverage,0\.888/m);
    const two = ['a', 'b'].map((name) => ({ name, evaluation: failed }));
    expect(comparedSections(two)[0]!.table!.rows[0]![1]).toMatch(/^0\.889 /);
    expect(named(await comparisonFiles(two)).get('comparison.csv')).toMatch(/^a,CALIBRATED,0\.888/m);
  });

  it('prints text without what a terminal would obey', () => {
    const text = textOf(headline(evaluation), evaluation.remarks, sectionsOf(evaluation));
    expect(text).not.toContain('\u001b');
    expect(text).toContain('Promised and realised');
    expect(text).toMatch(/AURC \d\.\d{3} = \d\.\d{3} that the errors of the candidates cost/);
  });

  it.each([
    ['one query', [{ u: 0.1 }]],
    ['errors only', [{ error: 'INTERNAL' }]],
    ['no labels', [{ label: { answers: [] } }]],
    [
      'all wrong, nothing answered',
      [
        { right: false, u: 0.9 },
        { right: false, u: 0.9 },
      ],
    ],
    ['no features', [{ u: null, closed: 'NO_RESULTS' as const }]],
  ])('can be made of %s', async (_, items: Made[]) => {
    const { evaluation: lean } = evaluateObservations(items.map(observed), null, { resamples: 100 });
    const parts = named(await reportFiles(lean));
    expect(parts.get('risk-coverage.svg')).toMatch(/^<svg /);
    for (const [name, text] of parts)
      expect({ name, wrong: /NaN|undefined|Infinity/.test(text) }).toEqual({ name, wrong: false });
  });
});

describe('csvOf', () => {
  it('quotes, leaves the unknown empty, and disarms formulas', () => {
    const table = {
      name: 't',
      columns: ['a', 'b,c'],
      rows: [
        ['=1+1', null],
        ['say "hi"', -1],
        ['x\ny', true],
      ],
    };
    expect(csvOf(table)).toBe('a,"b,c"\r\n\'=1+1,\r\n"say ""hi""",-1\r\n"x\ny",true\r\n');
  });
});

describe('series', () => {
  it('tells forty apart by any two of colour, dash and shape', () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`);
    const { color, strokeDash, shape } = series(names);
    const ranges = [color, strokeDash, shape].map(({ scale }) => scale.range.map((value) => String(value)));
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      const pairs = names.map((_, i) => `${ranges[a]![i]} ${ranges[b]![i]}`);
      expect(new Set(pairs).size).toBe(40);
    }
  });
});

describe('comparison', () => {
  const spent = (evaluation: Evaluation, mean: number): Evaluation => ({
    ...evaluation,
    spent: { docsScored: { mean, p95: mean, budget: 60 } },
  });
  const { evaluation: better } = evaluateObservations(
    observations.map((each) => ({ ...each, candidate: { ...each.candidate!, text: 'gold' } })),
    thresholds,
    { resamples: 50 },
  );
  const three: Named[] = [
    { name: 'cheap', evaluation: spent(evaluation, 20) },
    { name: EVIL, evaluation: spent(better, 40) },
    { name: 'wasteful', evaluation: spent(evaluation, 60) },
  ];

  it('puts on the frontier what nobody beats', () => {
    expect(spendingOf(three).map(({ frontier }) => frontier)).toEqual([true, true, false]);
    expect(spendingOf([three[0]!, { ...three[0]!, name: 'twin' }]).map(({ frontier }) => frontier)).toEqual([
      true,
      true,
    ]);
  });

  it('draws and tells, names being no more than names', async () => {
    const parts = named(await comparisonFiles(three));
    expect([...parts.keys()].sort()).toEqual([
      'compared-areas.svg',
      'compared-risk-coverage.svg',
      'comparison.csv',
      'comparison.html',
      'frontier.csv',
      'frontier.svg',
    ]);
    const nodes = nodesOf(parseHtml(parts.get('comparison.html')!) as unknown as Node);
    expect(nodes.filter(({ nodeName }) => nodeName === 'script')).toEqual([]);
    expect(nodes.filter(({ nodeName }) => nodeName === 'svg')).toHaveLength(3);
  });

  it('refuses one alone, two of a name, another test, another rule', () => {
    const [one] = three as [Named];
    const refuses = (others: Named[], why: RegExp) =>
      expect(() => checkComparable([one, ...others])).toThrow(why);
    refuses([], /nothing to compare/);
    refuses([one], /Two evaluations are called cheap/);
    refuses([{ name: 'b', evaluation: { ...one.evaluation, test: 'other' } }], /another test/);
    const settings = { ...one.evaluation.settings, rule: { kind: 'f1' as const, least: '0.5' } };
    refuses([{ name: 'b', evaluation: { ...one.evaluation, settings } }], /another rule/);
    expect(() => checkComparable(three)).not.toThrow();
  });

  it('reads what was written, and refuses what is none', async () => {
    const dir = join(folder, 'written');
    await writeParts(dir, await reportFiles(evaluation));
    expect(await readEvaluation(`${dir}/`)).toEqual({ name: 'written', evaluation });
    expect(readdirSync(dir).filter((name) => name.endsWith('.part'))).toEqual([]);
    await expect(readEvaluation(join(folder, 'missing'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    writeFileSync(
      join(dir, 'metrics.json'),
      readFileSync(join(dir, 'metrics.json'), 'utf8').replace('evaluation/2', 'evaluation/9'),
    );
    await expect(readEvaluation(dir)).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
  });

  it('leaves no page beside figures of another making, wherever the writing ends', async () => {
    const dir = join(folder, 'broken');
    const page = { name: 'report.html', text: 'old' };
    await writeParts(dir, [{ name: 'metrics.json', text: 'old' }, page]);
    const cut = [{ name: 'metrics.json', text: 'new' }, { name: 'no/folder.csv', text: '' }, page];
    await expect(writeParts(dir, cut)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(readdirSync(dir)).toEqual(['metrics.json']);
    expect(readFileSync(join(dir, 'metrics.json'), 'utf8')).toBe('new');
  });

  it('says before anything is measured that a folder cannot be written', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    await expect(checkFolder(file)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    await checkFolder(join(folder, 'new'));
    expect(readdirSync(join(folder, 'new'))).toEqual([]);
  });
});
