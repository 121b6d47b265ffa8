/** Learned defaults as a running router uses them: asked before the user is, told what users answer. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, PragauraError } from '../../common/index.ts';
import { placeOf } from '../../corpus/index.ts';
import { type ClarifyingQuestion, readingOf } from '../clarify/index.ts';
import { proposal } from '../history/index.ts';
import { exchangeBefore, type Heard, heardIn, type UserTurn } from './hearing.ts';
import { type Piece, pieceOf } from './piece.ts';
import { overruledBy, resolveFrom, unavailable } from './resolve.ts';
import { sortedPairs } from './rows.ts';
import { type DefaultsStore, openDefaults } from './store.ts';
import { sameValue } from './tally.ts';
import {
  type Answer,
  type Conditions,
  type DefaultSettings,
  type DefaultsOverrule,
  type DefaultUse,
  type OpenQuestion,
  Tenant,
  type VoteCast,
} from './types.ts';

/** How long a call waits for a store that another process holds, and how much of it without letting others run. */
const WAIT_MS = 5_000;
const BLOCK_MS = 50;
const RETRY_MS = 25;
/** Users who make a first default at the level that `DefaultSettings` has where nobody says. */
const FIRST_DEFAULT = 5;

export interface HabitsOptions {
  /** File; made where there is none. */
  store: string;
  /** Whose defaults, where a query does not say. */
  tenant: string;
  settings?: Partial<DefaultSettings>;
}

/** What is known of values from questions that named one of them by themselves. Throws as a store does. */
export type NamedBefore = (values: readonly string[], tenant: string, now: number) => readonly NamedValue[];

/** In how many earlier questions a value was named alone; of whoever asks, of all, and of how many different people. */
interface NamedValue {
  value: string;
  own: number;
  all: number;
  people: number;
}

/** What belongs to one query in every call about it. */
interface Caller {
  /** Of the query. */
  id: string;
  conditions?: Conditions | undefined;
  overrule?: DefaultsOverrule | undefined;
  /** Default: that of the options. */
  tenant?: string | undefined;
  /** Ends the wait for a store that another process holds; what it throws is thrown. */
  signal?: AbortSignal | undefined;
}

/** What is proposed where nothing was learned: in the words in which it is proposed, and in those in which it is said that it was taken. */
export interface FirstProposal {
  value: string;
  words: string;
  taken: string;
  from: 'COLLECTION' | 'LOGGED';
}

export interface Asking extends Caller {
  /** The query as it stands without its history (`selfContained`): by it the conversation that answers is recognised. */
  text: string;
  question: ClarifyingQuestion;
  /** What is proposed where nothing was learned. */
  first?: FirstProposal | undefined;
  /** Of whoever asks, for a first proposal. */
  named?: NamedBefore | undefined;
  /** Whether what would be proposed is taken: there is an answer without asking, or the user was asked before. */
  take?: 'ANSWERED' | 'ASKED_BEFORE' | undefined;
}

/** What became of a question. */
export interface Settled {
  use: DefaultUse;
  /** To be routed in place of the query; null: the user is asked. */
  query: string | null;
  /** To be asked: a value that is proposed stands first in it, and its message names it. */
  question: ClarifyingQuestion;
  proposed: { value: string; reason: string } | null;
  /** @internal */
  readonly asking: Asking;
  /** @internal */
  readonly piece: Piece;
}

export interface Habits {
  /**
   * Takes what a turn says about the turn before as a vote, at most one; the same turn delivered again is none. Called
   * once for every query with a history. Never throws for the store: what could not be written says so.
   */
  hear(said: UserTurn & Caller): Promise<VoteCast[]>;
  /**
   * What is known about the piece that a question asks for; null where such pieces are not learned. It is on the audit
   * trail before this returns. With a store that is locked for five seconds or damaged, nothing is applied and the use
   * says so.
   */
  settle(asking: Asking): Promise<Settled | null>;
  /** Nothing was found with the value that `settle` gave: it is a vote where a default gave it, and the user is asked. */
  failed(settled: Settled): Promise<{ use: DefaultUse; votes: VoteCast[] }>;
  /** No answer went out with the value that `settle` gave: what the user says next is no consent to it. Never waits. */
  lapsed(settled: Settled): DefaultUse;
  close(): void;
}

