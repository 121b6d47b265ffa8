/**
 * Conversations of made-up people with real routers over one store: whether anybody is asked the same twice, and whether all that
 * was asked and applied is on the trail, once, and stays there.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Random, randomInteger, seededRandom } from '../../common/index.ts';
import { type DefaultsStore, openDefaults, type Turn } from '../../conversation/index.ts';
import { AuditLog, audited, ensureSigningKey, type SigningKey, verifyLog } from '../../governance/index.ts';
import type { Decision, Router } from '../../router/index.ts';
import { ASKED, CORRECTED, NAMED, NO_REPLY, type Piece, REFUSALS, VALUES } from './house.ts';
import { tamperWith } from './tampering.ts';

/** Of `tried`, how many went wrong. */
export interface Harm {
  harmful: number;
  tried: number;
}

export interface ConversationsReport {
  conversations: number;
  turns: number;
  actions: Record<Decision['action'], number>;
  /** Turns on something that was asked earlier in the conversation, by what came in place of the question. */
  instead: Record<'reply' | 'proposal' | 'silence' | 'learned' | 'other', number>;
  /** Conversations with a question back; harmful: the same was asked twice. */
  askedTwice: Harm;
  /** Questions back, also those that nothing is learned from; harmful: not exactly once on the log of decisions. */
  questions: Harm;
  /** What was done about what is learned, by outcome; harmful: not exactly once on the trail of the store, as the decision has it. */
  uses: Harm;
  outcomes: Record<string, number>;
  /** Choices that were asked for, and values in force that nobody in the conversation had said; harmful: no such entry. */
  explained: Harm;
  /** Entries, looked at again later, also after defaults were forgotten; harmful: changed, gone, or of no decision. */
  entries: Harm;
  /** Changes of the trail that were tried in the database; harmful: neither refused nor noticed at the next reading. */
  tampering: Harm & { refused: number; noticed: number };
  /** Times that defaults were forgotten meanwhile. */
  forgotten: number;
  /** The first of what went wrong. */
  problems: string[];
}

/** Conversations that share a store, and people who have them. */
const TOGETHER = 100;
const PEOPLE = 6;
const TENANTS = 2;
/** How many of a tenant's people want what is usual there. */
const AGREEMENT = 0.8;
const TURNS = { least: 3, most: 9 };
const MOST_PROBLEMS = 20;

export interface ConversationsOptions {
  conversations: number;
  seed: number;
  /** Opens a router that learns defaults in a store. */
  open: (store: string) => Promise<Router>;
  /** Stores and logs are made here. */
  folder: string;
  signal: AbortSignal;
  told: (conversations: number) => void;
}

/** Throws what routing, the store and the log throw, and ABORTED. */
export async function runConversations(options: ConversationsOptions): Promise<ConversationsReport> {
  const { conversations, seed, folder } = options;
  const report: ConversationsReport = {
    conversations,
    turns: 0,
    actions: { ANSWER: 0, ASK: 0, ABSTAIN: 0 },
    instead: { reply: 0, proposal: 0, silence: 0, learned: 0, other: 0 },
    askedTwice: none(),
    questions: none(),
    uses: none(),
    outcomes: {},
    explained: none(),
    entries: none(),
    tampering: { ...none(), refused: 0, noticed: 0 },
    forgotten: 0,
    problems: [],
  };
  const key = ensureSigningKey(path.join(folder, 'key'));
  for (let from = 0; from < conversations; from += TOGETHER) {
    const house = new House(report, seededRandom(seed + from), `${from}`);
    await house.play(Math.min(TOGETHER, conversations - from), options, key);
    options.told(Math.min(from + TOGETHER, conversations));
  }
  return report;
}

const none = (): Harm => ({ harmful: 0, tried: 0 });

interface Person {
  tenant: string;
  wants: Record<Piece, string>;
}

type Decider = Pick<Router, 'route'>;
type Entries = ReturnType<DefaultsStore['trail']>;

