/** A house with documents and people, and a system in front of them: this one, or one with a constraint less. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PragauraError } from '../../common/index.ts';
import { generationsOf, rollBack } from '../../corpus/index.ts';
import {
  type Access,
  AuditLog,
  audited,
  ensureSigningKey,
  labelsFrom,
  Memory,
  type Principal,
  parsePolicy,
  readableBy,
  remembering,
} from '../../governance/index.ts';
import { Knowledge } from '../../knowledge/index.ts';
import {
  type Decision,
  indexDocuments,
  openRouter,
  type Query,
  type Router,
  type RouterOptions,
} from '../../router/index.ts';
import type { Scorers } from '../../scorers/index.ts';

/** What is taken away from the system. `plain`: everything, the best passage is the answer. */
export const CONTENDERS = [
  'this system',
  'plain retrieval',
  'without refusal',
  'without access',
  'without review',
  'without isolation',
  'without memory',
] as const;
export type Contender = (typeof CONTENDERS)[number];

const POLICY = `
@id("user") permit (principal in Role::"user", action in [Action::"read", Action::"propose"], resource is Document)
  when { resource.tags.contains("open") };
@id("staff") permit (principal in Role::"staff", action in [Action::"read", Action::"propose", Action::"review"], resource is Document)
  when { resource.tags.contains("open") || resource.tags.contains("staff") };
@id("administrator") permit (principal in Role::"head", action, resource);
`;
/** What only the head may read; the rest of staff/ is for the staff. */
const FOR_THE_HEAD = ['staff/board.md', 'staff/audit.md', 'staff/budget.md'];
const ROLES: Record<string, string[]> = {
  ann: ['user'],
  ben: ['user'],
  cyd: ['user'],
  fay: ['staff'],
  gus: ['staff'],
  dee: ['head'],
  eve: [],
};

export interface Reply {
  answered: boolean;
  quotes: { docId: string; text: string }[];
  /** Text of everything that was shown. */
  shown: { docId: string; text: string }[];
  claim: boolean;
  /** Says yes to what was claimed. */
  believed: boolean;
  remembered: string[];
}

type Step = 'ok' | 'refused';

/** A moment, and one an embargo later. */
const NOW = Date.UTC(2026, 2, 1);
const LATER_MS = 7 * 86_400_000;

interface Parts {
  /** Where its documents lie, and a folder of its own. */
  house: string;
  folder: string;
  index: string;
  contender: Contender;
  scorers: Scorers;
  access: Access;
  memory: Memory;
  log: AuditLog;
  knowledge: Knowledge;
  clock: { now: number };
}

export class House {
  readonly #parts: Parts;
  readonly #tickets = new Map<string, number>();
  readonly #histories = new Map<string, NonNullable<Query['history']>>();
  readonly #routers = new Map<string, Router>();
  readonly #proposed = new Map<string, string[]>();
  /** Texts that were applied, and those of tickets that may be. */
  readonly #inForce = new Map<string, string>();
  readonly #texts = new Map<number, { docId: string; text: string; before: string }>();
  #asked = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Copies a house into `folder` and opens it. Throws what indexing, policy, log and tickets throw. */
  static async open(house: string, folder: string, contender: Contender, scorers: Scorers): Promise<House> {
    const tops = ['docs', 'staff'].map((name) => path.join(house, name));
    const index = path.join(folder, 'index');
    await indexDocuments(tops, { out: index, scorers });
    const labels = {
      schema: 'pragaura.labels/1',
      documents: {
        'docs/': { tags: ['open'] },
        'staff/': { tags: ['staff'] },
        ...Object.fromEntries(FOR_THE_HEAD.map((id) => [id, { tags: ['head'] }])),
      },
    };
    const access = { policy: parsePolicy(POLICY, 'policy.cedar'), labels: labelsFrom(labels, 'labels.json') };
    const log = await AuditLog.open({
      file: path.join(folder, 'audit.log'),
      key: ensureSigningKey(path.join(folder, 'audit.key')),
    });
    const clock = { now: NOW };
    const knowledge = await Knowledge.open({
      index,
      access,
      log,
      scorers: async () => scorers,
      clock: () => new Date(clock.now),
    });
    const memory = Memory.open(path.join(folder, 'memory'));
    return new House({ house, folder, index, contender, scorers, access, memory, log, knowledge, clock });
  }

