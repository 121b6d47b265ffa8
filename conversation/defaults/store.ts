/** Learned defaults in one file that several processes may use at once. */
import { openDatabase, parseAs } from '../../common/index.ts';
import { defaultRecord, resolveFrom, wordsHash } from './resolve.ts';
import { sortedPairs } from './rows.ts';
import { DEFAULTS_STORE } from './schema.ts';
import { leavesOf } from './strata.ts';
import { type AuditEntry, type Field, Tables } from './tables.ts';
import { isIn, tally } from './tally.ts';
import {
  Answer,
  type ClarificationDefault,
  Conditions,
  DefaultSettings,
  DefaultsOverrule,
  type DefaultUse,
  Need,
  type OpenQuestion,
  Tenant,
  type Vote,
} from './types.ts';

const DEFAULT_WAIT_MS = 5000;

/** Subject of an audit entry that is about all defaults of a tenant. */
const EVERYTHING = '*';

/** Only the newest votes on a field are looked at: they say what users want now, and a query must not wait. */
const VOTES_READ = 1000;

/** How long an answer to a question is waited for, and how many conversations with the same words are told apart. */
const QUESTION_DAYS = 30;
const QUESTIONS_READ = 32;
const DAY_MS = 86_400_000;

export interface DefaultsOptions {
  file: string;
  /** Make the file where there is none. Default false. */
  create?: boolean;
  /** How long to wait for another process that holds the file, in milliseconds. Default 5,000. */
  waitMs?: number;
  /** How long one call may block this process for it; default all of `waitMs`. */
  blockMs?: number;
  settings?: Partial<DefaultSettings>;
  /** Whether a document is in the index. Default: none is, and no default that points to a document is applied. */
  documentExists?: (docId: string) => boolean;
}

/** Which defaults to forget; what is given must all hold. */
export interface Forget {
  tenant: string;
  /** Ids of defaults; left out: all of the tenant. */
  ids?: readonly string[];
  /** Only votes cast before this moment (milliseconds since 1970). */
  before?: number;
  /** Also what the audit trail holds of them. */
  audit?: boolean;
}

const parseNeed = parseAs(Need, 'A need is {"field", "scope"?, "candidates"?}.');
const parseConditions = parseAs(
  Conditions,
  'Conditions are an object of texts, for example {"region": "EU"}.',
);
const parseTenant = parseAs(Tenant, 'A tenant is a text of 1 to 200 characters.');
const parseOverrule = parseAs(
  DefaultsOverrule,
  'Say false, or an object of fields with a value or null each.',
);
const parseAnswer = parseAs(
  Answer,
  'An answer is {"tenant", "need", "conditions", "signal", "value", "at"}.',
);
const parseSettings = parseAs(DefaultSettings, 'See DefaultSettings for names and ranges.');

/**
 * Opens the store of learned defaults. Everything is synchronous after that; a vote that was taken is on the disk.
 * @throws NOT_FOUND without a file and without `create`, DEFAULTS_UNUSABLE for a damaged or foreign file (which is
 * left as it is), DEFAULTS_LOCKED after `waitMs`, WRITE_FAILED
 */
export async function openDefaults(options: DefaultsOptions): Promise<DefaultsStore> {
  const waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
  const settings = parseSettings(options.settings ?? {}) as DefaultSettings;
  const blockMs = options.blockMs ?? waitMs;
  const database = await openDatabase(DEFAULTS_STORE, options.file, {
    create: options.create ?? false,
    waitMs,
    blockMs,
  });
  const tables = new Tables(database, options.file, blockMs);
  return new DefaultsStore(tables, settings, options.documentExists ?? (() => false));
}

export class DefaultsStore {
  readonly settings: DefaultSettings;
  readonly #tables: Tables;
  readonly #documentExists: (docId: string) => boolean;

  /** @internal `openDefaults` makes one. */
  constructor(tables: Tables, settings: DefaultSettings, documentExists: (docId: string) => boolean) {
    this.#tables = tables;
    this.settings = settings;
    this.#documentExists = documentExists;
  }

