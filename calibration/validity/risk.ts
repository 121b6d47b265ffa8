import { type Random, seededRandom } from '../../common/index.ts';
import { asNumber, parseLevel } from '../levels/level.ts';
import { calibrateActs } from '../thresholds/calibrate-acts.ts';
import type { ActThresholds, Scored, Untuned } from '../thresholds/types.ts';
import { type Finding, violations } from './findings.ts';
import { drawMany, FOUR_ACTS, one, truth, type World } from './worlds.ts';

const LEVEL = parseLevel('0.05');
const DELTA = parseLevel('0.1');
const ASK = parseLevel('0.2');
/** Just above the level: wherever the threshold lies, passing is a violation, and the easiest one to make. */
const EDGE = asNumber(LEVEL) + 1e-9;

/** Did any pool that was given a threshold get one that breaks its promise? */
export function broken(world: World, found: ActThresholds, level: number, ask: number): boolean {
  return found.pools.some(({ acts, risk, silence }) => {
    if (risk?.tau != null && truth(world, acts, risk.tau).risk > level) return true;
    return silence?.askUpTo != null && truth(world, acts, silence.askUpTo).silence > ask;
  });
}

/** What Learn-Then-Test promises, in worlds where the risk of a threshold is known in closed form. */
export function riskFindings(trials: number): Finding[] {
  const single = { level: LEVEL, delta: DELTA, target: 'risk', scope: 'global' } as const;
  const family = { level: LEVEL, delta: DELTA, target: 'risk' } as const;
  const joint = { level: LEVEL, delta: DELTA, ask: ASK, target: 'joint' } as const;
  const rising = one({ slope: 0.15, closed: 0.1, hard: 0.3 });
  const edge = one({ base: EDGE });
  const few = Math.ceil(trials / 4);
  return [
    held('risk <= 5 %', 'risk rises with U, n 500', trials, rising, 500, single),
    held('risk <= 5 %', 'risk just above 5 % everywhere, n 300', trials, edge, 300, single),
    held('risk <= 5 %', 'risk falls with U, n 500', trials, one({ base: 0.1, slope: -0.098 }), 500, single),
    held('risk <= 5 %', 'U in 8 steps, n 500', trials, { ...rising, steps: 8 }, 500, single),
    held('risk <= 5 %', 'constant U, risk just above, n 300', trials, { ...edge, steps: 1 }, 300, single),
    held('risk <= 5 %', 'just above, tune split without errors, n 300', trials, edge, 300, single, one({})),
    held('family: every pool', '4 acts and noise, n 1500', few, FOUR_ACTS, 1_500, family),
    held('family: every pool', '4 acts, all just above, n 1200', few, edges(4), 1_200, family),
    held(
      'family: delta passed on',
      '2 of 4 acts faultless, 2 just above, n 1200',
      few,
      edges(2),
      1_200,
      family,
    ),
    held('joint: risk, silence <= 20 %', '4 acts and noise, n 1500', few, FOUR_ACTS, 1_500, joint),
    held('joint: risk, silence <= 20 %', 'one pool, n 500', trials, rising, 500, {
      ...joint,
      scope: 'global',
    }),
    clustered(trials),
  ];
}

function held(
  promise: string,
  name: string,
  trials: number,
  world: World,
  n: number,
  request: Untuned,
  tuneWorld: World = world,
): Finding {
  const random = seededRandom(n + name.length);
  let passed = 0;
  return violations(
    promise,
    name,
    trials,
    DELTA,
    () => {
      const tune = drawMany(tuneWorld, n / 2, random);
      const found = calibrateActs(drawMany(world, n, random), { ...request, tune });
      if (found.pools.some(({ risk }) => risk?.tau != null)) passed++;
      return broken(world, found, asNumber(LEVEL), asNumber(ASK));
    },
    () => `a threshold in ${((100 * passed) / trials).toFixed(0)} %`,
  );
}

/** Four even acts, `bad` of them with a risk just above the level at every threshold, the others without errors. */
function edges(bad: number): World {
  const acts = FOUR_ACTS.acts.map((own, place) => ({
    ...own,
    share: 0.25,
    base: place < bad ? EDGE : 0,
    slope: 0,
  }));
  return { ...FOUR_ACTS, acts, noise: 0 };
}

/**
 * What is not promised: ten questions to a document, and a fifth of the documents have all the errors. The binomial
 * test counts questions as independent, and breaks its word more often than delta.
 */
function clustered(trials: number): Finding {
  const random = seededRandom(31);
  const finding = violations(
    '(none) risk <= 5 %',
    '10 questions a document, a fifth has all errors',
    trials,
    DELTA,
    () => {
      const tune = documents(15, random);
      const request = { target: 'risk', scope: 'global', level: LEVEL, delta: DELTA, tune } as const;
      return calibrateActs(documents(30, random), request).global.risk?.tau != null;
    },
  );
  return { ...finding, holds: null };
}

function documents(count: number, random: Random): Scored[] {
  return Array.from({ length: count }, () => {
    const rate = random() < 0.2 ? 5 * EDGE : 0;
    return Array.from({ length: 10 }, () => ({
      act: 'FACT' as const,
      U: random(),
      wrong: random() < rate,
    }));
  }).flat();
}
