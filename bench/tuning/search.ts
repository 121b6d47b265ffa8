/** Profiles searched on training questions: acts that divide and take what they like, and a baseline that divides as it likes. */
import { codeHash, concurrently, reciprocalRankAt } from '../../calibration/index.ts';
import { canonicalHash, type Random, sample, seededRandom } from '../../common/index.ts';
import { embeddedBackend, openIndex } from '../../corpus/index.ts';
import {
  type Act,
  type ActDistribution,
  allocate,
  COUNTED_UNITS,
  type CountedUnit,
  type ProfileSet,
} from '../../profiles/index.ts';
import { loadActClassifier } from '../../router/acts/index.ts';
import type { Policy } from '../../router/index.ts';
import { openRetrieval, type Retrieval } from '../../router/retrieval/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { DataQuery } from '../datasets/types.ts';
import { inTurn } from '../measure/in-turn.ts';
import { Progress } from '../measure/progress.ts';
import { ResultsFile } from '../measure/results-file.ts';
import { Memo } from '../parity/memo.ts';
import { rankedUnder } from '../retrieval/stages.ts';
import { halved, type Judged, ranked, rungsOf } from './halving.ts';
import type { TuningSet } from './sets.ts';
import { drawnActs, drawnUniform, MOVING, type SpentShares } from './space.ts';

/** One way of allocating. */
export interface Trial {
  policy: Policy;
  set: ProfileSet;
}

/** A question that is asked again and again under other profiles. */
export interface Asked {
  /** Hash of its words and its index. */
  key: string;
  /** The name of its set. */
  group: string;
  question: DataQuery;
  retrieval: Retrieval;
  vector: Float32Array;
  act: ActDistribution;
}

/** What one question came to under one trial. */
interface Seen {
  id: string;
  /** The first documents after re-ranking. */
  ranking: string[];
  spent: Record<CountedUnit, number>;
}

/** Means over the questions that a trial has seen. */
export interface Tally {
  questions: number;
  /** MRR@10 of documents after re-ranking. */
  mrr: number;
  spent: Record<CountedUnit, number>;
}

