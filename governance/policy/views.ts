/** What people see of an index who may not read all of it. One view for all that may read the same. */
import type { DocumentEntry } from '../../corpus/index.ts';
import type { Principal } from '../principals/index.ts';
import { type Access, type Readable, readersOf } from './access.ts';

/** What is opened over documents, all of them or some. */
interface Opened {
  close(): Promise<void>;
}

/** Requests that use a view, also those that wait until it is open. */
export interface View<T extends Opened> {
  opening: Promise<T>;
  uses: number;
}

/** Views of one index at a time; what nobody uses is closed for another. */
const MOST = 8;
/** How long a ruling holds: policies may go by the time. */
const RULING_MS = 10_000;

export class Views<T extends Opened> {
  readonly #open: (readable: Readable['readable']) => Promise<T>;
  readonly #readableTo: ReturnType<typeof readersOf>;
  /** By what may be read, the least recently used first. */
  readonly #views = new Map<string, View<T>>();
  readonly #rulings = new Map<string, Readable & { at: number }>();
  #closed = false;

  constructor(
    access: Access,
    documents: readonly Pick<DocumentEntry, 'docId' | 'source'>[],
    open: (readable: Readable['readable']) => Promise<T>,
  ) {
    this.#open = open;
    this.#readableTo = readersOf(access, documents);
  }

  /**
   * The view of a principal, to be given back by `release` whether it opens or not; null where he may read all of the
   * whole.
   */
  of(principal: Principal): View<T> | null {
    const { all, key, readable } = this.#rulingOn(principal);
    if (all) return null;
    const known = this.#views.get(key);
    const view = known ?? { opening: this.#open(readable), uses: 0 };
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

  release(view: View<T>): void {
    view.uses -= 1;
    if (this.#closed && view.uses === 0) void closed(view);
  }

  /** What is in use is closed once it is given back. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#views.values()].filter(({ uses }) => uses === 0).map(closed));
  }

  #rulingOn(principal: Principal): Readable {
    const who = JSON.stringify([principal.id, [...principal.roles].sort(), principal.clearance]);
    const now = Date.now();
    const known = this.#rulings.get(who);
    if (known !== undefined && now - known.at < RULING_MS) return known;
    for (const [other, { at }] of this.#rulings) if (now - at >= RULING_MS) this.#rulings.delete(other);
    const ruling = { ...this.#readableTo(principal, new Date(now)), at: now };
    this.#rulings.set(who, ruling);
    return ruling;
  }
}

async function closed({ opening }: View<Opened>): Promise<void> {
  const opened = await opening.catch(() => null);
  await opened?.close();
}
