import { describe, expect, it } from 'vitest';
import { cholesky, solve } from './cholesky.ts';
import { fitLogistic, standardErrors } from './logistic.ts';

/** Two by two: `a` right and `b` wrong where x = 1, `c` right and `d` wrong where x = 0. */
function table(a: number, b: number, c: number, d: number) {
  const cell = (x: number, right: boolean, n: number) => Array.from({ length: n }, () => ({ x, right }));
  const items = [...cell(1, true, a), ...cell(1, false, b), ...cell(0, true, c), ...cell(0, false, d)];
  return { rows: items.map(({ x }) => Float64Array.of(x)), right: items.map(({ right }) => right) };
}

describe('the logistic regression', () => {
  it('gives the log odds of a table', () => {
    const [intercept, weight] = fitLogistic({ ...table(30, 10, 12, 24), ridge: 1e-9 });
    expect(intercept).toBeCloseTo(Math.log(12 / 24), 3);
    expect(weight).toBeCloseTo(Math.log((30 * 24) / (10 * 12)), 3);
  });

  it('gives the standard errors of a table, copies in one group being no news and few groups no comfort', () => {
    const problem = { ...table(30, 10, 12, 24), ridge: 1e-9 };
    const beta = fitLogistic(problem);
    const alone = problem.rows.map((_, i) => String(i));
    const [, error] = standardErrors(problem, beta, alone);
    // 76 groups of one item: the sandwich is sqrt(76/75) times that of the model.
    const model = Math.sqrt(1 / 30 + 1 / 10 + 1 / 12 + 1 / 24);
    expect(error).toBeCloseTo(model * Math.sqrt(76 / 75), 4);
    // Every item twice, both in one group, is no more than every item once.
    const double = {
      rows: [...problem.rows, ...problem.rows],
      right: [...problem.right, ...problem.right],
      ridge: 1e-9,
    };
    const [, grouped] = standardErrors(double, fitLogistic(double), [...alone, ...alone]);
    expect(grouped).toBeCloseTo(error!, 2);
    const [, two] = standardErrors(
      problem,
      beta,
      problem.rows.map((_, i) => String(i % 2)),
    );
    expect(two).toBeGreaterThan(model - 1e-3);
  });

  it('shrinks to nothing under a heavy penalty, all but the intercept', () => {
    const [intercept, weight] = fitLogistic({ ...table(30, 10, 12, 24), ridge: 1e9 });
    expect(weight).toBeCloseTo(0, 6);
    expect(intercept).toBeCloseTo(Math.log(42 / 34), 3);
  });

  it('stays finite where the outcomes are separated, or all the same', () => {
    for (const problem of [table(20, 0, 0, 20), table(10, 0, 10, 0)]) {
      const beta = fitLogistic({ ...problem, ridge: 1 });
      expect([...beta].every(Number.isFinite)).toBe(true);
    }
    const [intercept] = fitLogistic({ ...table(10, 0, 10, 0), ridge: 1 });
    expect(intercept).toBeGreaterThan(4);
  });

  it('is at a point where the penalised likelihood is flat', () => {
    const { rows, right } = table(7, 3, 4, 9);
    const ridge = 2;
    const beta = fitLogistic({ rows, right, ridge });
    const gradient = rows.reduce((sum, [x], i) => {
      const p = 1 / (1 + Math.exp(-(beta[0]! + beta[1]! * x!)));
      return sum + ((right[i] ? 1 : 0) - p) * x!;
    }, -ridge * beta[1]!);
    expect(gradient).toBeCloseTo(0, 5);
  });
});

describe('the triangular factor', () => {
  it('solves what it factors', () => {
    const A = Float64Array.of(4, 2, 1, 2, 5, 3, 1, 3, 6);
    const x = solve(cholesky(A, 3)!, Float64Array.of(4 + 4 + 3, 2 + 10 + 9, 1 + 6 + 18));
    expect([...x].map((value) => Number(value.toFixed(12)))).toEqual([1, 2, 3]);
  });

  it('is null for a matrix that is not positive definite', () => {
    expect(cholesky(Float64Array.of(1, 2, 2, 1), 2)).toBeNull();
    expect(cholesky(Float64Array.of(0), 1)).toBeNull();
  });
});