/** One store, with the routers that use it and what they decided. */
class House {
  readonly #report: ConversationsReport;
  readonly #random: Random;
  readonly #name: string;
  /** Decided since the trail was last held against it. */
  #decided: Decision[] = [];
  readonly #all: Decision[] = [];
  #known: Entries = [];

  constructor(report: ConversationsReport, random: Random, name: string) {
    this.#report = report;
    this.#random = random;
    this.#name = name;
  }

  async play(
    conversations: number,
    { open, folder, signal }: ConversationsOptions,
    key: SigningKey,
  ): Promise<void> {
    const file = path.join(folder, `${this.#name}.db`);
    const logFile = path.join(folder, `${this.#name}.log`);
    const log = await AuditLog.open({ file: logFile, key });
    const routers = [await open(file), await open(file)];
    const by = { id: 'bench', roles: [], via: 'local' as const };
    const deciders = routers.map((router) => audited(router, log, by));
    const store = await openDefaults({ file });
    const people = Array.from({ length: PEOPLE }, (_, i): Person => {
      const usual = i % TENANTS;
      const own = (piece: Piece) =>
        this.#random() < AGREEMENT ? VALUES[piece][usual]! : this.#one(VALUES[piece]);
      return { tenant: `tenant ${usual}`, wants: { plan: own('plan'), version: own('version') } };
    });
    try {
      for (let n = 0; n < conversations; n += 1) {
        signal.throwIfAborted();
        const person = this.#one(people);
        await this.#converse(`${this.#name}-${n}`, person, deciders, signal);
        if (this.#random() >= 0.015) continue;
        this.#look(store);
        this.#forget(store, person.tenant);
      }
      this.#look(store);
    } finally {
      for (const router of routers) await router.close();
      store.close();
      await log.close();
    }
    await this.#held(logFile);
    await this.#tamper(file);
  }

  async #converse(name: string, person: Person, deciders: readonly Decider[], signal: AbortSignal) {
    const { tenant } = person;
    const history: Turn[] = [];
    const asked = new Set<string>();
    let twice = false;
    let topic = this.#one(ASKED);
    let query = this.#one(topic.wordings);
    const turns = TURNS.least + randomInteger(this.#random, TURNS.most - TURNS.least + 1);
    for (let turn = 0; turn < turns; turn += 1) {
      const said = { id: `${name}-${turn}`, query, history: [...history] };
      const decision = await this.#one(deciders).route(said, { tenant, signal });
      this.#note(decision);
      // A client that heard nothing sends it again, and another process takes it.
      if (this.#random() < 0.05) this.#note(await this.#one(deciders).route(said, { tenant, signal }));
      this.#report.turns += 1;
      const question = questionOf(decision);
      if (question !== null && asked.has(question)) {
        twice = true;
        this.#problem(`asked twice: ${JSON.stringify([...history, decision.clarification!.message])}`);
      }
      if (question === null && topic.piece !== null && asked.has(topic.piece)) this.#instead(decision);
      if (question !== null) asked.add(question);
      this.#explain(decision, history);
      history.push({ role: 'user', text: query }, { role: 'assistant', text: replyOf(decision) });
      [topic, query] = this.#next(decision, topic, query, person);
    }
    if (asked.size === 0) return;
    this.#report.askedTwice.tried += 1;
    this.#report.askedTwice.harmful += Number(twice);
  }

  /** What the person says next, and what it is about. */
  #next(
    decision: Decision,
    topic: (typeof ASKED)[number],
    query: string,
    { wants }: Person,
  ): [(typeof ASKED)[number], string] {
    const random = this.#random();
    const { piece } = topic;
    const value = piece === null ? null : this.#random() < 0.9 ? wants[piece] : this.#one(VALUES[piece]);
    const again = (): [(typeof ASKED)[number], string] => [
      topic,
      this.#random() < 0.5 && topic.wordings.includes(query) ? query : this.#one(topic.wordings),
    ];
    const other = (): [(typeof ASKED)[number], string] => {
      const alike = ASKED.filter((one) => piece !== null && one.piece === piece);
      const next = this.#one(alike.length > 0 && this.#random() < 0.6 ? alike : ASKED);
      return [next, this.#one(next.wordings)];
    };
    if (value === null) return random < 0.3 ? again() : other();
    if (decision.action === 'ASK') {
      if (random < 0.4) return [topic, this.#one(NAMED)(value)];
      if (random < 0.5) return [topic, this.#one(['yes', 'the first one', 'the second one'])];
      if (random < 0.6) return [topic, this.#one(REFUSALS)];
      if (random < 0.7) return [topic, this.#one(NO_REPLY)];
    } else if (random < 0.3) {
      return [topic, this.#one(decision.action === 'ANSWER' ? CORRECTED : NAMED)(value)];
    }
    return random < 0.85 ? again() : other();
  }

  #note(decision: Decision): void {
    this.#decided.push(decision);
    this.#all.push(decision);
    this.#report.actions[decision.action] += 1;
    for (const { outcome, reason } of decision.defaults) {
      const name = `${outcome} ${reason}`;
      this.#report.outcomes[name] = (this.#report.outcomes[name] ?? 0) + 1;
    }
  }

  #instead({ askedBefore, defaults }: Decision): void {
    const learned = defaults.some(({ outcome, reason }) => outcome === 'APPLIED' && reason === 'LEARNED');
    const came = askedBefore?.instead.toLowerCase() as 'reply' | 'proposal' | 'silence' | undefined;
    this.#report.instead[came ?? (learned ? 'learned' : 'other')] += 1;
  }

  /** Whatever was asked or taken that nobody said has to be among what the decision says of defaults. */
  #explain(decision: Decision, history: readonly Turn[]): void {
    const { explained } = this.#report;
    const question = questionOf(decision);
    if (decision.clarification?.question !== undefined && (question === 'plan' || question === 'version')) {
      explained.tried += 1;
      if (decision.defaults.some(({ used }) => used === null)) return;
      explained.harmful += 1;
      this.#problem(`a question without an entry: ${decision.clarification!.message}`);
    }
    const own = [...history.filter(({ role }) => role === 'user').map(({ text }) => text), decision.query];
    const words = own.join('\n').toLowerCase();
    const inForce = `${decision.routed ?? ''}\n${decision.parsed?.scope.where ?? ''}`.toLowerCase();
    for (const value of Object.values(VALUES).flat()) {
      if (!inForce.includes(value) || words.includes(value) || byPlace(own)) continue;
      explained.tried += 1;
      if (decision.defaults.some(({ used, default: { value: its } }) => (used ?? its) === value)) continue;
      explained.harmful += 1;
      this.#problem(`"${value}" without an entry: ${JSON.stringify([...history, decision.query])}`);
    }
  }

  /** The trail against what was decided since, and against what it was. */
  #look(store: DefaultsStore): void {
    const { uses, entries } = this.#report;
    const trail = store.trail();
    for (const [i, { record: _, ...before }] of this.#known.entries()) {
      entries.tried += 1;
      const { record: __, ...now } = trail[i] ?? { record: null };
      if (JSON.stringify(before) === JSON.stringify(now)) continue;
      entries.harmful += 1;
      this.#problem(`an entry changed: ${JSON.stringify([before, now])}`);
    }
    const written = new Map<string, number>();
    for (const { query, kind, record } of trail.slice(this.#known.length)) {
      if (kind !== 'use') continue;
      const key = `${query} ${JSON.stringify(record)}`;
      written.set(key, (written.get(key) ?? 0) + 1);
    }
    const said = new Map<string, number>();
    for (const { id, defaults } of this.#decided) {
      for (const use of defaults) {
        const key = `${id} ${JSON.stringify(use)}`;
        said.set(key, (said.get(key) ?? 0) + 1);
      }
    }
    for (const [key, times] of said) {
      uses.tried += times;
      const wrong = Math.abs(times - (written.get(key) ?? 0));
      uses.harmful += wrong;
      if (wrong > 0) this.#problem(`${written.get(key) ?? 0} times on the trail, not ${times}: ${key}`);
    }
    for (const [key] of written) {
      entries.tried += 1;
      if (said.has(key)) continue;
      entries.harmful += 1;
      this.#problem(`an entry of no decision: ${key}`);
    }
    this.#decided = [];
    this.#known = trail;
  }

  #forget(store: DefaultsStore, tenant: string): void {
    const before = this.#known.length;
    const forgotten = store.forget({ tenant, audit: this.#random() < 0.5 }, Date.now());
    this.#report.forgotten += 1;
    const added = store.trail().slice(before);
    if (added.length === forgotten.size && added.every(({ kind }) => kind === 'forget')) return;
    this.#report.entries.harmful += 1;
    this.#problem(`forgetting left ${JSON.stringify(added)}`);
  }

  /** The log of decisions against what was decided. */
  async #held(file: string): Promise<void> {
    const { verdict } = await verifyLog(file);
    if (verdict !== 'whole') this.#problem(`the log of decisions is ${verdict}`);
    const made = new Map<string, number>();
    for (const line of (await readFile(file, 'utf8')).trimEnd().split('\n')) {
      const { event } = JSON.parse(line) as { event?: { kind: string; about: string; detail: Decision } };
      if (event?.kind !== 'decision.made' || event.detail.action !== 'ASK') continue;
      made.set(event.about, (made.get(event.about) ?? 0) + 1);
    }
    const asked = new Map<string, number>();
    for (const { id, action } of this.#all) if (action === 'ASK') asked.set(id, (asked.get(id) ?? 0) + 1);
    const { questions } = this.#report;
    for (const id of new Set([...made.keys(), ...asked.keys()])) {
      const times = asked.get(id) ?? 0;
      questions.tried += times;
      const wrong = Math.abs(times - (made.get(id) ?? 0));
      questions.harmful += wrong;
      if (wrong > 0) this.#problem(`${made.get(id) ?? 0} times on the log of decisions, not ${times}: ${id}`);
    }
  }

  async #tamper(file: string): Promise<void> {
    const { tampering } = this.#report;
    const uses = this.#known.filter(({ kind, record }) => kind === 'use' && record !== null);
    if (uses.length === 0) return;
    const { refused, noticed, unnoticed } = await tamperWith(file, () => this.#one(uses).id);
    tampering.tried += refused + noticed + unnoticed.length;
    tampering.refused += refused;
    tampering.noticed += noticed;
    tampering.harmful += unnoticed.length;
    for (const way of unnoticed) this.#problem(`the trail was changed without a word: ${way}`);
  }

  #problem(text: string): void {
    if (this.#report.problems.length < MOST_PROBLEMS) this.#report.problems.push(text);
  }

  #one<T>(items: readonly T[]): T {
    return items[randomInteger(this.#random, items.length)]!;
  }
}

/** What a question back is about: one of the pieces, what it offers, or its words about the user's; null where nothing is asked. */
function questionOf({ clarification, query }: Decision): string | null {
  if (clarification === undefined) return null;
  const offered = clarification.request?.candidateValues ?? clarification.suggestions;
  const about = (Object.keys(VALUES) as Piece[]).find(
    (piece) =>
      VALUES[piece].filter((value) => offered.some((one) => one.toLowerCase().includes(value))).length > 1,
  );
  if (about !== undefined) return about;
  return offered.length > 1
    ? [...offered].sort().join('|')
    : `${clarification.message} ${query.toLowerCase()}`;
}

/** Whether somebody chose by place, so that no value stands in their words. */
function byPlace(said: readonly string[]): boolean {
  return said.some((text) => /^(?:yes|the first one|the second one)$/.test(text));
}

function replyOf({ answer, clarification, abstention }: Decision): string {
  return answer?.claim ?? answer?.text ?? (clarification ?? abstention)!.message;
}
