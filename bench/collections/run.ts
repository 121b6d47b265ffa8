/** What a collection would gain from a weight and a limit of its own: fitted on some of its questions, tried on others. */
import { codeHash, concurrently, type Interval, pairedDifference } from '../../calibration/index.ts';
import { fitMixture, limitOf, type Point } from '../../calibration/limits/mixture.ts';
import { type Random, sample, seededRandom } from '../../common/index.ts';
import { embeddedBackend, openIndex } from '../../corpus/index.ts';
import { allocate, loadProfiles } from '../../profiles/index.ts';
import { loadActClassifier } from '../../router/acts/index.ts';
import { Ledger } from '../../router/budget/index.ts';
import { LayerSettings } from '../../router/layers/index.ts';
import { fuse, LEXICAL_WEIGHT } from '../../router/retrieval/fusion.ts';
import { besideLinks, openRetrieval } from '../../router/retrieval/index.ts';
import { type ModelChoice, modelNames, openScorers, type Scorers } from '../../scorers/index.ts';
import { halfOf } from '../datasets/halves.ts';
import { keepFigures } from '../figures/figures-file.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import { type Layout, share, table, withInterval } from '../measure/table.ts';
import { type HELD_OUT, loadTuningSet, type TuningSet } from '../tuning/sets.ts';

export interface CollectionsOptions {
  data: string;
  cache: string;
  out: string;
  sets: readonly (typeof HELD_OUT)[number][];
  /** Questions of each set, a seeded sample. */
  limit: number;
  models: ModelChoice;
  /** File that the figures are kept in for the pages; undefined: none. */
  figures: string | undefined;
  signal: AbortSignal;
}

/** Weights of the lexical score that are tried; the dense one has the rest. */
const WEIGHTS = Array.from({ length: 11 }, (_, i) => i / 10);
const SHIPPED = WEIGHTS.indexOf(LEXICAL_WEIGHT);
const IN_FLIGHT = 4;
/** Labelled questions of "a few", and how often so many are drawn. */
const FEW = 30;
const DRAWS = 50;
/** Of a stream: what it is asked that lies in other collections, for one question of its own. */
const STRANGERS = 0.25;

/** One question to one collection. */
interface Asked {
  id: string;
  group: string;
  /** Whether the question is of this collection. */
  within: boolean;
  /** 1 - cosine of the nearest passage. */
  distance: number;
  /** By weight the reciprocal rank of the first document sought, 0 beyond the tenth; empty for questions of others. */
  reciprocal: number[];
}

interface Compared {
  mean: number;
  interval: Interval | null;
}

export interface SetFigures {
  set: string;
  about: string;
  questions: number;
  weight: {
    /** Fitted on each half. */
    fitted: number[];
    /** By the shipped weight, and what the other half's weight adds to it. */
    shipped: number;
    gain: Compared;
    /** The same by `FEW` labelled questions, mean over draws. */
    few: number;
    /** The best that any one weight reaches on these very questions. */
    best: number;
  };
  limit: {
    by: Record<Fit, { limit: number; refused: number; caught: number }>;
  };
}

const FITS = ['shipped', 'stream alone', 'stream and a few answered'] as const;
type Fit = (typeof FITS)[number];

export interface CollectionsReport {
  sets: SetFigures[];
}

/** Throws NOT_FOUND for data that is missing, and what models and indexes throw. */
export async function benchCollections(
  options: CollectionsOptions,
  say: (line: string) => void,
): Promise<string> {
  const scorers = await openScorers({ ...options.models, jobs: ['embed'], announce: say });
  try {
    const sets = await Promise.all(options.sets.map((name) => loadTuningSet(name, options)));
    const figures: SetFigures[] = [];
    const data: Record<string, string> = {};
    for (const set of sets) {
      const { asked, index } = await measured(set, sets, options, scorers, say);
      data[`${set.name}, index`] = index;
      figures.push({ set: set.name, about: set.about, ...figuresOf(asked) });
    }
    const report = { sets: figures };
    if (options.figures !== undefined) {
      await keepFigures(options.figures, { models: modelNames(scorers.info.models), data, report });
    }
    return renderCollections(report, table);
  } finally {
    await scorers.close();
  }
}

function drawn(set: TuningSet, n: number) {
  return sample(set.questions, Math.min(n, set.questions.length), seededRandom(7));
}

