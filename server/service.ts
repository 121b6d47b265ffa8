/** What answers callers, by whichever door they come in: collections, models, and whose turn it is. */
import { createHash } from 'node:crypto';
import { PragauraError } from '../common/index.ts';
import { checkFactuality, type FactualityThresholds, type Generator } from '../generation/index.ts';
import {
  type Access,
  type AuditEvent,
  AuditLog,
  audited,
  ensureSigningKey,
  logging,
  Memory,
  type Principal,
  QueryLog,
  type QueryLogOptions,
  remembering,
} from '../governance/index.ts';
import type { Decision, Query, RouteOptions, Router } from '../router/index.ts';
import type { Scorers } from '../scorers/index.ts';
import type { Log } from '../workers/health/log.ts';
import { type Caller, mustBePerson, personOf } from './callers.ts';
import { type CollectionOptions, Collections, type Lease } from './collections.ts';
import { Gate, type GateOptions } from './gate.ts';
import { Operations, type OperationsOptions } from './operations/operations.ts';
import type { DecisionQueue, QueueOptions } from './queue.ts';

export interface ServiceOptions extends GateOptions {
  /** Each with the scorers below in its options, or its own. */
  collections: readonly CollectionOptions[];
  /** Stay open: whoever opened them closes them. */
  scorers: Scorers;
  /** Of answers that are verified or generated; left out: nothing is promised of them. */
  factuality?: FactualityThresholds | undefined;
  /** Whom calibrations ask that look at a language model's answers. Stays open as the scorers do. */
  generator?: Generator | undefined;
  /** What callers may read and change; left out: everything, by their scopes. */
  access?: Access | undefined;
  /** Folder of what is remembered of people, with the file of its master key; left out: nothing is. */
  memory?: { dir: string; key?: string | undefined } | undefined;
  /** What is kept of what people ask, where defaults are learned; left out: nothing is. */
  queryLog?: QueryLogOptions | undefined;
  /** Milliseconds from the arrival of a query, its waiting counted, after which it is given up. */
  timeoutMs: number;
  audit?: { file: string; key: string } | undefined;
  log: Log;
  /** Left out: nothing is noted of what is decided. */
  operations?: OperationsOptions;
  /** Workers decide, by way of this queue; left out: this process does. */
  queue?: QueueOptions | undefined;
  /** Told of every decision that is made. */
  decided?: (decision: Decision) => void;
}

export class Service {
  readonly collections: Collections;
  readonly scorers: Scorers;
  readonly factuality: FactualityThresholds | undefined;
  readonly gate: Gate;
  readonly log: Log;
  readonly timeoutMs: number;
  readonly operations: Operations | null;
  readonly access: Access | null;
  readonly memory: Memory | null;
  readonly queryLog: QueryLog | null;
  readonly auditLog: AuditLog | null;
  readonly #queue: DecisionQueue | null;
  readonly #decided: (decision: Decision) => void;
  readonly #draining = new AbortController();
  readonly #stopped = new AbortController();

  private constructor(
    options: ServiceOptions,
    collections: Collections,
    operations: Operations | null,
    queue: DecisionQueue | null,
    auditLog: AuditLog | null,
    memory: Memory | null,
    queryLog: QueryLog | null,
  ) {
    this.collections = collections;
    this.operations = operations;
    this.#queue = queue;
    this.scorers = options.scorers;
    this.factuality = options.factuality;
    this.access = options.access ?? null;
    this.memory = memory;
    this.queryLog = queryLog;
    this.gate = new Gate(options);
    this.log = options.log;
    this.timeoutMs = options.timeoutMs;
    this.auditLog = auditLog;
    this.#decided = options.decided ?? (() => {});
  }

  /** Throws what `checkFactuality` and opening the queue, collections, monitors, the query log and the audit log throw. */
  static async open(options: ServiceOptions): Promise<Service> {
    const { audit, log, factuality, generator } = options;
    const memory = options.memory === undefined ? null : Memory.open(options.memory.dir, options.memory.key);
    if (factuality !== undefined) checkFactuality(factuality, options.scorers.info);
    const auditLog =
      audit === undefined
        ? null
        : await AuditLog.open({ file: audit.file, key: ensureSigningKey(audit.key) });
    let collections: Collections | null = null;
    let queue: DecisionQueue | null = null;
    let queryLog: QueryLog | null = null;
    try {
      if (options.queryLog !== undefined) queryLog = await QueryLog.open(options.queryLog);
      if (options.queue !== undefined)
        queue = await (await import('./queue.ts')).DecisionQueue.open(options.queue, log);
      collections = await Collections.open(options.collections, {
        ...{ log, scorers: options.scorers, generator },
        access: options.access ?? null,
      });
      const operations =
        options.operations === undefined
          ? null
          : await Operations.open(options.operations, { collections, log });
      return new Service(options, collections, operations, queue, auditLog, memory, queryLog);
    } catch (error) {
      queryLog?.close();
      await queue?.close();
      await collections?.close();
      await auditLog?.close();
      throw error;
    }
  }

  /** Nothing more is taken up, and what was is finished. */
  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  drain(): void {
    this.#draining.abort(shuttingDown());
  }

