/** What contenders are judged by: a question as one way of answering left it. Pure. */
import { lossesOf, type Observation, type Scored, type SplitName } from '../../calibration/index.ts';
import type { Act } from '../../profiles/index.ts';
import { type CertifiedUnit, spentOf } from '../parity/certificate.ts';

export type Spent = Record<CertifiedUnit, number>;

/** `em`, `f1`: of the answer, whether or not it would be given; null where there is no gold answer or the query failed. */
export interface Item {
  id: string;
  group: string;
  act: Act | null;
  /** The lower, the sooner it is answered; null: never. */
  U: number | null;
  em: number | null;
  f1: number | null;
  /** 1 - SCR: share of the claim's content words that its passage does not hold; null where there is no claim. */
  unsupported: number | null;
  /** Null where nothing was spent, because the query failed. */
  spent: Spent | null;
  /** Of the processor; null where the question was not timed. */
  ms: number | null;
}

export type Items = Record<SplitName, readonly Item[]>;

/** An observation with another uncertainty. */
export function itemOf(observation: Observation, U: number | null, ms: number | null): Item {
  const { example, error, act, candidate, receipt, opinion } = observation;
  const { em, f1 } = error === null ? lossesOf(observation) : { em: null, f1: null };
  const support = candidate?.support ?? null;
  return {
    id: example.id,
    group: example.group,
    act: error === null ? act : null,
    U,
    em: em === null ? null : 1 - em,
    f1: f1 === null ? null : 1 - f1,
    unsupported: support === null ? null : 1 - support,
    spent: receipt === null ? null : spentOf(receipt, opinion),
    ms,
  };
}

/** As thresholds see it. An answer is wrong by exact match. */
export function scoredOf({ act, U, em, group }: Item): Scored {
  return { act, U, wrong: em === null ? null : em === 0, group };
}