/** What a collection finds for questions of its own and for some of the others'. */
async function measured(
  set: TuningSet,
  sets: readonly TuningSet[],
  { out, limit, signal }: CollectionsOptions,
  scorers: Scorers,
  say: (line: string) => void,
): Promise<{ asked: Asked[]; index: string }> {
  const index = embeddedBackend(await openIndex(await set.index(scorers, say, signal)));
  const retrieval = openRetrieval(index);
  const acts = await loadActClassifier();
  const profiles = loadProfiles();
  const versions = { index: index.manifest.hash, models: scorers.info.models, code: await codeHash() };
  const own = drawn(set, limit).map((question) => ({ ...question, within: true }));
  const others = sets
    .filter(({ name }) => name !== set.name)
    .flatMap((other) => drawn(other, limit).map((question) => ({ ...question, within: false })));
  const strangers = sample(others, Math.min(others.length, own.length), seededRandom(11));
  const file = await ResultsFile.open<Asked>(out, `collections-${set.name}`, versions);
  const progress = new Progress(set.name, own.length + strangers.length, say);
  try {
    const questions = [...own, ...strangers].map((question) => ({
      ...question,
      id: `${question.within}/${question.id}`,
    }));
    await concurrently(questions, IN_FLIGHT, async (question) => {
      const before = file.get(question.id);
      progress.step(before !== undefined);
      if (before !== undefined) return;
      signal.throwIfAborted();
      const [vector] = await scorers.embed([question.query]);
      const act = acts.classify(question.query, vector!);
      const allocation = allocate(profiles, act, 'act', besideLinks(retrieval, profiles.budget));
      const ledger = new Ledger(profiles.budget);
      const { candidates } = await retrieval.retrieve({
        query: question.query,
        vector: vector!,
        allocation,
        ledger,
      });
      const sought = new Set(question.relevant.map(({ docId }) => docId));
      const reciprocal = (weight: number) => {
        const ranked = candidates
          .map(({ lexical, dense, branchScores, indexed, ordinal }) => ({
            docId: indexed.passage.docId,
            ordinal,
            score: fuse(lexical, dense, branchScores, weight),
          }))
          .sort((a, b) => b.score - a.score || a.ordinal - b.ordinal);
        const documents = [...new Set(ranked.map(({ docId }) => docId))].slice(0, 10);
        const place = documents.findIndex((docId) => sought.has(docId));
        return place < 0 ? 0 : 1 / (place + 1);
      };
      const asked: Asked = {
        id: question.id,
        group: question.group,
        within: question.within,
        distance: 1 - Math.max(-1, ...candidates.map(({ dense }) => dense ?? -1)),
        reciprocal: question.within ? WEIGHTS.map(reciprocal) : [],
      };
      await file.add(asked);
    });
    return { asked: questions.map(({ id }) => file.get(id)!), index: index.manifest.hash };
  } finally {
    await file.close();
  }
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);

/** Place of the weight with the best mean; of equals the one nearest to the shipped one. */
export function bestWeight(rows: readonly Pick<Asked, 'reciprocal'>[]): number {
  const means = WEIGHTS.map((_, i) => mean(rows.map(({ reciprocal }) => reciprocal[i]!)));
  return WEIGHTS.map((_, i) => i).reduce((best, i) => {
    const more = means[i]! - means[best]!;
    if (Math.abs(more) > 1e-12) return more > 0 ? i : best;
    return Math.abs(i - SHIPPED) < Math.abs(best - SHIPPED) ? i : best;
  }, SHIPPED);
}

function halvesOf(rows: readonly Asked[], by: (row: Asked) => string): Asked[][] {
  return (['tune', 'report'] as const).map((half) => rows.filter((row) => halfOf(by(row)) === half));
}

