/** `pragaura results`: what came of the jobs, each once. */
import type { Writable } from 'node:stream';
import { EXIT, PragauraError, plainLine, progress } from '../../common/index.ts';
import {
  connectRedis,
  disconnectRedis,
  QueueStore,
  type RedisClient,
  START_PATIENCE_MS,
} from '../queue/index.ts';
import { type LedgerJob, readLedger } from '../submit/index.ts';
import { Journal } from './journal.ts';
import { fileOutput, type Output, streamOutput } from './output.ts';
import { ResultReader, type Wanted } from './read.ts';

export interface ResultsOptions {
  redis: string;
  queue: string;
  /** Undefined: of all tenants. */
  tenant: string | undefined;
  /** Goes on for ever. */
  follow: boolean;
  /** In the order of the ledger. */
  ordered: boolean;
  /** Only the jobs of this ledger, until all of them are there. */
  ledger: string | undefined;
  /** Where to go on from. Default: FILE.cursor beside `out`, and none without. */
  cursor: string | undefined;
  /** A file to append to. Default: `output`. */
  out: string | undefined;
  output: Writable & { isTTY?: boolean };
  say: (message: string) => void;
  signal: AbortSignal;
}

/** Writes results and gives the exit code. Throws QUEUE_UNAVAILABLE, JOB_LOST, WRITE_FAILED, UNREADABLE_DOCUMENT, USAGE. */
export async function runResults(options: ResultsOptions): Promise<number> {
  const say = (message: string) => options.say(`pragaura: ${plainLine(message)}`);
  if (options.ordered && options.ledger === undefined) {
    throw new PragauraError('USAGE', '--ordered does not say in which order.', {
      hint: 'Say --ledger FILE with the ledger of "pragaura submit".',
    });
  }
  if (options.follow && options.ledger !== undefined) {
    throw new PragauraError(
      'USAGE',
      '--follow never ends, --ledger ends with the jobs of a ledger: not both.',
    );
  }
  const { signal } = options;
  const client = await connectRedis(options.redis, 'producer', { ms: START_PATIENCE_MS, signal, say });
  let listener: RedisClient | null = null;
  // Otherwise it would listen to the end of its second.
  const stop = () => listener?.disconnect();
  signal.addEventListener('abort', stop);
  let journal: Journal | null = null;
  let output: Output | null = null;
  const bar = options.output.isTTY && options.out === undefined ? null : progress('results');
  try {
    // From here on there was a Redis: it is waited for as it is later.
    listener = await connectRedis(options.redis, 'producer', { signal, say });
    const cursor = options.cursor ?? (options.out === undefined ? undefined : `${options.out}.cursor`);
    journal = cursor === undefined ? Journal.forgetful() : await Journal.open(cursor);
    output =
      options.out === undefined
        ? streamOutput(options.output)
        : await fileOutput(options.out, journal.place.bytes);
    // Before the first line: half of it, and nothing noted, must not look like somebody else's file.
    if (journal.place.bytes !== output.bytes)
      await journal.note({ ...journal.place, bytes: output.bytes }, []);
    const store = new QueueStore(client, options.queue);
    const reader = new ResultReader({
      listening: new QueueStore(listener, options.queue),
      store,
      journal,
      output,
      signal,
      say,
      progress: (written) => bar?.update(written),
    });
    await reader.warnOfUnread();
    const { ledger, tenant = null } = options;
    if (ledger === undefined) await reader.asTheyCome(tenant, options.follow);
    else if (options.ordered) await reader.inOrder(() => jobsOf(ledger, options));
    else await reader.asTheyCome(tenant, false, await wantedOf(ledger, options));
    const { outputClosed, errors } = reader.summary;
    if (signal.aborted && !outputClosed) return EXIT.INTERRUPTED;
    return errors > 0 && !outputClosed ? EXIT.BAD_LINES : EXIT.OK;
  } finally {
    bar?.end();
    signal.removeEventListener('abort', stop);
    await output?.close();
    await journal?.close();
    listener?.disconnect();
    await disconnectRedis(client);
  }
}

/** Those whose results are asked for: waiting for one of another tenant would never end. */
type Asked = Pick<ResultsOptions, 'queue' | 'tenant'>;

async function* jobsOf(ledger: string, { queue, tenant }: Asked): AsyncGenerator<LedgerJob> {
  for await (const job of readLedger(ledger)) {
    if (job.queue !== queue) {
      throw new PragauraError('USAGE', `The ledger ${ledger} is of the queue "${job.queue}".`, {
        hint: `Say --queue ${job.queue}.`,
      });
    }
    if (tenant === undefined || job.tenant === tenant) yield job;
  }
}

async function wantedOf(ledger: string, asked: Asked): Promise<Map<string, Wanted>> {
  const wanted = new Map<string, Wanted>();
  for await (const { jobId, configuration } of jobsOf(ledger, asked))
    wanted.set(jobId, { jobId, configuration });
  return wanted;
}