/**
 * Opens the store of a router, and makes it where there is none. `documents`: those of the index with how many
 * passages they have. Throws DEFAULTS_UNUSABLE, DEFAULTS_LOCKED, WRITE_FAILED and, for settings out of range, INVALID_INPUT.
 */
export async function openHabits(
  options: HabitsOptions,
  documents: readonly { docId: string; passages: number }[],
  told: { announce?: ((message: string) => void) | undefined; now?: () => number; waitMs?: number } = {},
): Promise<Habits> {
  if (!Tenant.safeParse(options.tenant).success) {
    throw new PragauraError(
      'CONFIGURATION',
      'The tenant of learned defaults is a text of 1 to 200 characters.',
    );
  }
  const passagesIn = new Map(documents.map(({ docId, passages }) => [docId, passages]));
  const { announce = () => {}, now = Date.now, waitMs = WAIT_MS } = told;
  const store = await openDefaults({
    file: options.store,
    create: true,
    waitMs,
    blockMs: BLOCK_MS,
    documentExists: (docId) => passagesIn.has(docId),
    ...(options.settings && { settings: options.settings }),
  });
  const documentOf = (passageId: string) => {
    const docId = passageId.slice(0, passageId.lastIndexOf('#'));
    return placeOf(passageId) < (passagesIn.get(docId) ?? 0) ? docId : undefined;
  };
  return new StoredHabits({
    store,
    tenant: options.tenant,
    announce,
    now,
    waitMs,
    documentOf,
  });
}

interface Parts {
  store: DefaultsStore;
  tenant: string;
  announce: (message: string) => void;
  now: () => number;
  waitMs: number;
  documentOf: (passageId: string) => string | undefined;
}

class StoredHabits implements Habits {
  readonly #parts: Parts;
  readonly #announced = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async hear(said: UserTurn & Caller): Promise<VoteCast[]> {
    const before = exchangeBefore(said.history);
    if (before === null) return [];
    const { tenant = this.#parts.tenant } = said;
    const now = this.#parts.now();
    const questions = await this.#tried(
      () => this.#parts.store.questionsAbout(before.text, tenant, now),
      said.signal,
    );
    // What cannot be read cannot be told from what was never asked; the failure was announced.
    if ('problem' in questions) return [];
    const heard = heardIn(said, before.reply, questions.value, now);
    if (heard === null) return [];
    const { about, signal } = heard;
    const once = onceKey('heard', said.id, said.query, said.history);
    const conditions = said.conditions ?? about.conditions;
    return [await this.#vote(heard, signal, tenant, { ...about, conditions }, once, said.signal)];
  }

