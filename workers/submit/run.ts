/** `pragaura submit`: a stream of queries into the queue; with `wait`, their decisions out of it. */
import type { Readable, Writable } from 'node:stream';
import type { Telemetry } from 'bullmq';
import { EXIT, PragauraError, plainLine, progress, recordParser, runRecords } from '../../common/index.ts';
import { Query } from '../../router/index.ts';
import {
  configurationIn,
  connectRedis,
  disconnectRedis,
  Lane,
  liveWorkers,
  QueueStore,
  type RedisClient,
  retrying,
  START_PATIENCE_MS,
  type Tries,
  untilServed,
} from '../queue/index.ts';
import type { Priority } from '../types.ts';
import { Answers } from './answers.ts';
import { Ledger, type LedgerJob, readLedger } from './ledger.ts';
import { PATIENCE_MS, Submitter, type SubmitterOptions } from './submitter.ts';

export interface SubmitOptions {
  redis: string;
  queue: string;
  /** Undefined: the one that workers announce. */
  configuration?: string | undefined;
  /** Milliseconds in which a worker of it must have announced itself; undefined: there need be none. */
  waitForWorkersMs?: number | undefined;
  tenant: string;
  priority: Priority;
  asker?: SubmitterOptions['asker'];
  mostWaiting: number;
  tries?: Tries;
  ledger?: string | undefined;
  /** Write decisions as `route` does, not receipts. */
  wait: boolean;
  /** With `wait`: what Redis loses is submitted again. Without: what it lost of the ledger, and no input is read. */
  resubmit: boolean;
  /** Queries in flight at most. */
  window: number;
  ordered: boolean;
  patienceMs?: number;
  /** Throws when this Redis is not fit for a queue. */
  check?: (client: RedisClient) => Promise<void>;
  input: Readable;
  output: Writable & { isTTY?: boolean };
  say: (message: string) => void;
  signal: AbortSignal;
  /** Traces begin here, and go on in the worker. */
  telemetry?: Telemetry | undefined;
}

const parseQuery = recordParser(
  Query,
  'One query a line, for example {"id": "q1", "query": "Who wrote it?"}.',
);

/** Submits and gives the exit code. Throws USAGE, QUEUE_UNAVAILABLE, NO_WORKER, JOB_LOST, and what a ledger throws. */
export async function runSubmit(options: SubmitOptions): Promise<number> {
  const say = (message: string) => options.say(`pragaura: ${plainLine(message)}`);
  const { queue, tenant, priority, wait } = options;
  if (options.resubmit && !wait && options.ledger === undefined) {
    throw new PragauraError('USAGE', '--resubmit has no ledger to look into.', {
      hint: 'Say --ledger FILE.',
    });
  }
  const { signal } = options;
  const client = await connectRedis(options.redis, 'producer', { ms: START_PATIENCE_MS, signal, say });
  let ledger: Ledger | undefined;
  try {
    // Redis may go away again between any two of these.
    const patience = { ms: options.patienceMs ?? PATIENCE_MS, signal, say };
    const patiently = <T>(run: () => Promise<T>) => retrying(run, patience);
    await patiently(async () => options.check?.(client));
    const store = new QueueStore(client, queue);
    if (options.ledger !== undefined) ledger = await Ledger.open(options.ledger);
    if (options.resubmit && !wait) {
      await resubmitLost(options.ledger!, { ...options, store, client, say });
      // What was not reached is still of the Redis that is gone: the ledger goes on saying so.
      if (signal.aborted) return EXIT.INTERRUPTED;
      if (ledger!.last !== null)
        await ledger!.begin({ ...ledger!.last, epoch: await patiently(() => store.epoch()) });
      return EXIT.OK;
    }

    if (options.waitForWorkersMs !== undefined) {
      await untilServed(() => patiently(() => liveWorkers(store)), options.configuration, {
        ms: options.waitForWorkersMs,
        signal,
      });
    }
    const configuration = await patiently(() => configurationIn(store, options.configuration));
    const lane = new Lane({ client, queue, configuration, telemetry: options.telemetry });
    const answers = wait ? await Answers.open({ ...options, store, patience, configuration, say }) : null;
    try {
      const submitter = new Submitter({ ...options, store, lane, ledger, replyTo: answers?.replyTo, say });
      if (ledger !== undefined) {
        const epoch = await patiently(() => store.epoch());
        checkEpoch(ledger, epoch, options);
        await ledger.begin({ queue, configuration, tenant, priority, epoch });
      }
      if (answers === null)
        return await stream(options, 'submitted', say, (query) => receipt(submitter, query));
      return await stream(options, 'decided', say, (query, own) => answers.to(query, submitter, own));
    } finally {
      await answers?.close();
    }
  } finally {
    await ledger?.close();
    await disconnectRedis(client);
  }
}