function figuresOf(asked: readonly Asked[]): Pick<SetFigures, 'questions' | 'weight' | 'limit'> {
  const own = asked.filter(({ within }) => within);
  const byGroup = halvesOf(own, ({ group }) => group);
  // What is all one group is parted by question.
  const halves = byGroup.every((half) => half.length > 0) ? byGroup : halvesOf(own, ({ id }) => id);
  const fitted = halves.map(bestWeight);
  const crossed = halves.flatMap((half, i) =>
    half.map(({ group, reciprocal }) => ({ group, a: reciprocal[fitted[1 - i]!]!, b: reciprocal[SHIPPED]! })),
  );
  const { mean: gain, interval } = pairedDifference(crossed);
  const random = seededRandom(3);
  const few = Array.from({ length: DRAWS }, () => {
    const labelled = sample(own, Math.min(FEW, own.length), random);
    const weight = bestWeight(labelled);
    const others = own.filter((row) => !labelled.includes(row));
    return mean(others.map(({ reciprocal }) => reciprocal[weight]! - reciprocal[SHIPPED]!));
  });
  return {
    questions: own.length,
    weight: {
      fitted: fitted.map((i) => WEIGHTS[i]!),
      shipped: mean(own.map(({ reciprocal }) => reciprocal[SHIPPED]!)),
      gain: { mean: gain ?? 0, interval },
      few: mean(few),
      best: Math.max(...WEIGHTS.map((_, i) => mean(own.map(({ reciprocal }) => reciprocal[i]!)))),
    },
    limit: { by: limits(asked) },
  };
}

/** A limit by each way of fitting it, and what it does to questions that it was not fitted on: means over draws. */
function limits(asked: readonly Asked[]): SetFigures['limit']['by'] {
  const random = seededRandom(5);
  const shipped = LayerSettings.parse({}).distance.limit;
  const tallies = new Map(
    FITS.map((fit) => [fit, [] as { limit: number; refused: number; caught: number }[]]),
  );
  for (let draw = 0; draw < DRAWS; draw++) {
    const { stream, test } = parted(asked, random);
    const known = stream.filter(({ within }) => within);
    const answered = new Set(sample(known, Math.min(FEW, known.length), random));
    const points = (told: (row: Asked) => boolean) =>
      stream.map((row): Point => ({ value: row.distance, within: told(row) ? true : null }));
    const by: Record<Fit, number> = {
      shipped,
      'stream alone': limitFrom(
        points(() => false),
        shipped,
      ),
      'stream and a few answered': limitFrom(
        points((row) => answered.has(row)),
        shipped,
      ),
    };
    for (const fit of FITS) {
      const beyond = (within: boolean) =>
        mean(test.filter((row) => row.within === within).map(({ distance }) => Number(distance > by[fit])));
      tallies.get(fit)!.push({ limit: by[fit], refused: beyond(true), caught: beyond(false) });
    }
  }
  const average = (fit: Fit, of: 'limit' | 'refused' | 'caught') =>
    mean(tallies.get(fit)!.map((tally) => tally[of]));
  return Object.fromEntries(
    FITS.map((fit) => [
      fit,
      { limit: average(fit, 'limit'), refused: average(fit, 'refused'), caught: average(fit, 'caught') },
    ]),
  ) as SetFigures['limit']['by'];
}

function limitFrom(points: readonly Point[], otherwise: number): number {
  const mixture = fitMixture(points);
  return mixture === null ? otherwise : limitOf(mixture);
}

/** Half of the questions as a stream, some of them about other things, and the other half to try a limit on. */
function parted(asked: readonly Asked[], random: Random): { stream: Asked[]; test: Asked[] } {
  const [own, others] = [true, false].map((kind) => {
    const rows = asked.filter(({ within }) => within === kind);
    return sample(rows, rows.length, random);
  });
  const half = own!.length >> 1;
  const strangers = Math.round(half * STRANGERS);
  return {
    stream: [...own!.slice(0, half), ...others!.slice(0, strangers)],
    test: [...own!.slice(half), ...others!.slice(strangers)],
  };
}

export function renderCollections({ sets }: CollectionsReport, layout: Layout): string {
  return [
    layout(
      [
        'set',
        'n',
        'MRR@10, .5',
        'fitted on each half',
        'gain on the other half',
        `gain by ${FEW} labels`,
        'best in hindsight',
      ],
      sets.map(({ set, questions, weight: { shipped, fitted, gain, few, best } }) => [
        set,
        String(questions),
        share(shipped),
        fitted.map(share).join(', '),
        withInterval(gain.mean, gain.interval),
        share(few),
        share(best - shipped),
      ]),
    ),
    layout(
      ['set', ...FITS.flatMap((fit) => [`${fit}: limit`, 'its own refused', 'strangers caught'])],
      sets.map(({ set, limit: { by } }) => [
        set,
        ...FITS.flatMap((fit) => [share(by[fit].limit), share(by[fit].refused), share(by[fit].caught)]),
      ]),
    ),
  ].join('\n\n');
}
