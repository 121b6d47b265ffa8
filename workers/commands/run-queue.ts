/** What `pragaura queue` does. */
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, PragauraError, plainLine, toLine } from '../../common/index.ts';
import { dropDead, dropJob, dropWaiting } from '../queue/drop.ts';
import {
  connectRedis,
  disconnectRedis,
  Lane,
  liveWorkers,
  QueueStore,
  type RedisClient,
} from '../queue/index.ts';

export type QueueAction = 'status' | 'dead' | 'retry' | 'drop' | 'pause' | 'resume' | 'drain';

interface RunQueueOptions {
  redis: string;
  queue: string;
  action: QueueAction;
  jobs: readonly string[];
  configuration: string | undefined;
  dead: boolean;
  waiting: boolean;
  timeout: number;
  output: Writable;
  say: (message: string) => void;
  signal: AbortSignal;
}

interface Opened extends RunQueueOptions {
  store: QueueStore;
  lanes: Lane[];
}

const AT_ONCE = 500;
const POLL_MS = 250;

/** Gives the exit code. Throws QUEUE_UNAVAILABLE, and USAGE for what does not fit together. */
export async function runQueue(options: RunQueueOptions): Promise<number> {
  checkArguments(options);
  const client = await connectRedis(options.redis, 'producer');
  try {
    const store = new QueueStore(client, options.queue);
    const lanes = await lanesOf(store, client, options);
    return await RUN[options.action]({ ...options, store, lanes });
  } finally {
    await disconnectRedis(client);
  }
}

const RUN: Record<QueueAction, (opened: Opened) => Promise<number>> = {
  status,
  dead,
  retry,
  drop,
  drain,
  pause: (opened) => each(opened, 'paused', (lane) => lane.pause()),
  resume: (opened) => each(opened, 'resumed', (lane) => lane.resume()),
};

function checkArguments({ action, jobs, dead, waiting }: RunQueueOptions): void {
  const taking = action === 'retry' || action === 'drop';
  if (jobs.length > 0 && !taking) throw new PragauraError('USAGE', `queue ${action} takes no jobs.`);
  if (dead && !taking) throw new PragauraError('USAGE', `queue ${action} has no --dead.`);
  if (waiting && action !== 'drop') throw new PragauraError('USAGE', `queue ${action} has no --waiting.`);
  if (taking && jobs.length === 0 && !dead && !waiting) {
    throw new PragauraError('USAGE', `queue ${action}: which jobs?`, {
      hint: `Name their ids ("pragaura queue dead" has them), or say --dead${action === 'drop' ? ' or --waiting' : ''}.`,
    });
  }
}

async function lanesOf(
  store: QueueStore,
  client: RedisClient,
  { queue, configuration: wanted = '' }: RunQueueOptions,
): Promise<Lane[]> {
  const known = [...(await store.configurations()).keys()].filter((name) => name.startsWith(wanted));
  if (known.length === 0 && wanted !== '') {
    throw new PragauraError(
      'USAGE',
      `The queue "${queue}" has no configuration that begins with ${wanted}.`,
      {
        hint: '"pragaura queue status" lists them.',
      },
    );
  }
  return known.sort().map((configuration) => new Lane({ client, queue, configuration }));
}

async function status({ store, lanes, queue, output }: Opened): Promise<number> {
  const live = await liveWorkers(store);
  const made = await store.configurations();
  const configurations = await Promise.all(
    lanes.map(async (lane) => ({
      configuration: lane.configuration,
      made: made.get(lane.configuration) ?? null,
      jobs: await lane.counts(),
      workers: live
        .filter(({ configuration }) => configuration === lane.configuration)
        .map(({ worker, host, pid, startedAt, seenAt }) => ({ worker, host, pid, startedAt, seenAt })),
    })),
  );
  output.write(toLine({ schema: 'pragaura.queue/1', queue, configurations, results: await store.tally() }));
  return EXIT.OK;
}

async function dead({ lanes, output }: Opened): Promise<number> {
  for (const lane of lanes) {
    for (let from = 0; ; from += AT_ONCE) {
      const letters = await lane.dead(from, from + AT_ONCE - 1);
      for (const letter of letters) {
        output.write(toLine({ schema: 'pragaura.dead/1', configuration: lane.configuration, ...letter }));
      }
      if (letters.length < AT_ONCE) break;
    }
  }
  return EXIT.OK;
}

async function retry(opened: Opened): Promise<number> {
  const { store, lanes, jobs, say } = opened;
  let count = 0;
  const again = async (lane: Lane, jobId: string) => {
    const put = await lane.retry(jobId, () => store.forget(jobId));
    if (put) count += 1;
    return put;
  };
  const unknown = await unknownOf(jobs, lanes, again);
  if (opened.dead) {
    for (const lane of lanes) {
      // Listed before any is put back: what fails again meanwhile is not tried without end.
      const letters = await allDead(lane);
      for (const { jobId } of letters) await again(lane, jobId);
    }
  }
  say(`${count} jobs are in line again.`);
  return told(unknown, 'is no dead letter', say);
}

async function drop(opened: Opened): Promise<number> {
  const { store, lanes, jobs, say, signal } = opened;
  let count = 0;
  const unknown = await unknownOf(jobs, lanes, async (lane, jobId) => {
    const dropped = await dropJob(lane, store, jobId);
    if (dropped) count += 1;
    return dropped;
  });
  for (const lane of lanes) {
    if (opened.dead) count += await dropDead(lane, signal);
    if (opened.waiting) count += await dropWaiting(lane, store, signal);
  }
  say(`${count} jobs were dropped.`);
  return told(unknown, 'neither waits nor is a dead letter', say);
}

async function drain({ lanes, timeout, signal, say }: Opened): Promise<number> {
  const began = performance.now();
  for (;;) {
    const counts = await Promise.all(lanes.map((lane) => lane.counts()));
    const left = counts.reduce((sum, { waiting, active, delayed }) => sum + waiting + active + delayed, 0);
    if (left === 0) return EXIT.OK;
    if (signal.aborted) return EXIT.INTERRUPTED;
    if (performance.now() - began > timeout * 1000) {
      const paused = counts.some((count) => count.paused) ? ' The queue is paused.' : '';
      say(`After ${timeout} s there are still ${left} jobs.${paused}`);
      return EXIT.FAILED;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

async function each(
  { lanes, say }: Opened,
  done: string,
  act: (lane: Lane) => Promise<void>,
): Promise<number> {
  for (const lane of lanes) await act(lane);
  say(
    lanes.length === 0
      ? 'The queue has no configuration yet.'
      : `${lanes.length} configurations are ${done}.`,
  );
  return EXIT.OK;
}

/** The jobs for which `act` is true in no lane. */
async function unknownOf(
  jobs: readonly string[],
  lanes: readonly Lane[],
  act: (lane: Lane, jobId: string) => Promise<boolean>,
): Promise<string[]> {
  const unknown: string[] = [];
  for (const jobId of jobs) {
    let found = false;
    for (const lane of lanes) found ||= await act(lane, jobId);
    if (!found) unknown.push(jobId);
  }
  return unknown;
}

async function allDead(lane: Lane) {
  const { dead: count } = await lane.counts();
  return lane.dead(0, Math.max(0, count - 1));
}

function told(unknown: readonly string[], what: string, say: (message: string) => void): number {
  for (const jobId of unknown.slice(0, 5)) say(`pragaura: ${plainLine(jobId).slice(0, 80)} ${what}.`);
  return unknown.length > 0 ? EXIT.BAD_LINES : EXIT.OK;
}
