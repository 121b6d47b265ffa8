import type { Telemetry } from 'bullmq';
import type { Principal, PublicKey } from '../../governance/index.ts';
import type { Decision, Query, RouteOptions } from '../../router/index.ts';
import type { Patience, Retention } from '../queue/index.ts';
import type { Observer } from '../types.ts';

/** What a worker needs of a router. */
export interface Decider {
  /** Hash of what decides; jobs of others are not taken. */
  configuration: string;
  /** What the hash is of, for people who look at the queue. */
  made: unknown;
  route(query: Query, options: RouteOptions): Promise<Decision>;
  /** The abstention of a query whose deadline has passed. Computes nothing but the act, from the words. */
  expired(query: Query): Decision;
  /** Where a policy says who may read what: the rest of this is for those who may read everything. */
  governed?: {
    /** Whose word is taken for who asks. */
    submitters: readonly PublicKey[];
    /** Lends what decides over what the principal may read. */
    over<T>(principal: Principal, work: (own: Pick<Decider, 'route' | 'expired'>) => Promise<T>): Promise<T>;
  };
  /** Milliseconds that one query may take at most, whatever its deadline; null: as long as it takes. */
  budgetMs: number | null;
}

export interface WorkerOptions {
  /** Where Redis is. */
  redis: string;
  queue: string;
  decider: Decider;
  /** Jobs that are worked on at the same time. Default 8. */
  concurrency?: number;
  /** Jobs taken up in a second, by all workers of the queue and configuration together; all must say the same. */
  rateLimit?: number;
  /** A job whose worker has not been heard of for so long is given to another. Default 30,000. */
  lockMs?: number;
  /** How often a job may be taken up, tries and dead workers together, before it is given up. Default 15. */
  mostStarts?: number;
  retention?: Retention;
  observer?: Observer;
  telemetry?: Telemetry;
  /** How long Redis may be away while the worker opens. Default 2,000 ms; later it is waited for without end. */
  patience?: Patience;
  /** Told in words of what a person should know. */
  say?: (message: string) => void;
}

export interface DrainReport {
  /** Jobs that were finished after the drain began. */
  finished: number;
  /** Jobs that were put back for other workers. */
  handedBack: number;
  /** Milliseconds that it took. */
  ms: number;
}

/** A worker that takes jobs up since it was opened. */
export interface QueueWorker {
  /** Names this worker in results, announcements and logs. */
  readonly id: string;
  /** Jobs that are being worked on now. */
  readonly active: number;
  /** When a job was last taken up, by the clock of `performance.now()`; null: never. */
  readonly lastTakenUp: number | null;
  /**
   * Takes no more jobs, finishes what it has for at most `ms`, puts the rest back in line, and closes. Never takes much
   * longer than `ms`, whatever state Redis is in. `now`: aborted when even that is too long.
   */
  drain(ms: number, now?: AbortSignal): Promise<DrainReport>;
  /**
   * Announces itself no more, so that nobody submits to its configuration, and resolves when no job of that is left or `stop`
   * fires; until it is drained it goes on.
   */
  leave(stop: AbortSignal): Promise<void>;
  /** Adds a job named HEARTBEAT to the queue of this worker's configuration. */
  beat(data: unknown): Promise<void>;
}