export interface SearchOptions {
  trials: number;
  /** Questions of each set, a seeded sample. */
  limit: number;
  seed: number;
  /** Share by which a trial may cost more than the baseline in any unit. */
  tolerance: number;
  out: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

type Told = Pick<SearchOptions, 'say' | 'signal'>;

export interface Found {
  /** The best profiles by act that were drawn, and the best baseline: a drawn one, or that which ships. */
  act: Trial;
  uniform: Trial;
  /** Of the questions, what goes to each act by the weights that profiles are blended with. */
  mix: { act: Act; share: number }[];
  rungs: { trials: number; questions: number }[];
  by: Record<Policy, Outcome>;
}

/** What ships and the best that was drawn, both under the caps of the search. */
interface Outcome {
  shipped: Tally;
  drawn: Tally;
  /** Nothing that was drawn did better than what ships. */
  kept: boolean;
  /** Trials of the last rung that cost more than they may. */
  tooDear: number;
}

const IN_FLIGHT = 4;

/**
 * As many trials of each policy, halved by MRR@10 after re-ranking: what is given back cost no more, in any unit, than the
 * baseline that ships, to within the tolerance. Trials see retrieval and re-ranking as the router does them; a pair is
 * scored once, whoever asks. What an earlier run saw is not asked again. Throws ABORTED when the signal fires.
 */
export async function search(
  base: ProfileSet,
  sets: readonly TuningSet[],
  scorers: Scorers,
  options: SearchOptions,
): Promise<Found> {
  const { trials, limit, seed, tolerance } = options;
  const memo = new Memo(scorers);
  return memo.question(async () => {
    const asked = await askedOf(sets, limit, memo.scorers, options);
    const acts: Trial = { policy: 'act', set: base };
    const baseline: Trial = { policy: 'uniform', set: base };
    const file = await openSeen(options.out, scorers);
    try {
      const bench = new Bench(asked, memo.scorers, file, options);
      // The baseline is what all trials are held against, and says what each act costs.
      await bench.show([baseline], asked.length, 'baseline');
      const shares = spentShares(base, asked, bench.seenBy(baseline, asked.length));
      const rungs = rungsOf(trials, asked.length);
      const drawn = (draw: (random: Random) => ProfileSet, policy: Policy): Trial[] => {
        const random = seededRandom(seed);
        return Array.from({ length: trials - 1 }, () => ({ policy, set: draw(random) }));
      };
      const run = async (first: Trial, rest: readonly Trial[]) => {
        const judgeAt = (questions: number) => {
          const most = bench.tally(baseline, questions).spent;
          return (trial: Trial): Judged => {
            const { mrr, spent } = bench.tally(trial, questions);
            const allowed = COUNTED_UNITS.every((unit) => spent[unit] <= (1 + tolerance) * most[unit]);
            return { value: mrr, allowed };
          };
        };
        const left = await halved([first, ...rest], rungs, async (some, questions) => {
          await bench.show(some, questions, first.policy);
          return judgeAt(questions);
        });
        await bench.show([first], asked.length, first.policy);
        const judge = judgeAt(asked.length);
        // What ships is dropped by no chance of an early rung.
        const order = ranked([first, ...left.filter((trial) => trial !== first)], judge);
        const drawn = order.find((trial) => trial !== first)!;
        const at = (trial: Trial) => bench.tally(trial, asked.length);
        return {
          best: order[0]!,
          drawn,
          told: {
            shipped: at(first),
            drawn: at(drawn),
            kept: order[0] === first,
            tooDear: left.filter((trial) => !judge(trial).allowed).length,
          },
        };
      };
      const uniform = await run(
        baseline,
        drawn((random) => drawnUniform(base, random), 'uniform'),
      );
      const act = await run(
        acts,
        drawn((random) => drawnActs(base, shares, random), 'act'),
      );
      return {
        // What ships needs no search; what moves compute is what the search is asked for, even where it comes second.
        act: act.drawn,
        uniform: uniform.best,
        mix: mixOf(base, asked),
        rungs,
        by: { act: act.told, uniform: uniform.told },
      };
    } finally {
      await file.close();
    }
  });
}

/** The questions of all sets, as many of each, mixed so that the first of them are of every set. */
async function askedOf(
  sets: readonly TuningSet[],
  limit: number,
  scorers: Scorers,
  options: Pick<SearchOptions, 'seed' | 'say' | 'signal'>,
): Promise<Asked[]> {
  const all: Asked[] = [];
  for (const set of sets) {
    const folder = await set.index(scorers, options.say, options.signal);
    all.push(...(await asking(set, folder, limit, scorers, options)));
  }
  return inTurn(all, seededRandom(options.seed));
}

/** A seeded sample of a set's questions with what every trial needs of them: vector, act and the index in `folder`. */
export async function asking(
  set: TuningSet,
  folder: string,
  limit: number,
  scorers: Scorers,
  { seed }: Pick<SearchOptions, 'seed'>,
): Promise<Asked[]> {
  const index = embeddedBackend(await openIndex(folder));
  const retrieval = openRetrieval(index);
  const acts = await loadActClassifier();
  const questions = sample(set.questions, limit, seededRandom(seed));
  const vectors = await scorers.embed(questions.map(({ query }) => query));
  return questions.map((question, i) => {
    const vector = vectors[i]!;
    const act = acts.classify(question.query, vector);
    const key = canonicalHash([index.manifest.hash, question.query]).slice(0, 16);
    return { key, group: set.name, question, retrieval, vector, act };
  });
}

/** What trials have seen, kept in `out`. */
export async function openSeen(
  out: string,
  { info: { models, arithmetic } }: Scorers,
): Promise<ResultsFile<Seen>> {
  return ResultsFile.open<Seen>(out, 'profile-trials', { models, arithmetic, code: await codeHash() });
}

/** Shows trials questions, and remembers what came of it. */
export class Bench {
  readonly #asked: readonly Asked[];
  readonly #scorers: Scorers;
  readonly #file: ResultsFile<Seen>;
  readonly #told: Told;

