import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { parseLevel } from '../levels/level.ts';
import { answeredBy } from '../thresholds/answered.ts';
import { documentsOf } from '../thresholds/documents.ts';
import { quantiles } from '../thresholds/plan.ts';
import { coverageFindings } from './coverage.ts';
import { drawDocuments, truthOfDocuments, UNLIKE } from './document-worlds.ts';
import { documentFindings } from './documents.ts';
import { factualityFindings } from './factuality.ts';
import { uniform, violations } from './findings.ts';
import { riskFindings } from './risk.ts';
import { drawMany, FOUR_ACTS, one, truth } from './worlds.ts';

/** The short form of `npm run validity`: the same worlds, fewer calibrations. */
const TRIALS = 300;

describe('promises, in worlds where the truth is known', () => {
  it.each(coverageFindings(TRIALS))('$promise: $world', ({ holds, seen }) => {
    expect(holds, seen).toBe(true);
  });

  it.each(riskFindings(TRIALS).filter(({ holds }) => holds !== null))(
    '$promise: $world',
    ({ holds, seen }) => {
      expect(holds, seen).toBe(true);
    },
  );
});

describe('promises about facts', () => {
  it.each(factualityFindings(TRIALS))('$promise: $world', ({ holds, seen }) => {
    expect(holds, seen).toBe(true);
  });
});

describe('promises about new documents, where questions on one are alike', () => {
  const findings = documentFindings(160);

  it.each(findings.filter(({ holds }) => holds !== null))('$promise: $world', ({ holds, seen }) => {
    expect(holds, seen).toBe(true);
  });

  it('would be broken by counting questions', () => {
    const broken = findings.filter(({ holds }) => holds === null);
    const means = broken
      .filter(({ promise }) => promise.includes('coverage'))
      .map(({ seen }) => parseFloat(seen));
    expect(means.length).toBeGreaterThan(0);
    for (const mean of means) expect(mean).toBeLessThan(0.75);
  });

  it('would be broken by counting versions of one document', () => {
    const seen = findings.find(({ world }) => world.endsWith('by groups'))!.seen;
    expect(Number(/\((.*?)\)/.exec(seen)![1])).toBeGreaterThan(0.15);
  });

  it.each([0.3, 1])('the closed forms are what the worlds draw, at %d', (tau) => {
    const documents = documentsOf(drawDocuments(UNLIKE, 20_000, seededRandom(4)));
    for (const pool of [['FACT'], ['QUANTITY'], 'everything'] as const) {
      const said = truthOfDocuments(UNLIKE, pool, tau);
      const inPool = documents
        .map((own) => own.filter(({ act }) => pool === 'everything' || act === pool[0]))
        .filter((own) => own.length > 0);
      const answered = inPool.map((own) => own.filter(({ U }) => U !== null && U <= tau));
      const shares = answered.map((some, i) => some.length / inPool[i]!.length);
      const wrong = answered
        .filter((some) => some.length > 0)
        .map((some) => some.filter((item) => item.wrong).length / some.length);
      for (const [values, truth] of [
        [shares, said.answered],
        [wrong, said.risk],
      ] as const) {
        const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
        expect(Math.abs(mean - truth)).toBeLessThan(5 * Math.sqrt(0.25 / values.length));
      }
    }
  });
});

describe('the proof itself', () => {
  it('finds out a rule that takes the largest threshold with few enough errors', () => {
    const world = one({ base: 0.01, slope: 0.3 });
    const random = seededRandom(8);
    const finding = violations('risk <= 5 %', 'no test', TRIALS, parseLevel('0.1'), () => {
      const items = drawMany(world, 300, random);
      const answered = answeredBy(items);
      const tau = quantiles(items).findLast(
        (bar) => answered.at(bar).wrong <= 0.05 * answered.at(bar).answered,
      );
      return tau !== undefined && truth(world, 'everything', tau).risk > 0.05;
    });
    expect(finding.holds).toBe(false);
  });

  it('finds out ranks that are wrong by two in a hundred', () => {
    const random = seededRandom(9);
    const off = Array.from({ length: 2_000 }, () => random() ** 1.3);
    expect(uniform('', '', 2_000, off).holds).toBe(false);
  });

  it.each([0.2, 0.5, 1])('the closed forms are what the world draws, at %d', (tau) => {
    const items = drawMany(FOUR_ACTS, 60_000, seededRandom(3));
    for (const pool of [['FACT'], ['PROCEDURE'], ['FACT', 'VERIFICATION'], 'everything'] as const) {
      const own = items.filter(
        ({ act }) => pool === 'everything' || (pool as readonly unknown[]).includes(act),
      );
      const said = truth(FOUR_ACTS, pool, tau);
      const answered = own.filter(({ U }) => U !== null && U <= tau);
      const answerable = own.filter((item) => item.answerable);
      near(answered.length, own.length, said.answered);
      near(answered.filter(({ wrong }) => wrong).length, answered.length, said.risk);
      near(answerable.filter(({ U }) => U === null || U > tau).length, answerable.length, said.silence);
    }
  });
});

/** Five standard errors. */
function near(count: number, n: number, share: number): void {
  expect(Math.abs(count / n - share)).toBeLessThanOrEqual(5 * Math.sqrt((share * (1 - share)) / n) + 1e-12);
}
