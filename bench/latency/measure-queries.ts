import { readFile } from 'node:fs/promises';
import { openRouter, Query } from '../../router/index.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { type LoopDelay, watchLoop } from '../measure/loop-delay.ts';
import { peakMiB, residentMiB } from '../measure/machine.ts';

export interface QueriesReport {
  total: LatencySummary;
  /** By stage of the decision's own timings; a stage that a gate made needless has fewer. */
  stages: Record<string, LatencySummary>;
  /** Until the speech act is known: the conversation, the vector and the act together. Left out: not measured yet then. */
  firstLook?: LatencySummary;
  actions: Record<string, number>;
  loop: LoopDelay;
  openMs: number;
  /** MiB of the whole process, models and index included. */
  memory: { rest: number; peak: number };
}

const WARM_UP = 10;
const FIRST_LOOK = ['history', 'embed', 'act'];

/** One query at a time through a router of this process, which ought to do nothing else. */
export async function measureQueries(index: string, file: string): Promise<QueriesReport> {
  const queries = (JSON.parse(await readFile(file, 'utf8')) as unknown[]).map((query) => Query.parse(query));
  const start = performance.now();
  const router = await openRouter({ index });
  const openMs = performance.now() - start;
  try {
    for (const query of queries.slice(0, WARM_UP)) await router.route(query);
    globalThis.gc?.();
    const rest = residentMiB();
    const total = new Latencies();
    const stages = new Map<string, Latencies>();
    const firstLook = new Latencies();
    const actions: Record<string, number> = {};
    const stop = watchLoop();
    for (const query of queries) {
      const { timings, action } = await total.time(() => router.route(query));
      actions[action] = (actions[action] ?? 0) + 1;
      const took = Object.entries(timings).filter(([stage]) => FIRST_LOOK.includes(stage));
      firstLook.record(took.reduce((sum, [, each]) => sum + each, 0));
      for (const [stage, took] of Object.entries(timings)) {
        if (stage === 'total') continue;
        let latencies = stages.get(stage);
        if (latencies === undefined) {
          latencies = new Latencies();
          stages.set(stage, latencies);
        }
        latencies.record(took);
      }
    }
    return {
      total: total.summary(),
      stages: Object.fromEntries([...stages].map(([stage, latencies]) => [stage, latencies.summary()])),
      firstLook: firstLook.summary(),
      actions,
      loop: stop(),
      openMs,
      memory: { rest, peak: peakMiB() },
    };
  } finally {
    await router.close();
  }
}
