/** What happens to one job, without BullMQ: from its data to a stored result, or to why there is none. */
import {
  ERROR_CODES,
  type ErrorCode,
  EXIT,
  isSystemError,
  messageOf,
  PragauraError,
} from '../../common/index.ts';
import { principalBy } from '../../governance/index.ts';
import type { Decision } from '../../router/index.ts';
import { digestOf, jobIdOf, type QueueStore, retrying } from '../queue/index.ts';
import {
  HEARTBEAT,
  type JobError,
  type JobResult,
  type JobSight,
  type Observer,
  QueryJob,
} from '../types.ts';
import { shownMs } from './decider.ts';
import type { Decider } from './types.ts';

/** A job as the queue hands it over. */
export interface TakenJob {
  id: string;
  name: string;
  data: unknown;
  /** How often it was taken up, this time included. */
  starts: number;
  /** Whether it will not be tried again if it fails now. */
  lastTry: boolean;
}

/** The job cannot be done, however often it is tried. Its reason is safe to log. */
export class Hopeless extends Error {}
/** The job is to go back in line as if nobody had taken it up. */
export class HandedBack extends Error {}

export interface ProcessorOptions {
  worker: string;
  store: Pick<QueueStore, 'finish' | 'lookUp' | 'now'>;
  decider: Decider;
  mostStarts: number;
  observer: Observer;
  say: (message: string) => void;
}

/**
 * Does a job: resolves when its result is stored. Throws Hopeless once the error is stored, HandedBack when `signal`
 * fires, and otherwise what may pass, which is stored on the last try.
 */
export async function processJob(
  job: TakenJob,
  signal: AbortSignal,
  options: ProcessorOptions,
): Promise<void> {
  const { store, observer, mostStarts } = options;
  if (job.name === HEARTBEAT) {
    quietly(() => observer.heartbeat?.(job.data));
    return;
  }
  const data = ownJob(job, options);
  const startedAt = store.now();
  const sight: JobSight = {
    jobId: job.id,
    tenant: data.tenant,
    priority: data.priority,
    attempt: job.starts,
    waitedMs: Math.max(0, startedAt - data.submittedAt),
  };
  quietly(() => observer.started?.(sight));
  if (job.starts > 1 && (await alreadyDone(job, data, signal, options))) return;

  const begun = performance.now();
  let decision: Decision;
  try {
    if (job.starts > mostStarts) throw diedTooOften(job.starts - 1);
    decision = await decided(data, job.id, startedAt, signal, options);
  } catch (error) {
    if (signal.aborted) throw new HandedBack(job.id);
    const known = errorOf(error);
    const hopeless = !mayPass(error);
    const final = hopeless || job.lastTry;
    quietly(() => observer.failed?.(sight, known, final));
    if (final) await stored(job, data, { error: known }, signal, options);
    throw hopeless ? new Hopeless(reasonOf(known)) : new Error(reasonOf(known));
  }
  const routed = performance.now() - begun;
  await stored(job, data, { decision }, signal, options);
  const timings = { waited: sight.waitedMs, routed, stored: performance.now() - begun - routed };
  quietly(() => observer.finished?.(sight, decision, timings));
}

/** The data of a job that `submit` put there. Anything else is nobody's: it has no id under which to answer. */
function ownJob(job: TakenJob, { decider, observer }: ProcessorOptions): QueryJob {
  const parsed = QueryJob.safeParse(job.data);
  const why = !parsed.success
    ? `it is no job of this version (${parsed.error.issues[0]?.path.join('.') || 'no object'})`
    : parsed.data.configuration !== decider.configuration
      ? 'it is for workers of another configuration'
      : idOf(parsed.data) !== job.id
        ? 'its id is not that of its query'
        : null;
  if (why === null) return parsed.data!;
  const error: JobError = {
    code: 'INVALID_INPUT',
    message: `A job that "pragaura submit" did not add: ${why}.`,
  };
  quietly(() => observer.failed?.({ jobId: job.id }, error, true));
  throw new Hopeless(reasonOf(error));
}

function idOf({ tenant, query, configuration, asker }: QueryJob): string {
  return jobIdOf(tenant, query.id, configuration, asker);
}

