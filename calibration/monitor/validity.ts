/** Shows by simulation what the monitor promises on false alarms, and how soon it finds a drift. */
import { type Random, seededRandom } from '../../common/index.ts';
import { evidenceOf, freshEProcess, type Hypothesis, observe } from './e-process.ts';
import { type Documents, type Outcome, type Rates, simulate, type World } from './simulate.ts';

const RATES: Rates = [
  { act: 'FACT', share: 0.5, coverage: 0.85, risk: 0.1 },
  { act: 'QUANTITY', share: 0.25, coverage: 0.8, risk: 0.15 },
  { act: 'EXPLANATION', share: 0.15, coverage: 0.6, risk: 0.3 },
  { act: 'DEFINITION', share: 0.1, coverage: 0.75, risk: 0.2 },
];

const moved = (by: { coverage?: number; risk?: number }, only?: Rates[number]['act']): Rates =>
  RATES.map((rate) =>
    only !== undefined && rate.act !== only
      ? rate
      : { ...rate, coverage: rate.coverage + (by.coverage ?? 0), risk: rate.risk + (by.risk ?? 0) },
  );

/** Of every act alike, so that documents with a coverage of .6 and of 1, and a risk of .1 and .3, have these on average. */
const EVEN = (coverage: number): Rates => [
  { act: 'FACT', share: 0.7, coverage, risk: 0.2 },
  { act: 'QUANTITY', share: 0.3, coverage, risk: 0.2 },
];
const UNLIKE: Documents = { coverage: 0.2, risk: 0.1, each: 170, inARow: 1, counted: true };
const FIFTEEN = { before: EVEN(0.8), testSplit: 15 * 170, documents: UNLIKE };
const SIXTY = { before: EVEN(0.8), testSplit: 60 * 40, documents: { ...UNLIKE, each: 40 } };

const STATIONARY: [string, Partial<World>][] = [
  ['test split of 2,000', { testSplit: 2_000, alpha: 0.1 }],
  ['test split of 300', { testSplit: 300, alpha: 0.1 }],
  ['test split of 100', { testSplit: 100, alpha: 0.1 }],
  ['a promise on risk that is just kept', { testSplit: 1_000, alpha: 0.1, promised: true }],
  ['one answer in ten labelled', { testSplit: 1_000, alpha: 0.1, labelled: 0.1 }],
  ['alpha .3', { testSplit: 1_000, alpha: 0.3 }],
  ['alpha .01', { testSplit: 1_000, alpha: 0.01 }],
  ['15 documents unlike each other', FIFTEEN],
  ['60 documents unlike each other', SIXTY],
  ['15 documents unlike each other', { ...FIFTEEN, alpha: 0.01 }],
];

/** What is not promised. */
const BEYOND: [string, Partial<World>][] = [
  ['60 documents, 50 queries in a row on one', { ...SIXTY, documents: { ...SIXTY.documents, inARow: 50 } }],
  ['the same with a slack of .2', { ...SIXTY, documents: { ...SIXTY.documents, inARow: 50 }, slack: 0.2 }],
];

/** Drifts of coverage alone, which few documents leave hardly any room to see. */
const FALLS: [string, typeof FIFTEEN, number][] = [
  ['60 documents, coverage .8 to .6', SIXTY, 0.6],
  ['60 documents, coverage .8 to .5', SIXTY, 0.5],
  ['15 documents, coverage .8 to .5', FIFTEEN, 0.5],
  ['15 documents, coverage .8 to .3', FIFTEEN, 0.3],
];

const DRIFTS: [string, Rates][] = [
  ['risk + .05', moved({ risk: 0.05 })],
  ['risk + .10', moved({ risk: 0.1 })],
  ['risk + .20', moved({ risk: 0.2 })],
  ['risk of FACT + .20', moved({ risk: 0.2 }, 'FACT')],
  ['coverage - .10', moved({ coverage: -0.1 })],
  ['coverage - .20', moved({ coverage: -0.2 })],
  ['coverage + .10', moved({ coverage: 0.1 })],
];

export interface MonitorValidityOptions {
  /** Streams of each stationary world; a tenth of them for each drift. */
  streams?: number;
  /** Decisions of a stream. */
  decisions?: number;
  seed?: number;
}

/**
 * Runs the worlds and gives the table, a line each, and how many of its promises failed: in a stationary world the
 * share of streams with any alarm must not be above alpha by more than four standard errors, and one watch whose
 * bound is exactly the mean must not cross 1 / a more often than with probability a, likewise. In a world of documents
 * unlike each other, bounds that count queries must break that promise: else the world would prove nothing.
 */