  async settle(asking: Asking): Promise<Settled | null> {
    const { question, text, overrule, tenant = this.#parts.tenant, id } = asking;
    const piece = pieceOf(text, question, asking.conditions ?? {}, this.#parts.documentOf);
    if (piece === null) return null;
    const conditions = { ...piece.conditions, ...piece.derived };
    const now = this.#parts.now();
    const tried = await this.#tried(() => {
      const resolved = this.#parts.store.resolve(piece.need, conditions, tenant, now, overrule);
      const own = { ...asking, first: this.#logged(asking, piece, tenant, now) ?? asking.first };
      const use = proposing(own, resolved);
      const settled = settledBy(own, piece, use);
      // Before it is applied: a default that is not on the audit trail is none.
      this.#parts.store.note(use, id, openQuestion(settled, kindOf(settled)));
      return settled;
    }, asking.signal);
    if ('value' in tried) return tried.value;
    const request = { ...piece.need, tenant, conditions: sortedPairs(conditions), overrule };
    const said = overruledBy(overrule, piece.need.field) !== undefined;
    const use = resolveFrom([], request, this.#parts.store.settings, now, () => false);
    return settledBy(asking, piece, said ? use : unavailable(use, tried.problem));
  }

  async failed(settled: Settled): Promise<{ use: DefaultUse; votes: VoteCast[] }> {
    const { asking, piece } = settled;
    const { used, outcome, default: learned } = settled.use;
    const asked = openQuestion(settled, 'asked');
    const sentence = `Nothing was found with "${used}" for ${learned.field}: asked instead.`;
    const use = this.#unused(settled, 'FAILED_HERE', sentence);
    const votes: VoteCast[] = [];
    if (outcome === 'APPLIED' && used !== null) {
      const once = onceKey('failure', asking.id, asking.text);
      const option = piece.options.find(({ value }) => sameValue(value) === sameValue(used));
      const vote = { value: used, docId: option?.docId ?? null, instead: null };
      votes.push(await this.#vote(vote, 'failure', learned.tenant, asked, once, asking.signal));
    }
    await this.#tried(() => this.#parts.store.note(use, asking.id, asked), asking.signal);
    return { use, votes };
  }

  lapsed(settled: Settled): DefaultUse {
    const { used, default: learned } = settled.use;
    const sentence = `No answer went out with "${used}" for ${learned.field}.`;
    const use = this.#unused(settled, 'NOT_ANSWERED', sentence);
    try {
      this.#parts.store.note(use, settled.asking.id, openQuestion(settled, 'asked'));
    } catch (error) {
      if (problemOf(error) === null) throw error;
      this.#say(messageOf(error));
    }
    return use;
  }

  close(): void {
    try {
      this.#parts.store.close();
    } catch (error) {
      if (problemOf(error) === null) throw error;
      this.#say(messageOf(error));
    }
  }

  /**
   * What more than half of the earlier questions name that name one of the values: those of at least as many people as make a first
   * default, else of whoever asks, as many. So what single people asked about is shown to nobody else, not as a number either.
   */
  #logged({ named }: Asking, { need }: Piece, tenant: string, now: number): FirstProposal | null {
    const { store } = this.#parts;
    const found = named?.(need.candidates, tenant, now) ?? [];
    const least = store.settings.firstDefault ?? FIRST_DEFAULT;
    const mostOf = (count: (one: NamedValue) => number, voices: (one: NamedValue) => number) => {
      const all = found.reduce((sum, one) => sum + count(one), 0);
      const most = found.find((one) => voices(one) >= least && 2 * count(one) > all);
      return most && { value: most.value, share: `${count(most)} of ${all}` };
    };
    const most =
      mostOf(
        ({ all }) => all,
        ({ people }) => people,
      ) ??
      mostOf(
        ({ own }) => own,
        ({ own }) => own,
      );
    if (most === undefined) return null;
    const { value } = most;
    const share = `${most.share} earlier questions name it`;
    return {
      value,
      words: `Most often "${value}" was meant: ${share}.`,
      taken: `Took "${value}" for ${need.field}: ${share}.`,
      from: 'LOGGED',
    };
  }

  #unused({ use }: Settled, reason: DefaultUse['reason'], sentence: string): DefaultUse {
    const at = new Date(this.#parts.now()).toISOString();
    return { ...use, outcome: 'ASKED', reason, used: null, sentence, at };
  }

  async #vote(
    { value, docId, instead }: Pick<Heard, 'value' | 'docId' | 'instead'>,
    signal: VoteCast['signal'],
    tenant: string,
    { need, conditions, derived }: Pick<OpenQuestion, 'need' | 'conditions' | 'derived'>,
    once: string,
    stop: AbortSignal | undefined,
  ): Promise<VoteCast> {
    const place = (one: { value: string; docId: string | null }) => ({
      value: one.value.slice(0, 1_000),
      ...(one.docId !== null && { docId: one.docId }),
    });
    const answer: Answer = {
      tenant,
      need,
      conditions: { ...derived, ...conditions },
      signal,
      ...place({ value, docId }),
      ...(instead !== null && { instead: place(instead) }),
      at: this.#parts.now(),
      once,
    };
    const tried = await this.#tried(() => this.#parts.store.learn(answer), stop);
    return {
      schema: 'pragaura.default-vote-cast/1',
      signal,
      ...need,
      value,
      instead: instead?.value ?? null,
      counted: 'value' in tried && tried.value,
      problem: 'problem' in tried ? tried.problem : null,
    };
  }

  /** Does it, waiting for other processes without keeping this one from its other queries; what is wrong with the store is no error. */
  async #tried<T>(
    work: () => T,
    signal: AbortSignal | undefined,
  ): Promise<{ value: T } | { problem: string }> {
    const deadline = performance.now() + this.#parts.waitMs;
    for (;;) {
      try {
        return { value: work() };
      } catch (error) {
        const problem = problemOf(error);
        if (problem === null) throw error;
        if (problem !== 'DEFAULTS_LOCKED' || performance.now() >= deadline) {
          this.#say(messageOf(error));
          return { problem: messageOf(error) };
        }
      }
      await sleep(RETRY_MS, undefined, { signal });
    }
  }