  async close(): Promise<void> {
    for (const router of this.#routers.values()) await router.close();
    this.#parts.knowledge.close();
    await this.#parts.log.close();
  }

  /** A new conversation for everybody. */
  begin(): void {
    this.#histories.clear();
  }

  /** Whether the policy lets somebody read a document. */
  mayRead(who: string, docId: string): boolean {
    return readableBy(this.#parts.access, personOf(who))({ docId, source: docId });
  }

  /** Whether a document has these words, as it was at first or as somebody proposed it. */
  async hasSaid(docId: string, words: string): Promise<boolean> {
    const plain = (text: string) => text.replace(/\s+/g, ' ');
    const first = await readFile(path.join(this.#parts.house, docId), 'utf8');
    return [first, ...(this.#proposed.get(docId) ?? [])].some((text) => plain(text).includes(plain(words)));
  }

  async ask(who: string, text: string): Promise<Reply> {
    const { contender, memory, log } = this.#parts;
    const router = await this.#routerFor(who);
    if (contender === 'plain retrieval') return this.#best(router, text);
    const person = personOf(who);
    const remembered = () =>
      person.via === 'none' ? null : memory.of(this.#remembererOf(person), this.#at());
    const own = contender === 'without memory' ? router : remembering(router, remembered);
    const { clearance: _, ...by } = person;
    const history = this.#histories.get(who) ?? [];
    this.#asked += 1;
    const decision = await audited(own, log, by).route({ id: `q${this.#asked}`, query: text, history });
    this.#histories.set(who, [
      ...history,
      { role: 'user', text },
      { role: 'assistant', text: spokenOf(decision) },
    ]);
    const reply = replyOf(decision);
    if (contender !== 'without refusal' || reply.answered) return reply;
    return { ...(await this.#best(router, text)), claim: reply.claim, remembered: reply.remembered };
  }

  /** A question over all documents, of nobody, on no log. */
  async askPlainly(text: string): Promise<void> {
    const router = await this.#opened('', undefined);
    await router.route({ id: 'q', query: text });
  }

  /** A step of memory or of a ticket; whether it could be taken. Throws what is no refusal. */
  async take(who: string, verb: string, rest: string): Promise<string> {
    const { contender, knowledge, memory, clock } = this.#parts;
    if (contender === 'plain retrieval' && verb !== 'propose') return 'ok';
    const person = personOf(who);
    const rememberer = this.#remembererOf(person);
    const [name = '', ...more] = rest.split(' ');
    const ticket = this.#tickets.get(name) ?? 0;
    const because = /because "(.+)"$/.exec(rest)?.[1] ?? '';
    const reviewed = contender !== 'without review';
    return stepOf(async () => {
      switch (verb) {
        case 'consent':
          memory.consent(rememberer, this.#at());
          return 'ok';
        case 'remember': {
          const [fact, value] = rest.split(' = ') as [string, string];
          memory.remember(rememberer, { type: 'fact', name: fact, value, days: null }, this.#at());
          return 'ok';
        }
        case 'prefer':
          memory.remember(
            rememberer,
            { type: 'preference', name: 'length', value: rest, days: null },
            this.#at(),
          );
          return 'ok';
        case 'forget': {
          const entry = memory.of(rememberer, this.#at())?.entries.find((each) => each.name === rest);
          if (entry !== undefined) memory.forget(rememberer, entry.id, this.#at());
          return 'ok';
        }
        case 'erase':
          memory.erase(rememberer);
          return 'ok';
        case 'wait':
          clock.now += LATER_MS + 1000;
          return 'ok';
        case 'propose':
          return this.#propose(person, name, more.join(' '));
        case 'trust': {
          const { entailment } = knowledge.ticket(person, ticket).assessment!.trust;
          return entailment === null ? 'none' : entailment < 0.5 ? 'low' : 'high';
        }
        case 'contradictions': {
          const found = knowledge.ticket(person, ticket).assessment!.contradictions.found;
          return found.map(({ text }) => text).join('\n');
        }
      }
      if (!reviewed) return 'ok';
      switch (verb) {
        case 'triage':
          await knowledge.triage(person, ticket);
          return 'ok';
        case 'approve':
          await knowledge.approve(person, ticket, 'seen');
          return 'ok';
        case 'reject':
          await knowledge.reject(person, ticket, because);
          return 'ok';
        case 'withdraw':
          await knowledge.withdraw(person, ticket);
          return 'ok';
        case 'schedule':
          await knowledge.schedule(person, ticket, new Date(clock.now + LATER_MS));
          return 'ok';
        case 'apply':
          await knowledge.apply(person, ticket);
          this.#inForce.set(this.#texts.get(ticket)!.docId, this.#texts.get(ticket)!.text);
          return 'ok';
        case 'due':
          await knowledge.applyDue(person);
          return 'ok';
        case 'rollback': {
          if (!person.roles.includes('head')) return 'refused';
          const { implemented } = knowledge.ticket(person, ticket);
          const target = generationsOf(this.#parts.index).find(({ hash }) => hash === implemented!.base);
          rollBack(this.#parts.index, target!.generation, this.#at());
          await knowledge.settle(person);
          this.#inForce.set(this.#texts.get(ticket)!.docId, this.#texts.get(ticket)!.before);
          return 'ok';
        }
        default:
          throw new TypeError(`There is no step ${verb}.`);
      }
    });
  }

  /** `@doc "old" -> "new" claim "…" proof "…"` */
  async #propose(person: Principal, name: string, rest: string): Promise<Step> {
    const { contender, knowledge, house } = this.#parts;
    const [, docId, old, fresh, claim, proof] =
      /^@(\S+) "(.+?)" -> "(.+?)" claim "(.+?)"(?: proof "(.+?)")?$/.exec(rest) ?? [];
    const inForce = this.#inForce.get(docId!) ?? (await readFile(path.join(house, docId!), 'utf8'));
    const text = inForce.replace(old!, fresh!);
    this.#proposed.set(docId!, [...(this.#proposed.get(docId!) ?? []), text]);
    if (contender === 'without review' || contender === 'plain retrieval') {
      await this.#put(docId!, text);
      this.#inForce.set(docId!, text);
      return 'ok';
    }
    const ticket = await knowledge.propose(person, {
      claim: claim!,
      put: [{ id: docId!, bytes: Buffer.from(text) }],
      ...(proof !== undefined && { proof: [{ name: 'proof.txt', bytes: Buffer.from(proof) }] }),
    });
    this.#tickets.set(name, ticket.id);
    this.#texts.set(ticket.id, { docId: docId!, text, before: inForce });
    await knowledge.submit(person, ticket.id);
    return 'ok';
  }

  /** What happens to a text that nobody reviews: it is in the index. */
  async #put(docId: string, text: string): Promise<void> {
    const { folder, index, scorers } = this.#parts;
    const file = path.join(folder, 'put', docId);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    await indexDocuments([path.dirname(file)], { out: index, scorers, keepMissing: true });
  }

  /** Over what somebody may read of the index as it is now. */
  async #routerFor(who: string): Promise<Router> {
    const { contender, access } = this.#parts;
    const all = contender === 'without access' || contender === 'plain retrieval';
    if (all) return this.#opened('', undefined);
    return this.#opened(String(personOf(who).roles), readableBy(access, personOf(who)));
  }

  async #opened(name: string, readable: RouterOptions['readable']): Promise<Router> {
    const { index, scorers } = this.#parts;
    const key = `${generationsOf(index)[0]!.hash} ${name}`;
    const known = this.#routers.get(key);
    if (known !== undefined) return known;
    const router = await openRouter({ index, scorers, ...(readable !== undefined && { readable }) });
    this.#routers.set(key, router);
    return router;
  }

  /** Without isolation all are one person. */
  #remembererOf(person: Principal): Principal {
    return this.#parts.contender === 'without isolation' ? { ...person, id: 'anybody' } : person;
  }

  async #best(router: Router, text: string): Promise<Reply> {
    const best = await router.rank('reranked', { query: text }, 1);
    const quotes = best.map((passage) => ({ docId: passage.docId, text: passage.text }));
    return {
      answered: quotes.length > 0,
      quotes,
      shown: quotes,
      claim: false,
      believed: false,
      remembered: [],
    };
  }

  #at(): Date {
    return new Date(this.#parts.clock.now);
  }
}

function personOf(id: string): Principal {
  const roles = ROLES[id] ?? [];
  return { id, roles: ['public', ...roles], via: roles.length === 0 ? 'none' : 'token', clearance: 0 };
}

async function stepOf(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    const codes = ['NOT_PERMITTED', 'NOT_FOUND', 'CONFLICT', 'INVALID_INPUT'];
    if (PragauraError.isInstance(error) && codes.includes(error.code)) return 'refused';
    throw error;
  }
}

function replyOf({ action, answer, parts, evidence, claim, remembered = [] }: Decision): Reply {
  const quotes = answer?.quotes ?? parts.flatMap((part) => part.answer?.quotes ?? []);
  return {
    answered: action === 'ANSWER',
    quotes: quotes.map(({ docId, text }) => ({ docId, text })),
    shown: evidence.map(({ docId, text }) => ({ docId, text })),
    claim: claim !== undefined,
    believed: claim !== undefined && answer?.verdict === 'yes',
    remembered: remembered.map(({ value }) => value),
  };
}

/** What the next question may refer to. */
function spokenOf({ answer, clarification, abstention }: Decision): string {
  return answer?.text ?? (clarification ?? abstention)?.message ?? '';
}
