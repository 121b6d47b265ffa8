/** Indexes that are served, each under a name, over the same models. A new generation of one is taken up while it serves. */
import path from 'node:path';
import { PragauraError } from '../common/index.ts';
import { type Generator, samplerFor } from '../generation/index.ts';
import { type Access, Views } from '../governance/index.ts';
import { openRouter, type Router, type RouterOptions, type Sampler } from '../router/index.ts';
import type { Scorers } from '../scorers/index.ts';
import { errorFields, type Log } from '../workers/health/log.ts';
import { type Caller, principalOf } from './callers.ts';
import type { CollectionState } from './contracts.ts';

/** In a name: nothing that a path or a URL could take for more. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const LOOK_MS = 1000;
/** An engine is asked at one look in so many. */
const ENGINE_LOOKS = 5;
/** What could not be opened is tried again after so many looks, also where nothing was written since. */
const PATIENCE = 30;

export interface CollectionOptions extends RouterOptions {
  name: string;
  /** Where `thresholds` come from, and others are kept that are put in their place. */
  calibrationFile?: string | undefined;
}

type Thresholds = NonNullable<RouterOptions['thresholds']>;

interface Opened {
  router: Router;
  /** Requests that are decided by it. */
  uses: number;
  /** Null where everybody may read everything. */
  views: Views<Router> | null;
}

interface Collection {
  options: CollectionOptions;
  now: Opened;
  /** What could not be opened, as `Health.current` has it, and looks since; null there: how it is cannot be told. */
  failed: { current: string | null; looks: number } | null;
}

interface Opening {
  log: Log;
  scorers: Scorers;
  /** Whom calibrations ask that look at a language model's answers. */
  generator: Generator | undefined;
  /** What callers may read; null: everything. */
  access: Access | null;
}

/** A router that stays open until `release`. */
export interface Lease {
  name: string;
  /** Over what the caller may read. */
  router: Router;
  /** Over all of the collection: what it decides by. */
  whole: Router;
  release(): void;
}

/**
 * NAME=DIR, or DIR, whose last part without ".index" is then the name. Throws USAGE for what cannot be a name, and for one
 * that is given twice.
 */
export function namedIndexes(given: readonly string[]): { name: string; dir: string }[] {
  const named = given.map((text) => {
    const [, own, rest] = /^([A-Za-z0-9][\w.-]*)=(.*)$/s.exec(text) ?? [];
    const dir = rest ?? text;
    const name = own ?? path.basename(path.resolve(dir)).replace(/(?<=.)\.index$/, '');
    if (dir === '' || !NAME.test(name)) {
      throw new PragauraError('USAGE', `"${name}" cannot be the name of a collection.`, {
        hint: 'Say --index NAME=DIR with a name of at most 64 letters, digits, "-", "_" and ".".',
      });
    }
    return { name, dir };
  });
  const twice = named.find(({ name }, i) => named.findIndex((other) => other.name === name) !== i);
  if (twice === undefined) return named;
  throw new PragauraError('USAGE', `Two collections are called "${twice.name}".`, {
    hint: 'Say --index NAME=DIR.',
  });
}

/** Who wants one, as far as it makes a difference. */
type Asking = Pick<Caller, 'collections' | 'actor' | 'clearance'>;

export class Collections {
  readonly #log: Log;
  readonly #opening: Opening;
  readonly #all: Map<string, Collection>;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();
  #looks = 0;
  #closed = false;

  private constructor(all: Map<string, Collection>, opening: Opening) {
    this.#all = all;
    this.#opening = opening;
    this.#log = opening.log;
    this.#timer = setInterval(() => void this.refresh(), LOOK_MS).unref();
  }

  /** Opens all of them. Throws as `openRouter`. */
  static async open(options: readonly CollectionOptions[], opening: Opening): Promise<Collections> {
    const all = new Map<string, Collection>();
    try {
      for (const each of options) {
        all.set(each.name, { options: each, now: await opened(each, opening), failed: null });
      }
    } catch (error) {
      for (const { now } of all.values()) await closed(now);
      throw error;
    }
    return new Collections(all, opening);
  }

