import type { Act } from '../../profiles/index.ts';
import type { Thresholds } from '../../router/index.ts';
import { answerableOf } from '../labels/examples.ts';
import { isWrong, lossesOf, type WrongRule } from '../labels/wrong.ts';
import { placed, silencePlaceOf } from '../scores/place.ts';
import type { Observation } from '../types.ts';
import { type Applied, applied } from './applied.ts';

/** One example with what was decided and how good that was. Figures about labels are null where the labels do not say. */
export interface Graded extends Applied {
  observation: Observation;
  /** What counts as one document, and is drawn as a whole. */
  document: string;
  act: Act | null;
  failed: boolean;
  /** See `placed`: U, 0 for a definition, null for what no threshold answers. */
  place: number | null;
  /** See `silencePlaceOf`: what the bar between asking and silence is held against. */
  silencePlace: number | null;
  /** Of the candidate, given or not; 0 where there is none. */
  em: number | null;
  f1: number | null;
  /** Whether the candidate, given as the answer, would be wrong. */
  wrong: boolean | null;
  /** Whether it should be answered. */
  answerable: boolean | null;
  /** 1 - SCR and 1 - E of the candidate; null without candidate. */
  tokens: number | null;
  entailment: number | null;
  /** Whether a passage that holds the answer was read; null when the labels name none. */
  read: boolean | null;
}

/** What is known of an example under these thresholds. `document`: what its is called, see `documentsAmong`. Pure. */
export function grade(
  observation: Observation,
  thresholds: Thresholds,
  rule: WrongRule,
  document: string,
): Graded {
  const { error, act, features, candidate } = observation;
  const decided = applied(observation, thresholds);
  const place = placed(observation, decided.U);
  const failed = error !== null;
  const losses = failed ? { em: null, f1: null } : lossesOf(observation);
  const E = features?.E ?? null;
  return {
    ...decided,
    observation,
    document,
    act,
    failed,
    place,
    silencePlace: silencePlaceOf(thresholds.score, observation, place),
    em: losses.em === null ? null : 1 - losses.em,
    f1: losses.f1 === null ? null : 1 - losses.f1,
    wrong: failed ? null : isWrong(observation, rule),
    answerable: answerableOf(observation.example),
    tokens: candidate?.support == null ? null : 1 - candidate.support,
    entailment: candidate === null || E === null ? null : 1 - E,
    read: read(observation),
  };
}

function read({ example, ranking, error }: Observation): boolean | null {
  if (error !== null || (example.passages?.length ?? 0) === 0) return null;
  const gold = new Set(example.passages);
  return ranking.some(({ docId, passageId }) => gold.has(docId) || gold.has(passageId));
}

/** Asked or abstained; a failure is neither. */
export function unanswered({ action }: Graded): boolean {
  return action === 'ASK' || action === 'ABSTAIN';
}
