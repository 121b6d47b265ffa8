/** Tickets of collections: what people propose for their documents, and what others make of it. */
import { PragauraError } from '../../common/index.ts';
import type { Principal } from '../../governance/index.ts';
import { Knowledge } from '../../knowledge/index.ts';
import { type Caller, personOf } from '../callers.ts';
import type { Service } from '../service.ts';

export class Tickets {
  readonly #service: Service;
  readonly #open: ReadonlyMap<string, Knowledge>;
  readonly #running = new Set<Promise<unknown>>();

  private constructor(service: Service, open: ReadonlyMap<string, Knowledge>) {
    this.#service = service;
    this.#open = open;
  }

  /** Of every collection; null without a policy and an audit log. Throws as `Knowledge.open`. */
  static async open(service: Service): Promise<Tickets | null> {
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
    return new Tickets(service, open);
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
    const who = personOf(caller);
    if (who === null) {
      throw new PragauraError(
        'NOT_PERMITTED',
        'A key is of an application: tickets are of people, who say by their tokens who they are.',
        { hint: 'Send the token of the person, as --principals has them.' },
      );
    }
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

  /** Once the steps that were begun are ended. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    for (const knowledge of this.#open.values()) knowledge.close();
  }
}
