/** The same queries at the same times through `route` and through the queue. */
import { PragauraError } from '../../common/index.ts';
import type { Decision, Query } from '../../router/index.ts';
import { openLoop } from '../latency/open-loop.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import type { Piped } from './piped.ts';

export interface Asked {
  response: LatencySummary;
  /** Response less the time in the router, as the decision has it: pipes, and the queue where there is one. */
  around: LatencySummary;
  /** Share of the response that is not the router's, at the median. */
  aroundShare: number | null;
  lines: string[];
}

/** An open loop over a program's pipes. Ids carry their place, so that none is asked twice. */
export async function askAll(
  program: Pick<Piped, 'ask'>,
  queries: readonly Query[],
  plan: readonly number[],
): Promise<Asked> {
  const response = new Latencies();
  const around = new Latencies();
  const shares: number[] = [];
  const lines: string[] = [];
  let failure: unknown = null;
  await openLoop(
    (place) => program.ask(queries[place]!),
    { plan, window: plan.length },
    ({ place, intended, ended, outcome }) => {
      if ('error' in outcome) {
        failure ??= outcome.error;
        return;
      }
      lines.push(outcome.value);
      const decision = JSON.parse(outcome.value) as Partial<Decision>;
      const inRouter = decision.timings?.total;
      if (inRouter === undefined) {
        const shown = outcome.value.slice(0, 200);
        failure ??= new PragauraError('INTERNAL', `"${queries[place]!.id}" was not decided: ${shown}`);
        return;
      }
      const took = ended - intended;
      shares.push((took - inRouter) / took);
      response.record(took);
      around.record(Math.max(0, took - inRouter));
    },
  );
  if (failure !== null) throw failure;
  shares.sort((a, b) => a - b);
  return {
    response: response.summary(),
    around: around.summary(),
    aroundShare: shares[Math.floor(shares.length / 2)] ?? null,
    lines,
  };
}
