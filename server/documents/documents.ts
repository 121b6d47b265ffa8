/** The documents of collections that callers may change. */
import { createHash } from 'node:crypto';
import { PragauraError } from '../../common/index.ts';
import { checkedId, checkedTogether } from '../../corpus/index.ts';
import { SYSTEM } from '../../governance/index.ts';
import type { ModelChoice } from '../../scorers/index.ts';
import { type Caller, principalOf } from '../callers.ts';
import type { Service } from '../service.ts';
import { Inbox, type Job, type Request } from './inbox.ts';
import { Updater } from './updates.ts';

interface Open {
  inbox: Inbox;
  updater: Updater;
}

/** What a caller wants changed. */
export type Change = Omit<Request, 'caller'>;

export class Documents {
  readonly #service: Service;
  readonly #open: ReadonlyMap<string, Open>;

  private constructor(service: Service, open: ReadonlyMap<string, Open>) {
    this.#service = service;
    this.#open = open;
  }

  /** Takes documents for every collection, beginning with what an earlier server left. Throws as `Inbox.open`. */
  static async open(service: Service, models: ModelChoice): Promise<Documents> {
    const { collections, log } = service;
    const inboxes = new Map<string, Inbox>();
    try {
      for (const { name, index } of collections.folders()) inboxes.set(name, await Inbox.open(index, name));
    } catch (error) {
      for (const inbox of inboxes.values()) inbox.close();
      throw error;
    }
    const open = collections.folders().map(({ name, index }) => {
      const inbox = inboxes.get(name)!;
      const updater = new Updater({
        index,
        inbox,
        models,
        log,
        refresh: async () => {
          await collections.refresh();
          return collections.hashOf(name);
        },
        indexed: (job, hash) =>
          service.record({
            kind: 'documents.indexed',
            by: SYSTEM,
            about: job,
            detail: { collection: name, index: hash },
          }),
      });
      return [name, { inbox, updater }] as const;
    });
    return new Documents(service, new Map(open));
  }

  /** Once nothing more is accepted. What is not in the indexes yet waits for the next server. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ updater }) => updater.close()));
  }

  /**
   * Accepts a change of a collection: once this resolves it is on the audit log and on the disk. Throws NOT_FOUND for a
   * collection that is none for this caller and for a document to remove that is not there, INVALID_INPUT for ids that
   * cannot be, TOO_BUSY, AUDIT_FAILED and WRITE_FAILED.
   */
  async accept(caller: Caller, collection: string, change: Change): Promise<Job> {
    const { inbox } = this.#of(caller, collection);
    const put = change.put.map(({ id }) => checkedId(id));
    checkedTogether(put);
    const both = change.remove.find((id) => put.includes(id));
    if (both !== undefined) {
      throw new PragauraError('INVALID_INPUT', `${both} is to be put and to be removed.`);
    }
    this.#mustBeAllowed(caller, [...put, ...change.remove]);
    // Not for a request that led to a job already.
    const accepting = async (job: string) => {
      for (const id of change.remove) {
        const coming = inbox.coming(id);
        if (coming === 'remove' || (coming === null && !(await this.#has(collection, caller, id)))) {
          throw new PragauraError('NOT_FOUND', `There is no document ${JSON.stringify(id)}.`);
        }
      }
      await this.#service.record({
        kind: 'documents.accepted',
        by: caller.actor,
        about: job,
        detail: {
          collection,
          put: change.put.map(({ id, bytes }) => ({
            id,
            sha256: createHash('sha256').update(bytes).digest('hex'),
          })),
          remove: [...change.remove],
        },
      });
    };
    return inbox.accept({ caller: caller.id, ...change }, accepting);
  }

  /** Null where there is none of this id for the caller. */
  job(caller: Caller, id: string): Job | null {
    for (const name of this.#service.collections.names(caller)) {
      const job = this.#open.get(name)?.inbox.job(id);
      if (job) return job;
    }
    return null;
  }

  #of(caller: Caller, collection: string): Open {
    this.#service.collections.check(collection, caller);
    return this.#open.get(collection)!;
  }

  /** Throws NOT_PERMITTED where the policy does not let the caller change one of these documents. */
  #mustBeAllowed(caller: Caller, ids: readonly string[]): void {
    const { access } = this.#service;
    if (access === null) return;
    const { policy, labels } = access;
    const now = new Date();
    const allowed = (id: string) =>
      policy.allows(principalOf(caller), 'apply', { document: labels(id) }, now).allowed;
    if (ids.every(allowed)) return;
    throw new PragauraError(
      'NOT_PERMITTED',
      'The policy does not let this caller change one of the documents.',
      {
        hint: 'It would have to permit the action "apply".',
      },
    );
  }

  async #has(collection: string, caller: Caller, id: string): Promise<boolean> {
    const lease = await this.#service.collections.lease(collection, caller);
    try {
      return lease.router.documents.some(({ docId }) => docId === id);
    } finally {
      lease.release();
    }
  }
}
