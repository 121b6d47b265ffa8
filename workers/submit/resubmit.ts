/** Puts back in line what a ledger holds and Redis has forgotten. */
import { PragauraError } from '../../common/index.ts';
import { Lane, type QueueStore, type RedisClient } from '../queue/index.ts';
import { type LedgerJob, readLedger } from './ledger.ts';
import { Submitter, type SubmitterOptions } from './submitter.ts';

interface ResubmitOptions
  extends Pick<SubmitterOptions, 'mostWaiting' | 'tries' | 'patienceMs' | 'signal' | 'say'> {
  queue: string;
  store: QueueStore;
  client: RedisClient;
}

const AT_ONCE = 500;

/** Says what it did. Throws what a ledger and a submitter throw, USAGE for a ledger of another queue. */
export async function resubmitLost(file: string, options: ResubmitOptions): Promise<void> {
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
    const done = await Promise.all(jobs.map((job) => submitterOf(job).submit(job.query)));
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