export async function monitorValidity({
  streams = 2_000,
  decisions = 2_000,
  seed = 1,
}: MonitorValidityOptions = {}): Promise<{ lines: string[]; failures: number }> {
  const random = seededRandom(seed);
  const lines: string[] = [];
  let failures = 0;
  const promise = (label: string, count: number, of: number, alpha: number) => {
    const most = alpha + 4 * Math.sqrt((alpha * (1 - alpha)) / of);
    const kept = count / of <= most;
    if (!kept) failures += 1;
    lines.push(
      `${kept ? 'ok  ' : 'FAIL'}  ${label}: ${count} of ${of} streams with an alarm (${(count / of).toFixed(4)}; promised ${alpha}, refused above ${most.toFixed(4)})`,
    );
  };

  const world = (change: Partial<World>): World => ({
    before: RATES,
    testSplit: 1_000,
    decisions,
    labelled: 1,
    alpha: 0.1,
    ...change,
  });

  lines.push(`One watch, its bound exactly the mean, ${decisions} observations:`);
  for (const [hypothesis, a] of EDGES) {
    const label = `mean ${hypothesis.bound}, looking ${hypothesis.direction}, a = ${a}`;
    promise(label, crossings(hypothesis, a, streams, decisions, random), streams, a);
    await pause();
  }
  const naive = naiveCrossings(0.1, streams, decisions, random);
  if (naive / streams <= 0.2) failures += 1;
  lines.push(
    `      for comparison, a z-test of a = 0.1 that is looked at after every observation: ${naive} of ${streams} streams`,
  );
  lines.push('', `The whole monitor, nothing changes, ${decisions} decisions:`);
  for (const [label, change] of STATIONARY) {
    const full = world(change);
    const { alarms } = simulate(full, streams, random);
    promise(`${label}, alpha ${full.alpha}`, alarms, streams, full.alpha);
    await pause();
  }
  const queries = simulate(world({ ...FIFTEEN, documents: { ...UNLIKE, counted: false } }), streams, random);
  if (queries.alarms / streams <= 0.2) failures += 1;
  lines.push(
    `      for comparison, 15 documents unlike each other, alpha 0.1, bounds that count queries: ${queries.alarms} of ${streams} streams`,
  );
  for (const [label, change] of BEYOND) {
    const { alarms } = simulate(world(change), streams, random);
    lines.push(`      not promised: ${label}, alpha 0.1: ${alarms} of ${streams} streams`);
    await pause();
  }
  lines.push('', 'Delay in decisions, alpha .01, test split of 1,000, every answer labelled:');
  for (const [label, after] of DRIFTS) {
    for (const changeAt of [0, decisions]) {
      const drift = world({ after, changeAt, decisions: changeAt + 2 * decisions, alpha: 0.01 });
      lines.push(
        `      ${label} from decision ${changeAt + 1} on: ${told(simulate(drift, Math.ceil(streams / 10), random))}`,
      );
      await pause();
    }
  }
  lines.push('', 'The same where documents are counted:');
  for (const [label, split, coverage] of FALLS) {
    const fallen = { ...split, after: EVEN(coverage), decisions: 2 * decisions, alpha: 0.01 };
    lines.push(`      ${label}: ${told(simulate(world(fallen), Math.ceil(streams / 10), random))}`);
    await pause();
  }
  return { lines, failures };
}

/** 90 % quantile of the normal distribution. */
const NORMAL_90 = 1.2816;

const EDGES: [Hypothesis, number][] = [
  [{ direction: 'up', bound: 0.1 }, 0.1],
  [{ direction: 'up', bound: 0.02 }, 0.1],
  [{ direction: 'down', bound: 0.8 }, 0.1],
  [{ direction: 'down', bound: 0.8 }, 0.02],
];

/** Streams out of `streams` whose evidence ever reaches 1 / a though their mean is the bound itself. */
function crossings(
  hypothesis: Hypothesis,
  a: number,
  streams: number,
  observations: number,
  random: Random,
): number {
  let crossed = 0;
  for (let s = 0; s < streams; s++) {
    const state = freshEProcess();
    for (let i = 0; i < observations; i++) {
      observe(state, hypothesis, random() < hypothesis.bound ? 1 : 0);
      if (evidenceOf(state) < 1 / a) continue;
      crossed += 1;
      break;
    }
  }
  return crossed;
}

/** The same for a test that was made for one look: were these few, the worlds above would prove nothing. */
function naiveCrossings(mean: number, streams: number, observations: number, random: Random): number {
  let crossed = 0;
  for (let s = 0; s < streams; s++) {
    let sum = 0;
    for (let n = 1; n <= observations; n++) {
      sum += random() < mean ? 1 : 0;
      if (n < 30 || sum - n * mean < NORMAL_90 * Math.sqrt(n * mean * (1 - mean))) continue;
      crossed += 1;
      break;
    }
  }
  return crossed;
}

function told({ streams, alarms, early, median, ninetieth }: Outcome): string {
  const by = (delay: number | null) => (delay === null ? 'not by then' : String(delay));
  return `${alarms} of ${streams} found, half by ${by(median)}, nine in ten by ${by(ninetieth)}${early > 0 ? `, ${early} before the change` : ''}`;
}

/** Lets whoever waits beside this have a turn. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
