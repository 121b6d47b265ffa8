import { describe, expect, it } from 'vitest';
import { baselineOf, judgeOf } from './baseline.ts';
import { planOf } from './plan.ts';
import { testArtifact } from './testing/artifact.ts';

describe('the baseline of an artifact', () => {
  it('has what its test split showed; errors are neither answered nor not', () => {
    const artifact = testArtifact();
    const { hash, all, acts } = baselineOf(artifact);
    expect(hash).toBe(artifact.integrity);
    const byQuestion = { promisedRisk: 0.2, byDocument: null };
    expect(all).toEqual({ n: 1_000, answered: 650, judged: 650, wrong: 55, ...byQuestion });
    expect(acts.FACT).toEqual({ n: 600, answered: 500, judged: 500, wrong: 40, ...byQuestion });
    expect(Object.keys(acts)).toEqual(['FACT', 'QUANTITY']);
  });

  it('promises no risk where coverage was promised', () => {
    const { all, acts } = baselineOf(testArtifact({ target: 'coverage', delta: null }));
    expect([all.promisedRisk, acts.FACT!.promisedRisk]).toEqual([null, null]);
  });

  it('promises no risk where that is promised by document: a stream has questions', () => {
    const { all, acts } = baselineOf(testArtifact({ exchangeable: 'documents' }));
    expect([all.promisedRisk, acts.FACT!.promisedRisk]).toEqual([null, null]);
    const { watches } = planOf({ hash: 'h', all, acts }, { alpha: 0.1, least: 30, slack: 0 });
    expect(new Set(watches.map(({ against }) => against))).toEqual(new Set(['realised']));
  });

  it('has the means over documents where these are exchangeable', () => {
    const coverage = { documents: 15, value: 0.7, low: 0.5, high: 0.85 };
    const risk = { documents: 14, value: 0.1, low: 0.02, high: 0.3 };
    const plain = testArtifact();
    const test = { ...plain.global.test, byDocument: { coverage, risk, silence: null } };
    const change = { global: { ...plain.global, test } };
    const { all } = baselineOf(testArtifact({ ...change, exchangeable: 'documents' }));
    expect(all.byDocument).toEqual({ coverage, risk, failed: 5 });
    expect(baselineOf(testArtifact(change)).all.byDocument).toBeNull();
  });

  it('promises nothing to an act that borrows its threshold', () => {
    const rungs = (quantity: 'parent' | 'global', fact: 'act' | 'global') =>
      baselineOf(
        testArtifact({
          acts: testArtifact().acts.map((row) =>
            row.act === 'QUANTITY'
              ? { ...row, rung: quantity }
              : row.act === 'FACT'
                ? { ...row, rung: fact }
                : row,
          ),
        }),
      );
    const mixed = rungs('parent', 'act');
    expect(
      [mixed.all, mixed.acts.FACT!, mixed.acts.QUANTITY!].map(({ promisedRisk }) => promisedRisk),
    ).toEqual([null, 0.2, null]);
    expect(rungs('global', 'global').all.promisedRisk).toBe(0.2);
  });
});

describe('the judge of an artifact', () => {
  const places = [{ docId: 'd', passageId: 'd#0' }];
  const answer = {
    span: 'in 1666',
    shown: { form: 'span' as const, text: 'in 1666', verdict: null, places },
  };

  it('judges by the rule of the artifact', () => {
    const strict = judgeOf(testArtifact());
    expect(strict(answer, { id: 'a', answers: ['In 1666!'] })).toBe(false);
    expect(strict(answer, { id: 'a', answers: ['1666'] })).toBe(true);
    const lax = judgeOf(testArtifact({ wrong: { kind: 'f1', least: '0.5' } }));
    expect(lax(answer, { id: 'a', answers: ['1666'] })).toBe(false);
  });

  it('knows that nothing should have been answered, and where the answer stands', () => {
    const judge = judgeOf(testArtifact());
    expect(judge(answer, { id: 'a', answerable: false })).toBe(true);
    expect(judge(answer, { id: 'a', passages: ['d'] })).toBe(false);
    expect(judge(answer, { id: 'a', passages: ['e'] })).toBe(true);
    expect(judge(answer, { id: 'a', answerable: true })).toBeNull();
  });

  it('judges what was shown where the label is about that, and no span that it cannot see', () => {
    const judge = judgeOf(testArtifact());
    const verdict = {
      span: null,
      shown: { form: 'verdict' as const, text: 'Yes. It burnt in 1666.', verdict: 'yes' as const, places },
    };
    expect(judge(verdict, { id: 'a', verdict: 'yes' })).toBe(false);
    expect(judge(verdict, { id: 'a', verdict: 'no' })).toBe(true);
    expect(judge(verdict, { id: 'a', patterns: ['burn(t|ed) in 16\\d\\d'] })).toBe(false);
    expect(judge(verdict, { id: 'a', answers: ['Yes. It burnt in 1666.'] })).toBeNull();
    expect(judge(verdict, { id: 'a', answers: ['x'], action: 'ASK' })).toBe(true);
  });
});