async function stream(
  options: SubmitOptions,
  label: string,
  say: (message: string) => void,
  process: (query: Query, signal: AbortSignal) => Promise<object>,
): Promise<number> {
  const { input, output, window, ordered, signal } = options;
  const bar = output.isTTY ? null : progress(label);
  let done = 0;
  try {
    const { exitCode } = await runRecords({
      input,
      output,
      window,
      ordered,
      signal,
      errors: say,
      parse: parseQuery,
      process: async (query, own) => {
        const record = await process(query, own);
        done += 1;
        bar?.update(done);
        return record;
      },
    });
    return exitCode;
  } finally {
    bar?.end();
  }
}

async function receipt(submitter: Submitter, query: Query): Promise<object> {
  const { jobId, status } = await submitter.submit(query);
  return { schema: 'pragaura.submitted/1', id: query.id, jobId, status };
}

/** A ledger remembers which Redis it was for. */
function checkEpoch(ledger: Ledger, epoch: string, { ledger: file, resubmit }: SubmitOptions): void {
  if (ledger.last === null || ledger.last.epoch === epoch || resubmit) return;
  throw new PragauraError(
    'JOB_LOST',
    `Redis came back empty, or is another one: it knows nothing of what the ledger ${file} holds, ${ledger.size} jobs.`,
    {
      hint: `Submit what has no result again: pragaura submit --ledger ${file} --resubmit. Or begin another ledger.`,
    },
  );
}

/** Puts back in line what a ledger holds and Redis has forgotten. */
interface ResubmitOptions
  extends Pick<SubmitterOptions, 'asker' | 'mostWaiting' | 'tries' | 'patienceMs' | 'signal' | 'say'> {
  queue: string;
  store: QueueStore;
  client: RedisClient;
}

const AT_ONCE = 500;

/** Says what it did. Throws what a ledger and a submitter throw, USAGE for a ledger of another queue. */
async function resubmitLost(file: string, options: ResubmitOptions): Promise<void> {
  const submitters = new Map<string, Submitter>();
  const submitterOf = ({ queue, configuration, tenant, priority }: LedgerJob) => {
    if (queue !== options.queue) {
      throw new PragauraError('USAGE', `The ledger ${file} is of the queue "${queue}".`, {
        hint: `Say --queue ${queue}.`,
      });
    }
    const key = JSON.stringify([queue, configuration, tenant, priority]);
    const lane = () => new Lane({ client: options.client, queue, configuration });
    const submitter =
      submitters.get(key) ?? new Submitter({ ...options, ledger: undefined, lane: lane(), tenant, priority });
    submitters.set(key, submitter);
    return submitter;
  };
  const tally = { queued: 0, known: 0, finished: 0 };
  const submit = async (jobs: readonly LedgerJob[]) => {
    const done = await Promise.all(
      jobs.map((job) => {
        const submitter = submitterOf(job);
        if (submitter.idOf(job.query.id) === job.jobId) return submitter.submit(job.query);
        throw new PragauraError('USAGE', `The ledger ${file} holds what somebody else submitted.`, {
          hint: 'Say who, as then: --queue-key with --principal-token or --trust-local.',
        });
      }),
    );
    for (const { status } of done) tally[status] += 1;
  };
  let batch: LedgerJob[] = [];
  for await (const job of readLedger(file)) {
    if (options.signal?.aborted) break;
    batch.push(job);
    if (batch.length < AT_ONCE) continue;
    await submit(batch);
    batch = [];
  }
  await submit(batch);
  options.say(
    `Of the ledger ${file}: ${tally.queued} jobs were submitted again, ${tally.known} wait or are worked on, ${tally.finished} have a result.`,
  );
}
