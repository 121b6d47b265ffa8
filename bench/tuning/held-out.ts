/** What was searched, on a set that it never saw: against the baseline at equal expected compute, and what ships beside it. */
import path from 'node:path';
import { writeParts } from '../../calibration/index.ts';
import { documentsOf, type ProfileSet } from '../../profiles/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { Arm } from '../parity/arms.ts';
import type { Certificate, Parity, Verdict } from '../parity/certificate.ts';
import { certificateParts } from '../parity/certificate-file.ts';
import { certificateOf } from '../parity/certified.ts';
import { adjust, type Comparison, metricsFor, testsOfMeans } from '../parity/compare.ts';
import { writeProfiles } from '../parity/general-profiles.ts';
import { exampleOf, measureArms } from '../parity/measure.ts';
import { Memo } from '../parity/memo.ts';
import { timeArms } from '../parity/time.ts';
import { type Asked, asking, Bench, openSeen, type Trial } from './search.ts';
import type { TuningSet } from './sets.ts';
import { uniformAt } from './space.ts';

/** Pairs that are compared, the first less the second. */
const COMPARED: readonly { a: string; b: string; parity: Parity }[] = [
  { a: 'act-searched', b: 'uniform-searched', parity: 'expected' },
  { a: 'act', b: 'uniform', parity: 'each' },
];
/** Depths on either side of the first guess that are tried for the baseline. */
const NEAR = 2;
/** What is timed, because it is compared by what is expected. */
const TIMED = ['act-searched', 'uniform-searched'];

export interface HeldOutOptions {
  /** Questions of the set, a seeded sample, and those of them that are timed. */
  limit: number;
  timed: number;
  seed: number;
  tolerance: Certificate['tolerance'];
  out: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

export interface HeldOut {
  set: string;
  about: string;
  questions: number;
  /** The baseline that costs here what the acts cost: passages and pairs that it is granted. */
  matched: { documents: number; depth: number };
  comparisons: Comparison[];
  /** Hash over the certificate. */
  seal: string;
}

/**
 * Measures both policies that were searched and both that ship. The searched baseline is granted what makes it cost, on
 * these questions, what the acts cost; that looks at no label. Ledgers and certificate go to `out`. Throws ABORTED when the signal fires.
 */
export async function heldOut(
  set: TuningSet,
  found: { act: Trial; uniform: Trial },
  scorers: Scorers,
  options: HeldOutOptions,
): Promise<HeldOut> {
  const { out, say, tolerance } = options;
  const memo = new Memo(scorers);
  const folder = await set.index(scorers, say, options.signal);
  const where = { set: `profiles-${set.name}`, index: folder, out, say, signal: options.signal };
  // Whatever the passes below ask, a pair is scored once; only what is timed is scored anew.
  const { arms, examples, measured, code, matched } = await memo.question(async () => {
    const asked = await asking(set, folder, options.limit, memo.scorers, options);
    const uniform = await matchedUniform(found, asked, memo.scorers, options);
    const arms = await armsOf(set.name, { act: found.act.set, uniform: uniform.set }, out);
    const examples = asked.map(({ question }) => exampleOf(question));
    const run = await measureArms({ ...where, examples, arms }, memo.scorers);
    return { ...run, arms, examples, matched: uniform.granted };
  });
  const times = await timeArms(
    {
      ...where,
      code,
      examples: examples.slice(0, options.timed),
      arms: arms.filter(({ name }) => TIMED.includes(name)),
    },
    scorers,
  );
  const { certificate, lines } = certificateOf(measured, {
    set: where.set,
    code,
    tolerance,
    times,
    comparisons: COMPARED,
  });
  await writeParts(out, certificateParts(certificate, lines));
  const observed = new Map(measured.map(({ arm, observations }) => [arm.name, observations]));
  const metrics = metricsFor(measured[0]!.observations);
  const comparisons = certificate.comparisons.map((verdict: Verdict): Comparison => {
    const { a, b, comparable } = verdict;
    const tests = comparable ? testsOfMeans(observed.get(a)!, observed.get(b)!, metrics) : [];
    return { a, b, verdict, tests: tests.filter(({ n, unscored }) => n > unscored) };
  });
  return {
    set: set.name,
    about: set.about,
    questions: examples.length,
    matched,
    comparisons: adjust(comparisons),
    seal: certificate.seal,
  };
}

/** The searched baseline with the grants at which it costs most nearly what the acts do. */
async function matchedUniform(
  { act, uniform }: { act: Trial; uniform: Trial },
  asked: readonly Asked[],
  scorers: Scorers,
  options: HeldOutOptions,
): Promise<{ set: ProfileSet; granted: HeldOut['matched'] }> {
  const file = await openSeen(options.out, scorers);
  try {
    const bench = new Bench(asked, scorers, file, options);
    const cost = async (trial: Trial) => {
      await bench.show([trial], asked.length, 'matching');
      return bench.tally(trial, asked.length).spent;
    };
    const { UNIFORM } = uniform.set.profiles;
    const at = (documents: number, depth: number): Trial => ({
      policy: 'uniform',
      set: uniformAt(uniform.set, documents, depth),
    });
    const wanted = await cost(act);
    const evenly = await cost(uniform);
    const { budget } = uniform.set;
    const scaled = (amount: number, unit: 'docsScored' | 'rerankPairs') =>
      Math.min(budget[unit], Math.max(1, Math.round((amount * wanted[unit]) / evenly[unit])));
    const documents = scaled(documentsOf(UNIFORM), 'docsScored');
    // Reading ends early once something surely answers, so that pairs do not quite follow the depth.
    const guess = scaled(UNIFORM.rerankDepth, 'rerankPairs');
    let [depth, least] = [guess, Number.POSITIVE_INFINITY];
    for (let near = Math.max(1, guess - NEAR); near <= Math.min(budget.rerankPairs, guess + NEAR); near++) {
      const apart = Math.abs((await cost(at(documents, near))).rerankPairs - wanted.rerankPairs);
      if (apart < least) [depth, least] = [near, apart];
    }
    return { set: at(documents, depth).set, granted: { documents, depth } };
  } finally {
    await file.close();
  }
}

async function armsOf(
  set: string,
  { act, uniform }: { act: ProfileSet; uniform: ProfileSet },
  out: string,
): Promise<Arm[]> {
  const folder = async (name: string, { budget, profiles }: ProfileSet) => {
    const where = path.join(out, `profiles-${name}`);
    await writeProfiles(where, { budget, profiles: Object.values(profiles) }, CAPS);
    return { folder: where };
  };
  const plain = { part: 'policies', budget: {}, noise: null } as const;
  return [
    {
      ...plain,
      name: 'act-searched',
      about: 'by act, searched',
      policy: 'act',
      profiles: await folder('searched', act),
    },
    {
      ...plain,
      name: 'uniform-searched',
      about: 'uniform, searched, at the same expected cost',
      policy: 'uniform',
      profiles: await folder(`uniform-${set}`, uniform),
    },
    { ...plain, name: 'act', about: 'by act, as it ships', policy: 'act', profiles: 'own' },
    { ...plain, name: 'uniform', about: 'uniform, as it ships', policy: 'uniform', profiles: 'own' },
  ];
}

const CAPS = 'The most that one query may spend; what a query of the mix is expected to spend is less.';
