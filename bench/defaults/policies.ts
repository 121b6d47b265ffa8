/** Ways of dealing with a missing piece: ours, ours without one of its parts, the paper's, and two that do not learn or do not doubt. */
import { type Random, seededRandom } from '../../common/index.ts';
import { DefaultSettings, resolveFrom, type Signal, type Vote } from '../../conversation/index.ts';
import type { SimulatedRequest } from './world.ts';

/** apply: without a word. ask: a question, with a value proposed or without. */
export type Choice = { do: 'apply'; value: string } | { do: 'ask'; proposed: string | null };

export interface PolicyInUse {
  choose(request: SimulatedRequest): Choice;
  /** `instead`: with explicit_no, what the user wanted. */
  learn(request: SimulatedRequest, signal: Signal, value: string, instead?: string): void;
}

export interface Policy {
  name: string;
  begin(seed: number): PolicyInUse;
}

const fieldOf = (request: SimulatedRequest) => `${request.tenant}/${request.field}`;

/** An entry of a map, made when it is first asked for. */
function entry<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** The rules of `router/defaults`, with votes in memory. */
export function learned(name: string, settings: Parameters<typeof DefaultSettings.parse>[0] = {}): Policy {
  const parsed = DefaultSettings.parse(settings);
  return {
    name,
    begin() {
      const votes = new Map<string, Vote[]>();
      let id = 0;
      const pairs = (request: SimulatedRequest) =>
        Object.entries(request.conditions).sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        choose(request) {
          const { tenant, field, at } = request;
          const known = entry(votes, fieldOf(request), () => []);
          const asked = { tenant, field, scope: '', conditions: pairs(request) };
          const { outcome, used, default: found } = resolveFrom(known, asked, parsed, at, () => true);
          if (used !== null) return { do: 'apply', value: used };
          return { do: 'ask', proposed: outcome === 'SUGGESTED' ? found.value : null };
        },
        learn(request, signal, value, instead) {
          const said =
            instead === undefined ? { signal, value } : { signal: 'explicit_yes' as const, value: instead };
          const vote = { id: ++id, at: request.at, ...said, docId: null, conditions: pairs(request) };
          entry(votes, fieldOf(request), () => []).push(vote);
        },
      };
    },
  };
}

export const neverLearn: Policy = {
  name: 'never learn',
  begin: () => ({ choose: () => ({ do: 'ask', proposed: null }), learn() {} }),
};

/** Asks once, and from then on applies what got the most answers. */
export const alwaysMajority: Policy = {
  name: 'always majority',
  begin() {
    const counts = new Map<string, Map<string, number>>();
    return {
      choose(request) {
        const known = [...entry(counts, fieldOf(request), () => new Map())].sort((a, b) => b[1] - a[1])[0];
        return known === undefined ? { do: 'ask', proposed: null } : { do: 'apply', value: known[0] };
      },
      learn(request, signal, value, instead) {
        const wanted = instead ?? (signal === 'failure' || signal === 'explicit_no' ? null : value);
        if (wanted === null) return;
        const known = entry(counts, fieldOf(request), () => new Map<string, number>());
        known.set(wanted, (known.get(wanted) ?? 0) + 1);
      },
    };
  },
};

/**
 * The update and the gate as the paper prints them: +1, -1 and +1/2, confidence = most votes / all signals, failures
 * among them. Between .60 and .85 it asks "occasionally", read here as every second time. It gives no rule for when a
 * failure makes strata, so there are none.
 */
export const paper: Policy = {
  name: "the paper's rule",
  begin(seed) {
    const random: Random = seededRandom(seed);
    const rows = new Map<string, { votes: Map<string, number>; signals: number }>();
    const rowOf = (request: SimulatedRequest) =>
      entry(rows, fieldOf(request), () => ({ votes: new Map<string, number>(), signals: 0 }));
    return {
      choose(request) {
        const { votes, signals } = rowOf(request);
        const top = [...votes].sort((a, b) => b[1] - a[1])[0];
        if (top === undefined) return { do: 'ask', proposed: null };
        const confidence = Math.max(0, top[1]) / signals;
        if (confidence > 0.85) return { do: 'apply', value: top[0] };
        if (confidence < 0.6) return { do: 'ask', proposed: top[0] };
        return random() < 0.5 ? { do: 'ask', proposed: top[0] } : { do: 'apply', value: top[0] };
      },
      learn(request, signal, value, instead) {
        const row = rowOf(request);
        const add = (to: string, weight: number) => row.votes.set(to, (row.votes.get(to) ?? 0) + weight);
        if (signal !== 'failure') add(value, { explicit_yes: 1, explicit_no: -1, implicit_ok: 0.5 }[signal]);
        if (instead !== undefined) add(instead, 1);
        row.signals++;
      },
    };
  },
};

/** In the order of the table. */
export const POLICIES: readonly Policy[] = [
  neverLearn,
  alwaysMajority,
  paper,
  learned('ours'),
  learned('without strata', { split: { depth: 0 } }),
  learned('without ageing', { halfLifeDays: null }),
  learned('changes not looked for', { changes: false }),
  learned('silence counts in full', { implicitShare: 1e9 }),
];