/** Whether a worker that is gone, or lost its lock, had stored the result. Throws Hopeless where that is an error. */
async function alreadyDone(
  job: TakenJob,
  data: QueryJob,
  signal: AbortSignal,
  { store, say }: ProcessorOptions,
): Promise<boolean> {
  const [result] = await retrying(() => store.lookUp([job.id]), { signal, say }).catch((error) => {
    throw signal.aborted ? new HandedBack(job.id) : error;
  });
  if (!result || result.generation !== data.generation) return false;
  if (result.error !== undefined) throw new Hopeless(reasonOf(result.error));
  return true;
}

/**
 * Decides over what whoever asks may read. Throws TOKEN_REFUSED where workers rule by a policy and nobody who is believed says who
 * that is, and where somebody says so to a worker that would show them everything; and what the router throws.
 */
async function decided(
  data: QueryJob,
  jobId: string,
  now: number,
  signal: AbortSignal,
  { decider }: ProcessorOptions,
): Promise<Decision> {
  const { asker, query } = data;
  const { governed, budgetMs } = decider;
  if (governed === undefined) {
    if (asker === undefined) return inTime(data, now, signal, decider, budgetMs);
    throw new PragauraError(
      'TOKEN_REFUSED',
      'This worker has no policy to rule by on what whoever asks may read.',
      {
        hint: 'Start it with --policy-file and --submitter-key.',
      },
    );
  }
  if (asker === undefined) {
    throw new PragauraError(
      'TOKEN_REFUSED',
      'Workers of this queue rule by a policy, and nobody says who asks.',
      {
        hint: 'Submit with --queue-key FILE, and --principal-token or --trust-local.',
      },
    );
  }
  // Of the query as it is here, not as the job says that it is.
  const principal = principalBy(asker, { jobId, digest: digestOf(query) }, now, governed.submitters);
  return governed.over(principal, (own) => inTime(data, now, signal, own, budgetMs));
}

async function inTime(
  { query, deadlineAt, tenant }: QueryJob,
  now: number,
  signal: AbortSignal,
  decider: Pick<Decider, 'route' | 'expired'>,
  budgetMs: number | null,
): Promise<Decision> {
  if (deadlineAt === null) return decider.route(query, { signal, tenant });
  const left = deadlineAt - now;
  if (left < 1) return decider.expired(query);
  const decision = await decider.route({ ...query, deadlineMs: Math.floor(left) }, { signal, tenant });
  // The deadline that was asked for, as `route` shows it; not what the line had left of it.
  const { receipt } = decision;
  const budget = { ...receipt.budget, ms: shownMs(query, budgetMs) };
  return { ...decision, receipt: { ...receipt, budget } };
}

async function stored(
  job: TakenJob,
  data: QueryJob,
  outcome: { decision: Decision } | { error: JobError },
  signal: AbortSignal,
  { store, worker, say }: ProcessorOptions,
): Promise<void> {
  const { digest, configuration, generation, tenant, replyTo, query } = data;
  const result: JobResult = {
    schema: 'pragaura.result/1',
    digest,
    configuration,
    jobId: job.id,
    generation,
    tenant,
    id: query.id,
    ...outcome,
    attempts: job.starts,
    worker,
    finishedAt: store.now(),
  };
  try {
    // A full or absent Redis passes; a decision that was made is kept until it does.
    await retrying(() => store.finish(result, replyTo), { signal, say });
  } catch (error) {
    throw signal.aborted ? new HandedBack(job.id) : error;
  }
}

function diedTooOften(times: number): PragauraError {
  return new PragauraError('JOB_FAILED', `The job was taken up ${times} times and no worker finished it.`, {
    hint: 'Look for what ends the workers; "pragaura queue retry" has it tried again.',
  });
}

/** Threads that died, files that are gone for a while: tried again. Whatever depends on the query alone is not. */
function mayPass(error: unknown): boolean {
  if (isSystemError(error)) return true;
  if (!PragauraError.isInstance(error)) return false;
  return ERROR_CODES[error.code] === EXIT.UNAVAILABLE && error.code !== ('JOB_FAILED' satisfies ErrorCode);
}

function errorOf(error: unknown): JobError {
  return PragauraError.isInstance(error) ? error.toJSON() : { code: 'INTERNAL', message: messageOf(error) };
}

function reasonOf({ code, message }: JobError): string {
  return `${code}: ${message}`;
}

/** An observer's failure is its own. */
function quietly(tell: () => void): void {
  try {
    tell();
  } catch {}
}