  /** Each trouble once: a damaged store is met by every query. */
  #say(message: string): void {
    if (this.#announced.has(message)) return;
    this.#announced.add(message);
    this.#parts.announce(`Learned defaults: ${message}`);
  }
}

const STORE_PROBLEMS = ['DEFAULTS_LOCKED', 'DEFAULTS_UNUSABLE', 'WRITE_FAILED'];

function problemOf(error: unknown): string | null {
  return PragauraError.isInstance(error) && STORE_PROBLEMS.includes(error.code) ? error.code : null;
}

function onceKey(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The use with a first proposal where nothing was learned, and with what is proposed taken where that is asked for. */
function proposing({ first, take }: Asking, use: DefaultUse): DefaultUse {
  const fresh = use.reason === 'UNKNOWN' || use.reason === 'NOT_A_CANDIDATE';
  const offered: DefaultUse =
    first !== undefined && fresh
      ? { ...use, outcome: 'SUGGESTED', reason: first.from, sentence: first.words }
      : use;
  if (take === undefined || offered.outcome !== 'SUGGESTED') return offered;
  const reason = take === 'ASKED_BEFORE' ? take : offered.reason;
  const taken = { ...offered, outcome: 'APPLIED' as const, reason };
  if (fresh && first !== undefined) return { ...taken, used: first.value, sentence: first.taken };
  return { ...taken, used: offered.default.value, sentence: `${offered.sentence} It was taken.` };
}

function settledBy(asking: Asking, piece: Piece, use: DefaultUse): Settled {
  const { question, text, first } = asking;
  const optionOf = (value: string | null) =>
    value === null
      ? undefined
      : question.options.find((option) => sameValue(option.value) === sameValue(value));
  const { used } = use;
  const query = used === null ? null : (optionOf(used)?.query ?? readingOf(text, question, used));
  const settled = { use, asking, piece, query };
  if (use.outcome !== 'SUGGESTED') return { ...settled, question, proposed: null };
  const fresh = use.reason === 'COLLECTION' || use.reason === 'LOGGED';
  const value = fresh ? first!.value : use.default.value!;
  const words = fresh ? first!.words : proposal(value);
  return {
    ...settled,
    // The options stay in their order: a reply by number goes by the list in the message.
    question: { ...question, message: `${words} ${question.message}` },
    proposed: { value: optionOf(value)?.value ?? value, reason: use.sentence },
  };
}

function kindOf({ query, use }: Settled): OpenQuestion['kind'] {
  if (query === null) return 'asked';
  return use.outcome === 'APPLIED' ? 'applied' : 'overruled';
}

/** What is kept until the user says something to it. */
function openQuestion(
  { asking, piece, use, question, proposed }: Settled,
  kind: OpenQuestion['kind'],
): OpenQuestion {
  const { candidates: _, ...need } = piece.need;
  return {
    kind,
    text: asking.text,
    message: kind === 'asked' ? question.message : '',
    need,
    conditions: piece.conditions,
    derived: piece.derived,
    options: piece.options,
    value: kind === 'asked' ? (proposed?.value ?? null) : use.used,
    at: Date.parse(use.at),
  };
}
