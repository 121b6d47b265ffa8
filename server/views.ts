/** What callers see of a collection who may not read all of it. One view for all that may read the same. */
import { createHash } from 'node:crypto';
import { type Access, type Principal, readableBy } from '../governance/index.ts';
import type { Router } from '../router/index.ts';

type Readable = (document: { docId: string }) => boolean;

/** Requests that use a view, also those that wait until it is open. */
export interface View {
  opening: Promise<Router>;
  uses: number;
}

/** Views of one collection at a time; what nobody uses is closed for another. */
const MOST = 8;
/** How long a ruling holds: policies may go by the time. */
const RULING_MS = 10_000;

interface Ruling {
  /** Ids of what may be read, and their hash; null: everything. */
  seen: { readable: ReadonlySet<string>; key: string } | null;
  at: number;
}

export class Views {
  readonly #access: Access;
  readonly #open: (readable: Readable) => Promise<Router>;
  /** By what may be read, the least recently used first. */
  readonly #views = new Map<string, View>();
  readonly #rulings = new Map<string, Ruling>();
  #closed = false;

  constructor(access: Access, open: (readable: Readable) => Promise<Router>) {
    this.#access = access;
    this.#open = open;
  }

  /**
   * The view of a principal, to be given back by `release` whether it opens or not; null where he may read all of
   * `whole`.
   */
  of(principal: Principal, whole: Router): View | null {
    const { seen } = this.#rulingOn(principal, whole);
    if (seen === null) return null;
    const { key, readable } = seen;
    const known = this.#views.get(key);
    const view = known ?? { opening: this.#open(({ docId }) => readable.has(docId)), uses: 0 };
    view.uses += 1;
    this.#views.delete(key);
    this.#views.set(key, view);
    // What could not be opened is tried again by whoever asks next.
    view.opening.catch(() => this.#views.get(key) === view && this.#views.delete(key));
    for (const [other, { uses }] of this.#views) {
      if (this.#views.size <= MOST) break;
      if (uses > 0) continue;
      void closed(this.#views.get(other)!);
      this.#views.delete(other);
    }
    return view;
  }

  release(view: View): void {
    view.uses -= 1;
    if (this.#closed && view.uses === 0) void closed(view);
  }

  /** What is in use is closed once it is given back. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#views.values()].filter(({ uses }) => uses === 0).map(closed));
  }

  #rulingOn(principal: Principal, whole: Router): Ruling {
    const who = JSON.stringify([principal.id, [...principal.roles].sort(), principal.clearance]);
    const now = Date.now();
    const known = this.#rulings.get(who);
    if (known !== undefined && now - known.at < RULING_MS) return known;
    for (const [other, { at }] of this.#rulings) if (now - at >= RULING_MS) this.#rulings.delete(other);
    const allowed = readableBy(this.#access, principal, new Date(now));
    const ids = whole.documents.filter(allowed).map(({ docId }) => docId);
    const key = createHash('sha256').update(JSON.stringify(ids)).digest('hex');
    const seen = ids.length === whole.documents.length ? null : { readable: new Set(ids), key };
    const ruling = { seen, at: now };
    this.#rulings.set(who, ruling);
    return ruling;
  }
}

async function closed({ opening }: View): Promise<void> {
  const router = await opening.catch(() => null);
  await router?.close();
}
