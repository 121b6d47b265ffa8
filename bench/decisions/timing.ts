import { askedOf } from '../../calibration/index.ts';
import { seededRandom } from '../../common/index.ts';
import { openRouter } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { inTurn } from '../measure/in-turn.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import type { DecisionQuery } from './types.ts';

/** Stages that wait for models or search the index: whatever else a query takes belongs to the decision. */
const ELSEWHERE = ['embed', 'retrieve', 'judge', 'nli'];
/** Queries that are routed first and not counted. */
const WARM = 10;

export interface Timing {
  /** What deciding adds to a query: all of its time but that of models and of the search. */
  decision: LatencySummary;
  /** Every stage, and `between` them. */
  stages: Record<string, LatencySummary>;
}

/** Milliseconds of a seeded sample, one query at a time, after some that do not count. */
export async function timed(
  queries: readonly DecisionQuery[],
  count: number,
  { index, scorers, signal }: { index: string; scorers: Scorers; signal: AbortSignal },
): Promise<Timing> {
  const router = await openRouter({ index, scorers, rule: 'provisional' });
  const decision = new Latencies();
  const stages = new Map<string, Latencies>();
  const book = (stage: string, ms: number) => {
    const latencies = stages.get(stage) ?? new Latencies();
    stages.set(stage, latencies);
    latencies.record(ms);
  };
  try {
    const chosen = inTurn(queries, seededRandom(1)).slice(0, count);
    const warmed = [...chosen.slice(0, WARM), ...chosen];
    for (const [place, query] of warmed.entries()) {
      const asked = { id: query.id, ...askedOf(query) };
      const { total = 0, ...own } = (await router.route(asked, { signal })).timings;
      if (place < warmed.length - chosen.length) continue;
      for (const [stage, ms] of Object.entries(own)) book(stage, ms);
      book('between', Math.max(0, total - sum(Object.values(own))));
      decision.record(Math.max(0, total - sum(ELSEWHERE.map((stage) => own[stage] ?? 0))));
    }
  } finally {
    await router.close();
  }
  return {
    decision: decision.summary(),
    stages: Object.fromEntries([...stages].map(([stage, latencies]) => [stage, latencies.summary()])),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
