/** What was measured, as items under whatever score. */
import { type Observation, SPLITS, type SplitName, scoredWith } from '../../calibration/index.ts';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { Policy, UncertaintyScore } from '../../router/index.ts';
import { type Item, type Items, itemOf } from './items.ts';
import type { Attempted } from './measure.ts';
import type { Attempt } from './pipelines/index.ts';
import {
  byTopScore,
  mindingConflicts,
  type RetrievalScores,
  type Retrieved,
  retrievedWith,
  type SeriesRow,
  seriesOf,
} from './retrieval.ts';
import { fitted, type ScoreName } from './scores.ts';

/** What was measured of questions, beside the observations of each arm. */
export interface Recorded {
  attempts: readonly Attempted[];
  splitOf: ReadonlyMap<string, SplitName>;
  /** Milliseconds by arm or way of answering and question. */
  times: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Records of all arms and ways, as items under whatever score. */
export class Records {
  readonly #observed: ReadonlyMap<string, readonly Observation[]>;
  readonly #measured: Recorded;
  readonly #remarks: Set<string>;
  readonly #fits = new Map<string, UncertaintyScore | null>();

  constructor(
    observed: ReadonlyMap<string, readonly Observation[]>,
    measured: Recorded,
    remarks: Set<string>,
  ) {
    this.#observed = observed;
    this.#measured = measured;
    this.#remarks = remarks;
  }

  under(arm: string, name: ScoreName): Items | null {
    const score = this.#fit(arm, name);
    if (score === null) return null;
    return this.#items(arm, (observation) => scoredWith(score, observation, () => null).U);
  }

  /** No gate is asked: nothing was read. */
  byRetrieval(of: (scores: RetrievalScores) => number): Items {
    const scores = new Map(this.#measured.attempts.map(({ id, retrieval }) => [id, of(retrieval.uniform)]));
    return this.#items('uniform', ({ example, candidate }) =>
      candidate === null ? null : scores.get(example.id)!,
    );
  }

  byAttempt(pipeline: string, uncertainty: string): Items {
    const { attempts, times } = this.#measured;
    const by = new Map(attempts.map(({ id, attempts: own }) => [id, own[pipeline]!]));
    return this.#divided('uniform', (observation) => {
      const attempt = by.get(observation.example.id)!;
      const ms = times.get(pipeline)?.get(observation.example.id) ?? null;
      return attemptItem(observation, attempt, uncertainty, ms);
    });
  }

  series(): SeriesRow[] {
    const minding = this.#retrieved('act', mindingConflicts);
    return seriesOf(this.#retrieved('uniform', byTopScore), minding);
  }

  #retrieved(
    arm: Policy,
    of: (scores: RetrievalScores, observation: Observation) => number,
  ): Record<SplitName, Retrieved[]> {
    const scores = new Map(this.#measured.attempts.map(({ id, retrieval }) => [id, retrieval[arm]]));
    const splits = this.#splits(arm);
    return splitBy((name) =>
      splits[name].map((seen) => retrievedWith(seen, of(scores.get(seen.example.id)!, seen))),
    );
  }

  #fit(arm: string, name: ScoreName): UncertaintyScore | null {
    const key = `${arm}: ${name}`;
    const known = this.#fits.get(key);
    if (known !== undefined) return known;
    let score: UncertaintyScore | null = null;
    try {
      score = fitted(name, this.#splits(arm).tune);
      if (name === 'Platt' && score.kind === 'learned' && score.inputs[0]!.weight < 0) {
        this.#remarks.add(
          `${key}: on the tune split surer answers were wrong more often; its order is turned round.`,
        );
      }
    } catch (error) {
      if (!PragauraError.isInstance(error) || error.code !== 'INVALID_INPUT') throw error;
      this.#remarks.add(`${key}: not fitted. ${messageOf(error)}`);
    }
    this.#fits.set(key, score);
    return score;
  }

  #splits(arm: string): Record<SplitName, readonly Observation[]> {
    const observations = this.#observed.get(arm) ?? [];
    const { splitOf } = this.#measured;
    return splitBy((name) => observations.filter(({ example }) => splitOf.get(example.id) === name));
  }

  #items(arm: string, U: (observation: Observation) => number | null): Items {
    const times = this.#measured.times.get(arm);
    return this.#divided(arm, (observation) =>
      itemOf(observation, U(observation), times?.get(observation.example.id) ?? null),
    );
  }

  #divided(arm: string, of: (observation: Observation) => Item): Items {
    const splits = this.#splits(arm);
    return splitBy((name) => splits[name].map(of));
  }
}

function splitBy<T>(of: (name: SplitName) => T): Record<SplitName, T> {
  return Object.fromEntries(SPLITS.map((name) => [name, of(name)])) as Record<SplitName, T>;
}

/** The question of an observation, answered another way. */
function attemptItem(
  { example, act, candidate, ...observation }: Observation,
  { text, uncertainty, support, spent }: Attempt,
  name: string,
  ms: number | null,
): Item {
  const given = text === null ? null : { claim: text, docId: '', passageId: '', ...candidate, text, support };
  const item = itemOf({ ...observation, example, act, error: null, candidate: given }, null, ms);
  return { ...item, U: text === null ? null : (uncertainty[name] ?? null), spent };
}