  /** What is not finished by now is given up. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  stop(): void {
    this.#stopped.abort(shuttingDown());
  }

  /** Writes on the audit log what is not a decision. Throws AUDIT_FAILED: then it must not happen. */
  async record(event: AuditEvent): Promise<void> {
    await this.auditLog?.append(event);
  }

  /** The person who asks, once it is on the audit log what they do with what is kept of them. Throws NOT_PERMITTED for a key, and AUDIT_FAILED. */
  async personDoing(caller: Caller, kind: string): Promise<Principal> {
    const who = mustBePerson(caller);
    await this.record({ kind, by: caller.actor, about: who.id, detail: {} });
    return who;
  }

  /** Writes on the audit log what words of which passages a caller is about to be given. Throws AUDIT_FAILED. */
  async recordRead(
    { actor: by }: Caller,
    collection: string,
    read: { query: string; passages: readonly { passageId: string }[] } | { document: string },
  ): Promise<void> {
    if (this.auditLog === null) return;
    if ('document' in read) {
      await this.record({ kind: 'document.read', by, about: read.document, detail: { collection } });
      return;
    }
    const query = createHash('sha256').update(read.query).digest('hex');
    const passages = read.passages.map(({ passageId }) => passageId);
    await this.record({ kind: 'passages.retrieved', by, about: collection, detail: { query, passages } });
  }

  /** Once nothing is in use. */
  async close(): Promise<void> {
    await this.#queue?.close();
    await this.operations?.close();
    await this.collections.close();
    this.queryLog?.close();
    await this.auditLog?.close();
  }

  /** The router, whose decisions are on the audit log under this caller's name before they are given out. */
  decider(lease: Pick<Lease, 'router' | 'whole' | 'name'>, caller: Caller): Pick<Router, 'route'> {
    const { router, name } = lease;
    const { memory, queryLog } = this;
    const who = personOf(caller);
    const plain = this.#queue?.decider(lease, caller, this.access?.policy) ?? router;
    const mine = who === null || memory === null ? plain : remembering(plain, () => memory.of(who));
    const made =
      who === null || queryLog === null
        ? mine
        : logging(mine, queryLog, who, this.collections.defaults(name)?.tenant ?? 'default', (detail) =>
            this.log.warn('query.unlogged', { detail }),
          );
    const decider =
      this.auditLog === null ? made : audited(made, this.auditLog, caller.actor, this.access?.policy);
    return {
      route: async (query, options) => {
        const decision = await decider.route(query, options).catch((error: unknown) => {
          const why = options?.signal?.aborted ? options.signal.reason : error;
          const code = PragauraError.isInstance(why) ? why.code : 'INTERNAL';
          // That a caller has gone says nothing of the query.
          if (code !== 'ABORTED') this.operations?.failed(name, code);
          throw error;
        });
        this.#decided(decision);
        this.operations?.decided(name, decision, caller);
        return decision;
      },
    };
  }

  /** Decides one query in the caller's turn, and names the collection that it was. Throws as `Collections.lease`, `inTurn` and the router. */
  async decide(
    caller: Caller,
    collection: string | undefined,
    query: Query,
    { signal, observe }: { signal: AbortSignal; observe?: RouteOptions['observe'] },
  ): Promise<{ decision: Decision; name: string }> {
    return this.using(caller, collection, signal, async (_, own, lease) => {
      const options = { signal: own, ...(observe && { observe }) };
      return { decision: await this.decider(lease, caller).route(query, options), name: lease.name };
    });
  }

  /** Runs `work` over a collection in the caller's turn. Throws as `Collections.lease`, `inTurn` and `work`. */
  async using<T>(
    caller: Caller,
    collection: string | undefined,
    signal: AbortSignal,
    work: (router: Router, signal: AbortSignal, lease: Lease) => Promise<T>,
  ): Promise<T> {
    const lease = await this.collections.lease(collection, caller);
    try {
      return await this.inTurn(caller, signal, (own) => work(lease.router, own, lease));
    } finally {
      lease.release();
    }
  }

  /**
   * Runs `work` when it is the caller's turn, until it is done or given up; `patient` as `Gate.run` has it. Throws as that
   * does, DEADLINE_EXCEEDED, and ABORTED where the caller has gone or the service ends.
   */
  async inTurn<T>(
    caller: Caller,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
    patient = false,
  ): Promise<T> {
    const { timeoutMs } = this;
    const own = new AbortController();
    const timer = setTimeout(() => {
      const message = `It took longer than the ${timeoutMs} ms that this server gives a query.`;
      const hint = 'Ask again when less is going on.';
      own.abort(new PragauraError('DEADLINE_EXCEEDED', message, { hint }));
    }, timeoutMs);
    const all = AbortSignal.any([signal, own.signal, this.#stopped.signal]);
    try {
      return await this.gate.run(caller, all, () => work(all), patient);
    } catch (error) {
      // What a stage says of it is that it was aborted; why is said here.
      if (!all.aborted) throw error;
      throw PragauraError.isInstance(all.reason) ? all.reason : callerGone();
    } finally {
      clearTimeout(timer);
    }
  }
}

export function callerGone(): PragauraError {
  return new PragauraError('ABORTED', 'The caller has gone.');
}

function shuttingDown(): PragauraError {
  return new PragauraError('ABORTED', 'The server is shutting down.', { hint: 'Ask again, or another one.' });
}
