import { describe, expect, it } from 'vitest';
import type { Dataset } from '../datasets/types.ts';
import { render, reportOn } from './report.ts';
import type { QueryResult } from './stages.ts';

const query = (id: string, relevant: [string, number][]) => ({
  id,
  query: `question ${id}`,
  answers: [],
  relevant: relevant.map(([docId, grade]) => ({ docId, grade })),
  group: id,
});

const spent = (docsScored: number) => ({ docsScored, rerankPairs: 1, nliPairs: 0, contextTokens: 5 });

function result(id: string, uniform: string[], act: string[], more: Partial<QueryResult> = {}): QueryResult {
  return {
    id,
    act: 'FACT',
    confident: true,
    rankings: { lexical: uniform, 'fused, uniform': uniform, 'fused, act': act },
    spent: { uniform: spent(10), act: spent(10) },
    ...more,
  };
}

function dataset(queries: Dataset['queries']): Dataset {
  const ids = ['a', 'b', 'c'];
  const documents = ids.map((docId) => ({ docId, title: '', text: docId, source: 'test' }));
  return { name: 'test', about: 'made up', documents, queries };
}

describe('reportOn', () => {
  it('has every stage that was run and the difference of the policies', () => {
    const set = dataset([query('1', [['a', 1]]), query('2', [['b', 1]])]);
    const report = reportOn(set, [result('1', ['a'], ['a', 'b']), result('2', ['c', 'b'], ['b'])], []);
    expect(report.stages.map(({ stage }) => stage)).toEqual(['lexical', 'fused, uniform', 'fused, act']);
    expect(report.stages[1]!.metrics).toMatchObject({
      'R@1': { n: 2, mean: 0.5 },
      'R@10': { mean: 1 },
      'MRR@10': { mean: 0.75 },
    });
    const [first] = report.differences;
    expect(first).toMatchObject({
      a: 'fused, act',
      b: 'fused, uniform',
      metric: 'R@1',
      difference: { n: 2, mean: 0.5, aHigher: 1, bHigher: 0 },
    });
    expect(report.differences).toHaveLength(3);
  });

  it('takes nDCG for graded sets and both@k where two documents are needed', () => {
    const graded = reportOn(dataset([query('1', [['a', 4]])]), [result('1', ['a'], ['b', 'a'])], []);
    expect(graded.stages[2]!.metrics['nDCG@10']!.mean).toBeCloseTo(1 / Math.log2(3), 12);
    const two = dataset([
      query('1', [
        ['a', 1],
        ['b', 1],
      ]),
    ]);
    const pairs = reportOn(
      two,
      [result('1', ['a', 'c', 'b'], ['a', 'b'])],
      [
        {
          name: 'other',
          rankings: new Map([
            ['1', ['c', 'b', 'a']],
            ['not asked', ['a']],
          ]),
        },
      ],
    );
    expect(
      pairs.stages.map(({ stage, metrics }) => [stage, metrics['both@2']!.mean, metrics['both@10']!.mean]),
    ).toEqual([
      ['lexical', 0, 1],
      ['fused, uniform', 0, 1],
      ['fused, act', 1, 1],
      ['other', 0, 1],
    ]);
  });

  it('compares what the policies spent and counts queries that differ', () => {
    const set = dataset([query('1', [['a', 1]]), query('2', [['a', 1]])]);
    const unequal = result('2', ['a'], ['a'], {
      spent: { uniform: spent(10), act: spent(7) },
      confident: false,
    });
    const report = reportOn(set, [result('1', ['a'], ['a']), unequal], []);
    expect(report.spent.uniform.docsScored).toBe(20);
    expect(report.spent.act.docsScored).toBe(17);
    expect(report.spent.unequal).toEqual({ docsScored: 1, rerankPairs: 0, nliPairs: 0, contextTokens: 0 });
    expect([report.acts, report.unsure]).toEqual([{ FACT: 2 }, 1]);
  });

  it('shows queries without judgments as unscored instead of dropping them', () => {
    const set = dataset([query('1', [['a', 1]]), query('2', [])]);
    const report = reportOn(set, [result('1', ['a'], ['a']), result('2', ['a'], ['a'])], []);
    expect(report.stages[0]!.metrics['R@1']).toMatchObject({ n: 2, unscored: 1, mean: 1, low: 0.5, high: 1 });
    expect(render(report)).toContain('2 (1 unscored)');
  });
});
