import { seededRandom } from '../../common/index.ts';
import { parseLevel } from '../levels/level.ts';
import { scoreFor } from '../thresholds/answered.ts';
import { binomialCdf } from '../thresholds/binomial.ts';
import { calibrateActs } from '../thresholds/calibrate-acts.ts';
import { conformalThreshold } from '../thresholds/conformal.ts';
import type { CoverageThreshold } from '../thresholds/types.ts';
import { type Finding, meanWithin, uniform } from './findings.ts';
import { drawMany, FOUR_ACTS, one, truth, type World } from './worlds.ts';

/** What split conformal promises, in worlds where the coverage of a threshold is known in closed form. */
export function coverageFindings(trials: number): Finding[] {
  return [
    ...[
      [1, '0.5'],
      [20, '0.8'],
      [100, '0.9'],
      [500, '0.95'],
    ].flatMap(([n, level]) => onePool(trials, n as number, level as string)),
    ...mondrian(Math.ceil(trials / 4)),
    ties(trials),
    constants(trials),
    gates(trials),
  ];
}

/** The coverage of one calibration follows Beta(k, n + 1 - k): its distribution function makes it uniform. */
function onePool(trials: number, n: number, text: string): Finding[] {
  const level = parseLevel(text);
  const world = one({});
  const random = seededRandom(n);
  const coverages: number[] = [];
  const places: number[] = [];
  for (let trial = 0; trial < trials; trial++) {
    const reached = conformalThreshold(drawMany(world, n, random).map(scoreFor), level);
    const coverage = truth(world, 'everything', reached.tau!).answered;
    coverages.push(coverage);
    places.push(betaCdf(reached, coverage));
  }
  const k = conformalThreshold(new Array<number>(n).fill(0), level).k;
  return [
    uniform(`coverage follows Beta(${k}, ${n + 1 - k})`, `n ${n}, level ${text}`, trials, places),
    meanWithin(
      `mean coverage is ${k}/${n + 1}`,
      `n ${n}, level ${text}`,
      coverages,
      k / (n + 1),
      k / (n + 1),
    ),
  ];
}

/** P(Beta(k, n + 1 - k) <= coverage) = P(Binomial(n, coverage) >= k). */
function betaCdf({ n, k }: CoverageThreshold, coverage: number): number {
  return 1 - binomialCdf(k - 1, n, coverage);
}

/** Acts of unlike size and difficulty, one in five classified at random; each rung's pool on its own. */
function mondrian(trials: number): Finding[] {
  const level = parseLevel('0.85');
  const random = seededRandom(11);
  const places = new Map<string, number[]>();
  for (let trial = 0; trial < trials; trial++) {
    const { pools } = calibrateActs(drawMany(FOUR_ACTS, 600, random), {
      target: 'coverage',
      level,
      least: 0,
    });
    for (const { acts, coverage } of pools) {
      if (coverage === undefined || coverage.tau === null) continue;
      const name = acts === 'everything' || acts.length === 1 ? String(acts) : `family of ${acts[0]}`;
      const own = places.get(name) ?? [];
      own.push(betaCdf(coverage, truth(FOUR_ACTS, acts, coverage.tau).answered));
      places.set(name, own);
    }
  }
  return [...places].map(([name, values]) =>
    uniform(`Mondrian, ${name}: Beta`, '4 acts, noise .2, n 600, level 0.85', trials, values),
  );
}

function averaged(trials: number, n: number, text: string, world: World, seed: number): number[] {
  const level = parseLevel(text);
  const random = seededRandom(seed);
  return Array.from({ length: trials }, () => {
    const { tau } = conformalThreshold(drawMany(world, n, random).map(scoreFor), level);
    return truth(world, 'everything', tau!).answered;
  });
}

function ties(trials: number): Finding {
  const values = averaged(trials, 100, '0.9', { ...one({}), steps: 8 }, 21);
  return meanWithin('ties: coverage is no less', 'U in 8 steps, n 100, level 0.9', values, 0.9, 1);
}

function constants(trials: number): Finding {
  const values = averaged(trials, 100, '0.9', { ...one({}), steps: 1 }, 22);
  return meanWithin('one constant U: all are answered', 'n 100, level 0.9', values, 1, 1);
}

function gates(trials: number): Finding {
  const values = averaged(trials, 200, '0.8', one({ closed: 0.1 }), 23);
  return meanWithin(
    'closed gates count as not answered',
    'a tenth closed, n 200, level 0.8',
    values,
    161 / 201,
    161 / 201,
  );
}
