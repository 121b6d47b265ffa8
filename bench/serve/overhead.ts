/** The same queries through `route` in this process and over HTTP. */
import { bootstrapInterval, type Interval, quantile } from '../../calibration/index.ts';
import { PragauraError, seededRandom, withoutClocks } from '../../common/index.ts';
import { type Decision, openRouter, type Query, type Router } from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { openLoop } from '../latency/open-loop.ts';
import { capacityOf, sweepOf } from '../latency/run-latency.ts';
import { startTimes } from '../latency/schedule.ts';
import { ask, keptConnections, oneConnection } from './client.ts';
import { withServe } from './server-process.ts';

/** A quantile with its bootstrap interval by query. */
export interface Figure extends Interval {
  value: number;
}

/** All in milliseconds. `around`: what a caller waits less the time in the router, as the same decision has it. */
export interface Compared {
  n: number;
  route: { response: Quantiles; around: Quantiles };
  http: { response: Quantiles; around: Quantiles };
  /** HTTP less `route`, query by query. */
  difference: { response: Quantiles; around: Quantiles };
  /** The difference of what is around, of the response over HTTP, at the median. */
  share: Figure;
}

export interface Quantiles {
  p50: Figure;
  p95: Figure;
}

export interface OverheadReport {
  alone: Compared;
  /** Queries a second: the knee of `route`, and what was offered. */
  knee: number;
  rate: number;
  half: Compared;
  /** Whether both gave the same decisions, clocks aside. */
  exact: boolean;
}

/** One query: what the caller waited for, and of that the router. */
interface Took {
  response: number;
  router: number;
  line: string;
}

interface Setting {
  index: string;
  scorers: Scorers;
  queries: readonly Query[];
  /** How long each rate is kept up. */
  seconds: number;
  /** Of `route`, in queries a second; left out: measured. */
  knee?: number | undefined;
  say: (line: string) => void;
}

const WARM_UP = 8;
const WINDOW = 16;
/** Of the capacity. */
const RATES = [0.4, 0.6, 0.8, 1] as const;

/** One at a time by turns, then an open loop with Poisson arrivals at half of the knee. Throws INTERNAL where a query is not decided. */
export async function measureOverhead(setting: Setting): Promise<OverheadReport> {
  const { index, scorers, queries, say } = setting;
  const router = await openRouter({ index, scorers });
  try {
    return await withServe(index, [], async ({ url }) => {
      const one = oneConnection();
      const direct = (query: Query) => throughRouter(router, query);
      const http = (query: Query, agent = one) => overHttp(url, query, agent);
      for (const query of queries.slice(0, WARM_UP)) await http(query).then(() => direct(query));
      say(`${queries.length} queries one at a time, by turns …`);
      const alone: Asked[] = [];
      for (const [place, query] of queries.entries()) {
        if (place % 2 === 0) {
          const first = await direct(query);
          alone.push({ route: first, http: await http(query) });
        } else {
          const first = await http(query);
          alone.push({ route: await direct(query), http: first });
        }
      }
      one.destroy();
      const knee = setting.knee ?? (await kneeOf(router, setting));
      const rate = knee / 2;
      say(`half load: ${rate.toFixed(2)} queries/s`);
      const plan = startTimes('poisson', rate, queries.length, seededRandom(1));
      const many = keptConnections();
      const route = await openly(plan, (place) => direct(queries[place]!));
      const served = await openly(plan, (place) => http(queries[place]!, many));
      many.destroy();
      const half = route.map((took, place) => ({ route: took, http: served[place]! }));
      const exact = [...alone, ...half].every(
        (pair) => withoutClocks(pair.route.line) === withoutClocks(pair.http.line),
      );
      return { alone: compared(alone), knee, rate, half: compared(half), exact };
    });
  } finally {
    await router.close();
  }
}

async function kneeOf(router: Pick<Router, 'route'>, { queries, seconds, say }: Setting): Promise<number> {
  const capacity = await capacityOf(router, queries, WINDOW);
  const rates = RATES.map((share) => share * capacity);
  const { knee } = await sweepOf(
    router,
    queries,
    'poisson',
    capacity,
    { rates, seconds, window: WINDOW },
    say,
  );
  return knee ?? rates[0]!;
}

async function throughRouter(router: Pick<Router, 'route'>, query: Query): Promise<Took> {
  const start = performance.now();
  const decision = await router.route(query);
  return {
    response: performance.now() - start,
    router: decision.timings.total!,
    line: JSON.stringify(decision),
  };
}

async function overHttp(url: string, query: Query, agent: ReturnType<typeof oneConnection>): Promise<Took> {
  const start = performance.now();
  const { status, text } = await ask(`${url}/v1/decisions`, { body: query, agent });
  const response = performance.now() - start;
  if (status !== 200) {
    throw new PragauraError('INTERNAL', `"${query.id}" was not decided: ${status} ${text.slice(0, 200)}`);
  }
  return { response, router: (JSON.parse(text) as Decision).timings.total!, line: text };
}

/** An open loop; responses from the intended start. */
async function openly(plan: readonly number[], work: (place: number) => Promise<Took>): Promise<Took[]> {
  const all: Took[] = [];
  let failure: unknown = null;
  await openLoop(work, { plan, window: plan.length }, ({ place, intended, ended, outcome }) => {
    if ('error' in outcome) failure ??= outcome.error;
    else all[place] = { ...outcome.value, response: ended - intended };
  });
  if (failure !== null) throw failure;
  return all;
}

/** A query asked both ways, with what came back. */
interface Asked {
  route: Took;
  http: Took;
}

export interface Pair {
  route: Pick<Took, 'response' | 'router'>;
  http: Pick<Took, 'response' | 'router'>;
}

export function compared(pairs: readonly Pair[]): Compared {
  const of = (value: (pair: Pair) => number): Quantiles => ({
    p50: figure(pairs, value, 0.5),
    p95: figure(pairs, value, 0.95),
  });
  const around = (took: Pair['route']) => took.response - took.router;
  const difference = (pair: Pair) => around(pair.http) - around(pair.route);
  return {
    n: pairs.length,
    route: { response: of(({ route }) => route.response), around: of(({ route }) => around(route)) },
    http: { response: of(({ http }) => http.response), around: of(({ http }) => around(http)) },
    difference: { response: of(({ http, route }) => http.response - route.response), around: of(difference) },
    share: figure(pairs, (pair) => difference(pair) / pair.http.response, 0.5),
  };
}

function figure(pairs: readonly Pair[], value: (pair: Pair) => number, at: number): Figure {
  const of = (some: readonly Pair[]) =>
    quantile(
      some.map(value).sort((a, b) => a - b),
      at,
    );
  const interval = bootstrapInterval(
    pairs.map((pair) => [pair]),
    of,
  );
  const whole = of(pairs);
  return { value: whole, low: interval?.low ?? whole, high: interval?.high ?? whole };
}
