/** Jobs on their way through a stand: submitted, followed, and held against the oracle. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Query } from '../../router/index.ts';
import { jobIdOf } from '../queue/index.ts';
import { runResults } from '../results/index.ts';
import { runSubmit, type SubmitOptions } from '../submit/index.ts';
import { judge, type Verdict } from './oracle.ts';
import { LineCollector, linesOf } from './queries.ts';
import type { Stand } from './stand.ts';

/** No result for so long: what has not come by then counts as lost. */
const PATIENCE_MS = 90_000;
const LOOK_MS = 20;

/** Submits queries through the wire; gives the exit code. */
export function submit(
  stand: Stand,
  queries: Iterable<Query>,
  options: Partial<SubmitOptions> = {},
): Promise<number> {
  return runSubmit({
    redis: stand.url,
    queue: stand.queue,
    configuration: stand.fleet.configuration,
    tenant: stand.tenant,
    priority: 'bulk',
    mostWaiting: stand.ahead,
    wait: false,
    resubmit: false,
    window: Math.ceil(stand.ahead / 2),
    ordered: true,
    input: linesOf(queries),
    output: new LineCollector(),
    say: () => {},
    signal: new AbortController().signal,
    ...options,
  });
}

/** A reader that follows results, as `pragaura results --follow` does, until it is told to stop. */
export class Follower {
  readonly #output = new LineCollector();
  readonly #stop = new AbortController();
  readonly #running: Promise<number>;
  #failed: unknown = null;

  constructor(stand: Stand, tenant = stand.tenant) {
    this.#running = runResults({
      redis: stand.url,
      queue: stand.queue,
      tenant,
      follow: true,
      ordered: false,
      ledger: undefined,
      cursor: join(stand.folder, `${tenant}.cursor`),
      out: undefined,
      output: this.#output,
      say: () => {},
      signal: this.#stop.signal,
    });
    this.#running.catch((error: unknown) => {
      this.#failed = error;
    });
  }

  get lines(): readonly string[] {
    return this.#output.lines;
  }

  /** Resolves when so many lines are there, or when none has come for a long time. Throws what the reader threw. */
  async until(count: number): Promise<void> {
    let seen = this.lines.length;
    let since = performance.now();
    while (this.lines.length < count && performance.now() - since < PATIENCE_MS) {
      if (this.#failed !== null) throw this.#failed;
      await sleep(LOOK_MS);
      if (this.lines.length === seen) continue;
      seen = this.lines.length;
      since = performance.now();
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

/**
 * Milliseconds until each of these jobs has its result: those that somebody worked on when the fault struck. Null when
 * that did not come.
 */
export async function recovery(stand: Stand, jobIds: readonly string[]): Promise<number | null> {
  const start = performance.now();
  let open = [...jobIds];
  while (performance.now() - start < PATIENCE_MS) {
    const results = await stand.store.lookUp(open);
    open = open.filter((_, place) => results[place] === null);
    if (open.length === 0) return performance.now() - start;
    await sleep(LOOK_MS);
  }
  return null;
}

export interface Examined extends Verdict {
  /** Jobs that a worker took up more than once. */
  ranAgain: number;
}

/** What a reader got beside what `route` gives. */
export async function examine(
  stand: Stand,
  queries: readonly Query[],
  lines: readonly string[],
  { tenant = stand.tenant, fleet = stand.fleet } = {},
): Promise<Examined> {
  const verdict = judge(await fleet.expected(queries), lines);
  const jobIds = queries.map(({ id }) => jobIdOf(tenant, id, fleet.configuration));
  const results = await stand.store.lookUp(jobIds);
  return { ...verdict, ranAgain: results.filter((result) => (result?.attempts ?? 1) > 1).length };
}
