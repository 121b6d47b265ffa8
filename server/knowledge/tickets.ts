/** Tickets of collections: what people propose for their documents, and what others make of it. */
import { type Principal, SCHEDULER } from '../../governance/index.ts';
import { Knowledge } from '../../knowledge/index.ts';
import { errorFields } from '../../workers/health/log.ts';
import { type Caller, mustBePerson } from '../callers.ts';
import type { Service } from '../service.ts';

const DUE_MS = 60_000;

export class Tickets {
  readonly #service: Service;
  readonly #open: ReadonlyMap<string, Knowledge>;
  readonly #running = new Set<Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;
  #looking = false;

  private constructor(service: Service, open: ReadonlyMap<string, Knowledge>, dueMs: number) {
    this.#service = service;
    this.#open = open;
    this.#timer = setInterval(() => this.#look(), dueMs).unref();
  }

  /**
   * Of every collection; null without a policy and an audit log. `dueMs`: between looks for what is due, which happens by itself
   * where the policy lets the role `scheduler` apply it. Throws as `Knowledge.open`.
   */
  static async open(service: Service, dueMs = DUE_MS): Promise<Tickets | null> {
    const { access, auditLog: log, collections, scorers } = service;
    if (access === null || log === null) return null;
    const open = new Map<string, Knowledge>();
    try {
      for (const { name, index } of collections.folders()) {
        open.set(name, await Knowledge.open({ index, access, log, scorers: async () => scorers }));
      }
    } catch (error) {
      for (const knowledge of open.values()) knowledge.close();
      throw error;
    }
    return new Tickets(service, open, dueMs);
  }

  /**
   * Runs `work` for the person who asks, in their turn. A step that was begun is ended, also where they have gone. Throws
   * NOT_PERMITTED for an application, as `Collections.check`, `Service.inTurn` and `work`.
   */
  async use<T>(
    caller: Caller,
    collection: string,
    gone: AbortSignal,
    work: (knowledge: Knowledge, who: Principal) => Promise<T> | T,
  ): Promise<T> {
    const who = mustBePerson(caller);
    this.#service.collections.check(collection, caller);
    const knowledge = this.#open.get(collection)!;
    return this.#service.inTurn(caller, gone, async () => {
      const step = (async () => work(knowledge, who))();
      this.#running.add(step);
      try {
        return await step;
      } finally {
        this.#running.delete(step);
      }
    });
  }

  /** Takes up what a step made of the index: whether questions are answered by the index of this hash. */
  async isServed(collection: string, hash: string): Promise<boolean> {
    const { collections } = this.#service;
    await collections.refresh();
    return collections.hashOf(collection) === hash;
  }

  /** What is being looked at is not looked at again. */
  #look(): void {
    if (this.#looking) return;
    this.#looking = true;
    const step = this.#due().finally(() => {
      this.#looking = false;
      this.#running.delete(step);
    });
    this.#running.add(step);
  }

  async #due(): Promise<void> {
    const { log, collections } = this.#service;
    for (const [collection, knowledge] of this.#open) {
      try {
        const done = await knowledge.applyDue({ ...SCHEDULER, clearance: 0 });
        for (const { ticket, error } of done) {
          const fields = { collection, ticket: ticket.id, state: ticket.state };
          if (error === null) log.info('ticket.due', fields);
          else log.warn('ticket.due', { ...fields, ...errorFields(error) });
        }
        if (done.length > 0) await collections.refresh();
      } catch (error) {
        log.warn('ticket.due', { collection, ...errorFields(error) });
      }
    }
  }

  /** Once the steps that were begun are ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled(this.#running);
    for (const knowledge of this.#open.values()) knowledge.close();
  }
}