  /**
   * A router for one request of a caller, over what he may read. Throws NOT_FOUND for a name that is none, or is none for
   * this caller, INVALID_INPUT where there are several and none is named, and what opening a view throws.
   */
  async lease(name: string | undefined, caller: Asking): Promise<Lease> {
    const known = this.#named(name, caller);
    const { now } = this.#all.get(known)!;
    const view = now.views?.of(principalOf(caller)) ?? null;
    now.uses += 1;
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      if (view !== null) now.views!.release(view);
      now.uses -= 1;
      this.#letGo(known, now);
    };
    try {
      const router = view === null ? now.router : await view.opening;
      return { name: known, router, whole: now.router, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Throws as `lease` where a caller may not see it. */
  check(name: string, caller: Pick<Caller, 'collections'>): void {
    this.#named(name, caller);
  }

  /** Of those that a caller may see. */
  names({ collections }: Pick<Caller, 'collections'>): string[] {
    const names = [...this.#all.keys()];
    return collections === null ? names : names.filter((name) => collections.includes(name));
  }

  /** The same with what they hold, so far as he may read it. Throws as `lease`. */
  async states(caller: Asking): Promise<CollectionState[]> {
    return Promise.all(
      this.names(caller).map(async (name) => {
        const lease = await this.lease(name, caller);
        const { versions, pending } = lease.router;
        lease.release();
        const calibrated = versions.calibration !== null;
        return {
          name,
          index: versions.index,
          pending,
          calibrated,
          stale: this.#all.get(name)!.failed !== null,
        };
      }),
    );
  }

  /** Takes up what lies in the folders now, without waiting for the next look. */
  refresh(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  /** Null where none was named. */
  calibrationFile(name: string): string | null {
    return this.#all.get(name)!.options.calibrationFile ?? null;
  }

  /**
   * Decides by these thresholds from now on, over the index as it lies there. `keep`: called once they are known to fit;
   * where it throws nothing changes. Throws CALIBRATION_MISMATCH, and what `keep` and `openRouter` throw.
   */
  recalibrate(name: string, thresholds: Thresholds, keep: () => Promise<void>): Promise<void> {
    const done = this.#looking.then(async () => {
      const collection = this.#all.get(name)!;
      const options = { ...collection.options, thresholds };
      const next = await opened(options, this.#opening);
      try {
        await keep();
      } catch (error) {
        await closed(next);
        throw error;
      }
      const before = collection.now;
      Object.assign(collection, { options, now: next, failed: null });
      this.#log.info('collection.recalibrated', { collection: name });
      this.#letGo(name, before);
    });
    this.#looking = done.catch(() => {});
    return done;
  }

  /** Whether thresholds of its own decide. */
  isCalibrated(name: string): boolean {
    return this.#all.get(name)!.now.router.versions.calibration !== null;
  }

  /** Where it learns defaults, and whose; null where it learns none. */
  defaults(name: string): NonNullable<RouterOptions['defaults']> | null {
    return this.#all.get(name)!.options.defaults ?? null;
  }

  /** Folder of the index of each. */
  folders(): { name: string; index: string }[] {
    return [...this.#all].map(([name, { options }]) => ({ name, index: options.index }));
  }

  /** Hash of the index that is served. */
  hashOf(name: string): string {
    return this.#all.get(name)!.now.router.versions.index;
  }

  /** Once nothing is in use. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed = true;
    await this.#looking;
    for (const { now } of this.#all.values()) await closed(now);
  }

  #named(name: string | undefined, caller: Pick<Caller, 'collections'>): string {
    const mine = this.names(caller);
    const hint = `There is ${mine.join(', ') || 'none'}.`;
    if (name === undefined && mine.length !== 1) {
      throw new PragauraError('INVALID_INPUT', 'Which collection? Say ?collection=NAME.', { hint });
    }
    const known = name ?? mine[0]!;
    if (mine.includes(known)) return known;
    throw new PragauraError('NOT_FOUND', 'There is no such collection.', { hint });
  }

  #letGo(name: string, one: Opened): void {
    if (one.uses > 0 || this.#all.get(name)!.now === one) return;
    closed(one).catch((error: unknown) => this.#log.warn('collection.close', errorFields(error)));
  }

  async #look(): Promise<void> {
    this.#looks += 1;
    for (const [name, collection] of this.#all) {
      if (this.#closed) return;
      const { options, now, failed } = collection;
      if (options.backend !== undefined && this.#looks % ENGINE_LOOKS !== 0) continue;
      let current: string | null = null;
      try {
        const health = await now.router.health();
        if (health.generation === 'current') {
          collection.failed = null;
          continue;
        }
        current = health.current;
        if (failed !== null && failed.current === current && failed.looks < PATIENCE) {
          failed.looks += 1;
          continue;
        }
        const next = await opened(options, this.#opening);
        collection.now = next;
        collection.failed = null;
        this.#log.info('collection.replaced', { collection: name, index: next.router.versions.index });
        this.#letGo(name, now);
      } catch (error) {
        // What is open goes on serving.
        collection.failed = { current, looks: 0 };
        if (failed?.current !== current || failed.looks === PATIENCE)
          this.#log.warn('collection.stale', { collection: name, ...errorFields(error) });
      }
    }
  }
}

async function opened(
  { name: _name, calibrationFile: _file, ...options }: CollectionOptions,
  { log, scorers, generator, access }: Opening,
): Promise<Opened> {
  const asked = samplerFor(options.thresholds, generator, scorers);
  const sampler = asked && discreet(asked, log);
  const router = await openRouter({ ...options, ...(sampler && { sampler }) });
  // A calibration holds for the whole index, and what was learned from all who ask could show what may not be read.
  const { thresholds: _thresholds, defaults: _defaults, ...plain } = options;
  const views =
    access === null
      ? null
      : new Views(access, router.documents, (readable) => openRouter({ ...plain, readable }));
  return { router, uses: 0, views };
}

/** Where the endpoint is, and what it said, is no matter of the caller's. */
function discreet(sampler: Sampler, log: Log): Sampler {
  return {
    ...sampler,
    draw: async (asked) => {
      const opinion = await sampler.draw(asked);
      if (opinion.failure === null) return opinion;
      const { code, hint } = opinion.failure;
      log.warn('generator.failed', { code, hint });
      return { ...opinion, failure: { code, message: 'The language model does not answer.' } };
    },
  };
}

async function closed({ router, views }: Opened): Promise<void> {
  await views?.close();
  await router.close();
}
