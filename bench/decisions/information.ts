/** What the information state is worth alone: uncertainty of the answer (H) against information of the query (I). Pure. */
import { auroc, type PlannerRow } from '../../calibration/index.ts';
import { ACTIONS, type Action, type PlannerFeatures, type PlanningFeature } from '../../router/index.ts';
import type { Facts } from './observation/facts.ts';
import type { Policy } from './policies.ts';
import type { DecisionQuery } from './types.ts';

/** By the name that the paper has for it; all rise with what speaks against answering. */
export const SIGNALS = {
  'I(q)': 'incompleteness',
  H: 'answerEntropy',
  'mean cosine': 'cosineConflict',
  C: 'C',
} as const satisfies Record<string, PlanningFeature>;
type SignalName = keyof typeof SIGNALS;

export interface Information {
  /** Queries of which anything was measured. */
  n: number;
  /** AUROC of each signal for "answering is wrong", and among those for "asking is right"; null where one side is empty. */
  told: Record<SignalName, { notAnswer: number | null; ask: number | null }>;
  /** By thirds of I(q) (fewer where it is tied): the share that would be answered in vain, and the mean of H in bits. */
  thirds: { from: number; to: number; n: number; inVain: number; H: number | null }[];
}

interface Seen {
  action: Action;
  planning: PlannerFeatures;
}

/** Null where nothing was measured. */
export function informationOf(
  queries: readonly DecisionQuery[],
  facts: readonly Facts[],
): Information | null {
  const seen = queries.flatMap(({ action }, place): Seen[] => {
    const { planning } = facts[place]!;
    return planning === null ? [] : [{ action, planning }];
  });
  if (seen.length === 0) return null;
  const told = Object.fromEntries(
    Object.entries(SIGNALS).map(([name, feature]) => [
      name,
      {
        notAnswer: tells(seen, feature, ({ action }) => action !== 'ANSWER'),
        ask: tells(
          seen.filter(({ action }) => action !== 'ANSWER'),
          feature,
          ({ action }) => action === 'ASK',
        ),
      },
    ]),
  ) as Information['told'];
  return { n: seen.length, told, thirds: thirdsOf(seen) };
}

function tells(
  seen: readonly Seen[],
  feature: PlanningFeature,
  positive: (one: Seen) => boolean,
): number | null {
  return auroc(
    seen.flatMap((one) => {
      const score = one.planning[feature];
      return score === null ? [] : [{ score, positive: positive(one) }];
    }),
  );
}

function thirdsOf(seen: readonly Seen[]): Information['thirds'] {
  const known = seen.flatMap((one) =>
    one.planning.incompleteness === null ? [] : [{ ...one, I: one.planning.incompleteness }],
  );
  const cuts = cutsOf(known.map(({ I }) => ({ value: I, weight: 1 })));
  return Array.from({ length: cuts.length + 1 }, (_, bin) => known.filter(({ I }) => binOf(I, cuts) === bin))
    .filter((own) => own.length > 0)
    .map((own) => {
      const H = own.flatMap(({ planning }) => planning.answerEntropy ?? []);
      return {
        from: Math.min(...own.map(({ I }) => I)),
        to: Math.max(...own.map(({ I }) => I)),
        n: own.length,
        inVain: own.filter(({ action }) => action !== 'ANSWER').length / own.length,
        H: H.length === 0 ? null : H.reduce((sum, value) => sum + value, 0) / H.length,
      };
    });
}

/** Equation 6 of paper 000: nothing is missing, something that asking could supply, something that it could not. */
export const byPrintedRule: Policy = ({ final, planning, candidate }) => {
  const { incompleteness = null, missingRecoverable = null } = planning ?? {};
  const ruled = incompleteness === 0 ? 'ANSWER' : (missingRecoverable ?? 0) > 0 ? 'ASK' : 'ABSTAIN';
  return { action: final ?? (incompleteness === null ? 'ABSTAIN' : ruled), text: candidate };
};

/**
 * The action that is right most often, as the rows weigh, where a query lies: thirds of each of these signals, and a place of
 * its own for what was not measured. A place without a row is answered. Null without rows.
 */
export function bySignals(names: readonly SignalName[], rows: readonly PlannerRow[]): Policy | null {
  if (rows.length === 0) return null;
  const cuts = names.map((name) =>
    cutsOf(
      rows.flatMap(({ features, weight = 1 }) => {
        const value = features[SIGNALS[name]];
        return value === null ? [] : [{ value, weight }];
      }),
    ),
  );
  const placeOf = (planning: PlannerFeatures) =>
    names
      .map((name, i) => {
        const value = planning[SIGNALS[name]];
        return value === null ? '-' : binOf(value, cuts[i]!);
      })
      .join(' ');
  const weights = new Map<string, Record<Action, number>>();
  for (const { features, action, weight = 1 } of rows) {
    const place = placeOf(features);
    const own = weights.get(place) ?? { ANSWER: 0, ASK: 0, ABSTAIN: 0 };
    own[action] += weight;
    weights.set(place, own);
  }
  return ({ final, planning, candidate }) => {
    const own = planning === null ? undefined : weights.get(placeOf(planning));
    const most = own === undefined ? 'ANSWER' : ACTIONS.reduce((a, b) => (own[b] > own[a] ? b : a));
    return { action: final ?? (planning === null ? 'ABSTAIN' : most), text: candidate };
  };
}

/** The values at a third and at two thirds of the weight; what is above one lies in the next bin. */
function cutsOf(items: readonly { value: number; weight: number }[]): number[] {
  const sorted = [...items].sort((a, b) => a.value - b.value);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const cuts: number[] = [];
  let sum = 0;
  for (const { value, weight } of sorted) {
    sum += weight;
    if (sum >= ((cuts.length + 1) * total) / 3 && cuts.length < 2) cuts.push(value);
  }
  return [...new Set(cuts)];
}

function binOf(value: number, cuts: readonly number[]): number {
  return cuts.filter((cut) => value > cut).length;
}