  constructor(asked: readonly Asked[], scorers: Scorers, file: ResultsFile<Seen>, told: Told) {
    this.#asked = asked;
    this.#scorers = scorers;
    this.#file = file;
    this.#told = told;
  }

  /** Shows every trial the first `questions`, as far as it has not seen them. Throws ABORTED when the signal fires. */
  async show(trials: readonly Trial[], questions: number, label: string): Promise<void> {
    const some = this.#asked.slice(0, questions);
    const progress = new Progress(`${label}, ${trials.length} trials`, some.length, this.#told.say);
    await concurrently(some, IN_FLIGHT, async (asked) => {
      const missing = trials.filter((trial) => this.#file.get(keyOf(trial, asked)) === undefined);
      this.#told.signal.throwIfAborted();
      for (const trial of missing) await this.#file.add(await this.#seen(trial, asked));
      progress.step(missing.length === 0);
    });
  }

  /** What a trial made of the first `questions`, all of which it was shown. */
  seenBy(trial: Trial, questions: number): Seen[] {
    return this.#asked.slice(0, questions).map((asked) => this.#file.get(keyOf(trial, asked))!);
  }

  tally(trial: Trial, questions: number): Tally {
    const seen = this.seenBy(trial, questions);
    const mean = (of: (one: Seen, place: number) => number) =>
      seen.reduce((sum, one, place) => sum + of(one, place), 0) / seen.length;
    const spent = COUNTED_UNITS.map((unit) => [unit, mean((one) => one.spent[unit])]);
    const rank = ({ ranking }: Seen, place: number) => {
      const { relevant } = this.#asked[place]!.question;
      return reciprocalRankAt(ranking, new Map(relevant.map(({ docId, grade }) => [docId, grade])), 10) ?? 0;
    };
    return { questions: seen.length, mrr: mean(rank), spent: Object.fromEntries(spent) };
  }

  async #seen(trial: Trial, asked: Asked): Promise<Seen> {
    const { question, retrieval, vector, act } = asked;
    const parts = { retrieval, profiles: trial.set, scorers: this.#scorers };
    const said = { text: question.query, vector, act };
    const { reranked, spent } = await rankedUnder(parts, said, trial.policy, true);
    return { id: keyOf(trial, asked), ranking: reranked!, spent };
  }
}

function keyOf({ policy, set }: Trial, { key }: Asked): string {
  return `${policy} ${set.hash.slice(0, 16)} ${key}`;
}

/** Of what the baseline spent, what went to queries of each act, by the weights that their profiles are blended with. */
function spentShares(base: ProfileSet, asked: readonly Asked[], seen: readonly Seen[]): SpentShares {
  const shares = MOVING.map((unit) => [unit, weighted(base, asked, (i) => seen[i]!.spent[unit])]);
  return Object.fromEntries(shares) as SpentShares;
}

/** Shares of the acts, a query counting as much as `amount` says and for each act by its weight. */
function weighted(
  base: ProfileSet,
  asked: readonly Asked[],
  amount: (place: number) => number,
): Partial<Record<Act, number>> {
  const sums: Partial<Record<Act, number>> = {};
  let whole = 0;
  for (const [i, { act: said }] of asked.entries()) {
    whole += amount(i);
    for (const { act, weight } of allocate(base, said, 'act').blendedFrom) {
      if (act !== 'UNIFORM') sums[act] = (sums[act] ?? 0) + weight * amount(i);
    }
  }
  return Object.fromEntries(Object.entries(sums).map(([act, sum]) => [act, sum / whole]));
}

/** How often each act's profile is asked for, the commonest first. */
export function mixOf(base: ProfileSet, asked: readonly Asked[]): { act: Act; share: number }[] {
  return Object.entries(weighted(base, asked, () => 1))
    .map(([act, share]) => ({ act: act as Act, share }))
    .sort((a, b) => b.share - a.share);
}
