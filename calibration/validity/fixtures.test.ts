import { describe, expect, it } from 'vitest';
import type { Act } from '../../profiles/index.ts';
import { asNumber, parseLevel, partOf } from '../levels/level.ts';
import { answeredBy } from '../thresholds/answered.ts';
import { binomialCdf } from '../thresholds/binomial.ts';
import { calibrateActs } from '../thresholds/calibrate-acts.ts';
import { conformalThreshold } from '../thresholds/conformal.ts';
import { riskThreshold, riskThresholds } from '../thresholds/risk.ts';
import { evidenceOfQuestions } from '../thresholds/trials.ts';
import conformal from './fixtures/conformal.json' with { type: 'json' };
import risk from './fixtures/risk.json' with { type: 'json' };

let scores: number[] = [];
const cases = conformal.cases.map((one) => {
  scores = one.scores ?? scores;
  return { ...one, scores, sorted: [...scores].sort((a, b) => a - b), n: scores.length };
});

describe(`split conformal beside MAPIE ${conformal.madeBy.versions.mapie} and crepes ${conformal.madeBy.versions.crepes}`, () => {
  it('is theirs, save where they say themselves that it is not', () => {
    let [agreed, mapieHigher, crepesHigher, mapieRefused] = [0, 0, 0, 0];
    for (const { sorted, level: text, n, mapie, crepes } of cases) {
      const level = parseLevel(text);
      const { k, tau } = conformalThreshold(sorted, level);
      // crepes ranks in floats from above; where that is not our exact k, it is the next score up, or none.
      const floatRank = n - (Math.trunc((1 - Number(text)) * (n + 1)) - 1);
      expect(floatRank - k === 0 || floatRank - k === 1).toBe(true);
      expect(crepes).toBe(floatRank > n ? null : sorted[floatRank - 1]);
      if (floatRank !== k) crepesHigher++;
      // MAPIE refuses until n exceeds both 1 / level and 1 / (1 - level), and it too ranks in floats.
      if (typeof mapie === 'string') {
        expect(n).toBeLessThanOrEqual(Math.max(1 / asNumber(level), 1 / (1 - Number(text))) + 1e-9);
        mapieRefused++;
      } else if (mapie === tau) agreed++;
      else {
        expect(mapie).toBe(sorted[k]);
        mapieHigher++;
      }
    }
    expect({ cases: cases.length, agreed, mapieHigher, mapieRefused, crepesHigher }).toMatchInlineSnapshot(`
      {
        "agreed": 80,
        "cases": 120,
        "crepesHigher": 18,
        "mapieHigher": 2,
        "mapieRefused": 38,
      }
    `);
  });

  it('Mondrian on the act is theirs', () => {
    const { acts, scores, level, crepes } = conformal.mondrian;
    const items = scores.map((U, place) => ({ act: acts[place] as Act, U, wrong: null }));
    const found = calibrateActs(items, { target: 'coverage', level: parseLevel(level), least: 0 });
    for (const [act, tau] of Object.entries(crepes)) {
      expect(found.acts[act as Act]).toMatchObject({ rung: 'act', tau });
    }
  });
});

describe(`Learn-Then-Test beside MAPIE ${risk.madeBy.versions.mapie} and SciPy ${risk.madeBy.versions.scipy}`, () => {
  it.each(risk.cases)(
    'risk $level, delta $delta',
    ({ U, wrong, grid, level: text, delta: share, scipy, mapie }) => {
      const [level, delta] = [parseLevel(text), parseLevel(share)];
      const items = U.map((u, place) => ({ act: 'FACT' as const, U: u, wrong: wrong[place] === 1 }));
      const answered = answeredBy(items);
      for (const [place, tau] of grid.entries()) {
        const counts = answered.at(tau);
        const own = binomialCdf(counts.wrong, counts.answered, Number(text));
        expect(Math.abs(own / scipy[place]! - 1)).toBeLessThan(1e-10);
        // Its Bentkus form for binary losses is the binomial tail, at a number of errors that floats may round up.
        const above = binomialCdf(counts.wrong + 1, counts.answered, Number(text));
        const theirs = mapie.pValues[place]!;
        expect(Math.min(Math.abs(own / theirs - 1), Math.abs(above / theirs - 1))).toBeLessThan(1e-10);
      }
      const passed = grid.indexOf(riskThreshold(items, level, delta, grid).tau ?? -1) + 1;
      expect(mapie.fixedSequence).toEqual(grid.slice(0, passed).map((_, place) => place));
      // Holm: every threshold as a chain of its own.
      const evidence = evidenceOfQuestions(items, level);
      const chains = grid.map((tau) => ({
        evidence,
        grid: [tau],
        delta: partOf(delta, grid.length),
        tested: true,
      }));
      const rejected = riskThresholds(chains, level).flatMap(({ tau }, place) =>
        tau === null ? [] : [place],
      );
      expect(mapie.holm).toEqual(rejected);
      const bonferroni = grid.filter((tau) => {
        const counts = answered.at(tau);
        return binomialCdf(counts.wrong, counts.answered, Number(text)) <= Number(share) / grid.length;
      });
      expect(bonferroni).toEqual(expect.arrayContaining(mapie.controllerBonferroni));
    },
  );
});