  /**
   * What is to be done about a missing piece: outcome APPLIED with the value `used`, SUGGESTED (ask, and propose
   * `default.value`), ASKED, or OVERRULED by the query. The whole return value belongs into the decision; `note` keeps
   * it in the store as well. `now` in milliseconds since 1970. Reads only.
   * @throws INVALID_INPUT, DEFAULTS_LOCKED, DEFAULTS_UNUSABLE
   */
  resolve(
    need: Need,
    conditions: Conditions,
    tenant: string,
    now: number,
    overrule?: DefaultsOverrule,
  ): DefaultUse {
    const { field, scope, candidates } = parseNeed(need) as {
      field: string;
      scope: string;
      candidates?: string[];
    };
    const pairs = sortedPairs(parseConditions(conditions));
    const own = overrule === undefined ? undefined : parseOverrule(overrule);
    const votes = this.#tables.votes({ tenant: parseTenant(tenant), scope, field }, VOTES_READ);
    const request = { tenant, field, scope, candidates, conditions: pairs, overrule: own };
    return resolveFrom(votes, request, this.settings, now, this.#documentExists);
  }

  /**
   * Takes an answer as one vote. A rejection that names another value is one vote for that value: a user who corrects
   * has said one thing, not two. False when `once` says that it was here before. On the disk when this returns.
   * @throws INVALID_INPUT, DEFAULTS_LOCKED, WRITE_FAILED
   */
  learn(answer: Answer): boolean {
    const { tenant, need, conditions, at, once, instead, ...said } = parseAnswer(answer);
    const corrected = said.signal === 'explicit_no' && instead !== undefined;
    const { signal, value, docId } = corrected ? { signal: 'explicit_yes' as const, ...instead } : said;
    return this.#tables.write(() =>
      this.#tables.insert(
        { tenant, scope: need.scope ?? '', field: need.field },
        {
          conditions: JSON.stringify(sortedPairs(conditions)),
          signal,
          value,
          docId: docId ?? null,
          at,
          once: once ?? null,
        },
      ),
    );
  }

  /**
   * Writes a use into the audit trail of the store, with the id of its query. Unlike a vote it may be lost in a power
   * cut, for the sake of time: the decision holds the same record. With it goes the question, where an answer to it is
   * to be recognised later.
   */
  note(use: DefaultUse, queryId: string, question?: OpenQuestion): void {
    const { tenant, id: subject } = use.default;
    const at = Date.parse(use.at);
    this.#tables.quickly(() => {
      this.#tables.audit({ tenant, at, kind: 'use', subject, query: queryId, record: use });
      if (question === undefined) return;
      this.#tables.removeQuestions(null, null, at - QUESTION_DAYS * DAY_MS);
      this.#tables.ask(tenant, wordsHash(question.text), subject, question);
    });
  }

  /** What was noted about a question of a user in the last 30 days, newest first. */
  questionsAbout(text: string, tenant: string, now: number): OpenQuestion[] {
    const since = now - QUESTION_DAYS * DAY_MS;
    return this.#tables.asked(parseTenant(tenant), wordsHash(text), since, QUESTIONS_READ);
  }

  /** Every default, one for each stratum, of one tenant or of all. */
  list(tenant: string | undefined, now: number): ClarificationDefault[] {
    return this.#tables
      .fields(tenant)
      .flatMap((place) => this.#leaves(place, this.#tables.votes(place, VOTES_READ), now));
  }

  /** The votes of a default and its trail, newest last; null where there is no default of that id. */
  show(
    id: string,
    tenant: string | undefined,
    now: number,
  ): { default: ClarificationDefault; votes: Vote[]; audit: AuditEntry[] } | null {
    const found = this.list(tenant, now).find((one) => one.id === id);
    if (found === undefined) return null;
    const votes = this.#tables.votes(found, VOTES_READ).filter((vote) => isIn(vote, found.conditions));
    return { default: found, votes, audit: this.#tables.trail(found.tenant, id) };
  }

  /**
   * Deletes votes, overwrites where they stood, and writes into the audit trail how many there were.
   * @returns votes deleted, by default ("*": all of the tenant); empty where nothing fits
   */
  forget(what: Forget, now: number): Map<string, number> {
    const { tenant, ids, before = Number.MAX_SAFE_INTEGER } = what;
    const forgotten = this.#tables.write(() => {
      const counts =
        ids === undefined ? this.#forgetAll(tenant, before) : this.#forgetSome(tenant, ids, before, now);
      // Questions that nobody answered have no votes.
      if (ids === undefined) this.#tables.removeQuestions(tenant, null, before);
      for (const [subject, votes] of counts) {
        const own = subject === EVERYTHING ? null : subject;
        this.#tables.removeQuestions(tenant, own, before);
        if (what.audit) this.#tables.removeUses(tenant, own, before);
        this.#tables.audit({ tenant, at: now, kind: 'forget', subject, query: null, record: { votes } });
      }
      return counts;
    });
    // What was deleted must not live on in the log either.
    this.#tables.settle();
    return forgotten;
  }

  /** All votes of one tenant or of all, each with its field, in the order in which they were cast. */
  *votes(tenant?: string): Generator<Field & Vote> {
    for (const place of this.#tables.fields(tenant)) {
      for (const vote of this.#tables.votes(place, -1)) yield { ...place, ...vote };
    }
  }

  /** The audit trail of one tenant or of all, oldest first. */
  trail(tenant?: string): AuditEntry[] {
    return this.#tables.trail(tenant ?? null, null);
  }

  close(): void {
    this.#tables.close();
  }

  #leaves(place: Field, votes: readonly Vote[], now: number): ClarificationDefault[] {
    return leavesOf(votes, this.settings, now).map((leaf) =>
      defaultRecord(
        { ...place, stratum: leaf.stratum },
        tally(leaf.votes, this.settings, now),
        this.settings,
      ),
    );
  }

  #forgetAll(tenant: string, before: number): Map<string, number> {
    const votes = this.#tables.removeBefore(tenant, before);
    return new Map(votes === 0 ? [] : [[EVERYTHING, votes]]);
  }

  #forgetSome(tenant: string, ids: readonly string[], before: number, now: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const place of this.#tables.fields(tenant)) {
      const all = this.#tables.votes(place, -1);
      // Strata are those that `list` shows, from the newest votes; older votes belong to them by their conditions.
      for (const { id, conditions } of this.#leaves(place, all.slice(-VOTES_READ), now)) {
        if (!ids.includes(id)) continue;
        const gone = all.filter((vote) => isIn(vote, conditions) && vote.at < before);
        for (const vote of gone) this.#tables.remove(vote.id);
        if (gone.length > 0) counts.set(id, gone.length);
      }
    }
    return counts;
  }
}
