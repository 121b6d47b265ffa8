/** What goes through the queue: jobs in, results out, and who is told of what happens to them. */
import { z } from 'zod';
import { Assertion } from '../governance/index.ts';
import { Decision, type Decision as DecisionType, Query } from '../router/index.ts';

const Tenant = z.string().min(1).max(128);

export const PRIORITIES = ['interactive', 'bulk'] as const;
export type Priority = (typeof PRIORITIES)[number];

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * The data of a job. Times are milliseconds since 1970 by the clock of Redis, which all sides share. `digest` and
 * `configuration` stand first: where Redis logs a slow command it keeps 128 bytes of each argument, and these fill them.
 */
export const QueryJob = z.strictObject({
  schema: z.literal('pragaura.job/1'),
  /** SHA-256 of the query: two jobs of one id with different digests are a mistake of the submitter. */
  digest: Hash,
  /** Hash of what decides: only workers of the same configuration take the job. */
  configuration: Hash,
  /** How often an operator had the job decided anew. */
  generation: z.number().int().min(0),
  tenant: Tenant,
  priority: z.enum(PRIORITIES),
  submittedAt: z.number().int().min(0),
  /** When an answer is of no use any more; null: never. */
  deadlineAt: z.number().int().min(0).nullable(),
  /** Channel on which its result is told as well, to whoever waits for it; left out: nobody listens. */
  replyTo: z.string().max(128).optional(),
  /** Who asks, where workers rule by a policy. */
  asker: Assertion.optional(),
  query: Query,
});
export type QueryJob = z.infer<typeof QueryJob>;

/** An error as it stands in an error record; the line is the submitter's to know. */
export const JobError = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});
export type JobError = z.infer<typeof JobError>;

/** What became of a job: a decision or an error, written once, before the job counts as done. */
export const JobResult = z.strictObject({
  schema: z.literal('pragaura.result/1'),
  digest: Hash,
  configuration: Hash,
  jobId: z.string(),
  generation: z.number().int().min(0),
  tenant: Tenant,
  /** Of the query. */
  id: z.string(),
  decision: Decision.optional(),
  error: JobError.optional(),
  /** How often a worker took the job up. */
  attempts: z.number().int().min(1),
  worker: z.string(),
  finishedAt: z.number().int().min(0),
});
export type JobResult = z.infer<typeof JobResult>;

/** What may be said of a job in logs, metrics and traces: never its text. */
export interface JobSight {
  jobId: string;
  tenant: string;
  priority: Priority;
  /** From 1. */
  attempt: number;
  /** Milliseconds from submission to being taken up. */
  waitedMs: number;
}

/** Milliseconds of a job that was decided. */
export interface JobTimings {
  /** From submission to being taken up. */
  waited: number;
  /** In the router; 0 where a deadline had passed before. */
  routed: number;
  /** Until the result was stored. */
  stored: number;
}

/** Told of what a worker does. Each is called on the thread of Redis and must be quick; what it throws is lost. */
export interface Observer {
  started?(job: JobSight): void;
  finished?(job: JobSight, decision: DecisionType, timings: JobTimings): void;
  /** `final`: the job will not be tried again. `jobId` only where nothing else of the job could be read. */
  failed?(job: Partial<JobSight>, error: JobError, final: boolean): void;
  /** A job named HEARTBEAT was taken up by this worker. `data`: as it was added. */
  heartbeat?(data: unknown): void;
  /** The job was taken from this worker because its lock ran out. */
  stalled?(jobId: string): void;
  /** Of the connections: made, lost, and what they fail with. */
  redis?(event: 'ready' | 'lost' | 'error', error?: Error): void;
}

/** Name of the jobs that only prove that a worker takes jobs up: no query, no result, no dead letter. */
export const HEARTBEAT = 'heartbeat';
/** Name of all other jobs. */
export const ROUTE = 'route';
