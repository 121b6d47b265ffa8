import { seededRandom } from '../../calibration/index.ts';
import { openRouter } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { inTurn } from './sample.ts';
import type { DecisionQuery } from './types.ts';

/** Stages that wait for models or search the index: whatever else a query takes belongs to the decision. */
const ELSEWHERE = ['embed', 'retrieve', 'judge', 'nli'];
/** Queries that are routed first and not counted. */
const WARM = 10;

/** What deciding adds to a query, in milliseconds: a seeded sample, one query at a time, after some that do not count. */
export async function timed(
  queries: readonly DecisionQuery[],
  count: number,
  { index, scorers, signal }: { index: string; scorers: Scorers; signal: AbortSignal },
): Promise<LatencySummary> {
  const router = await openRouter({ index, scorers });
  const latencies = new Latencies();
  try {
    const chosen = inTurn(queries, seededRandom(1)).slice(0, count);
    const warmed = [...chosen.slice(0, WARM), ...chosen];
    for (const [place, { id, query, history, filters }] of warmed.entries()) {
      const asked = { id, query, ...(history && { history }), ...(filters && { filters }) };
      const { timings } = await router.route(asked, { signal });
      const elsewhere = ELSEWHERE.reduce((sum, stage) => sum + (timings[stage] ?? 0), 0);
      if (place >= warmed.length - chosen.length) latencies.record((timings.total ?? 0) - elsewhere);
    }
  } finally {
    await router.close();
  }
  return latencies.summary();
}
