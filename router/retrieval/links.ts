/**
 * The second hop of a question that needs two documents: where the question, or a passage that is likely sought, names a
 * document, a passage of that document is sought too.
 */

import { sigmoid } from '../../common/index.ts';
import type { Budget } from '../../profiles/index.ts';
import type { Relevance } from '../../scorers/index.ts';
import type { Lease } from '../budget/index.ts';
import { linkLogit, priorLogit, rankLogit } from './rank-logit.ts';
import type { Titles } from './titles.ts';
import type { Candidate, Retrieval, RetrievalRequest } from './types.ts';

/** Of the `docsScored` of a query, what is kept for documents that are found by name, where documents have names. */
const ROOM = 8;
/** And at most this share of a small budget. */
const LARGEST_SHARE = 0.25;

/** What the branches may divide: the budget without the room for documents that are found by name. */
export function besideLinks({ titles }: Pick<Retrieval, 'titles'>, budget: Budget): Budget {
  if (titles === null) return budget;
  const room = Math.min(ROOM, Math.floor(LARGEST_SHARE * budget.docsScored));
  return { ...budget, docsScored: budget.docsScored - room };
}

/** What the links of one query are made of. */
export interface Linking {
  request: RetrievalRequest;
  /** Documents that may be looked up: what `besideLinks` left of the budget. */
  room: number;
  /** Those of the candidates found that may be read; all where it is left out. */
  screen?(found: readonly Candidate[]): readonly Candidate[];
}

/** What was read of passages, by their ordinals. */
type JudgedPassages = ReadonlyMap<number, { relevance: Pick<Relevance, 'logit'> }>;

/** By whom a document is named. */
interface Naming {
  asked: boolean;
  /** How likely the likeliest passage that names it is sought, and its log odds; 0 and none where none does. */
  sought: number;
  roof: number;
}

const UNNAMED: Naming = { asked: false, sought: 0, roof: Number.POSITIVE_INFINITY };
const NAMED_BY_QUESTION: Naming = { ...UNNAMED, asked: true };
const NOTHING: JudgedPassages = new Map();
/** How far a passage that was read stays behind the one that names it, in log odds. */
const BEHIND = 0.001;

/** What names are worth to a candidate: once it is read, no more than brings it right behind the passage that names it. */
function worthOf(
  { asked, sought, roof }: Naming,
  { fused }: Pick<Candidate, 'fused'>,
  relevance: Pick<Relevance, 'logit'> | undefined,
): number {
  const least = linkLogit(asked, 0);
  const worth = linkLogit(asked, sought);
  if (relevance === undefined) return worth;
  return Math.max(least, Math.min(worth, roof - BEHIND - rankLogit(relevance, { fused })));
}

/** The links of one query, until they are closed; null where documents have no names. Pure but for the ledger. */
export function linksOf(
  retrieval: Pick<Retrieval, 'titles' | 'candidatesOf'>,
  linking: Linking,
): Links | null {
  return retrieval.titles === null ? null : new Links(retrieval.titles, retrieval.candidatesOf, linking);
}

/** A document that is looked up spends one `docsScored`. */
export class Links {
  readonly #titles: Titles;
  readonly #lease: Lease;
  readonly #candidatesOf: Retrieval['candidatesOf'];
  readonly #linking: Linking;
  /** Documents that the question names. */
  readonly #asked: readonly number[];
  /** The other documents that a passage names, of the passages looked at. */
  readonly #named = new Map<number, readonly number[]>();

  constructor(titles: Titles, candidatesOf: Retrieval['candidatesOf'], linking: Linking) {
    this.#titles = titles;
    this.#candidatesOf = candidatesOf;
    this.#linking = linking;
    this.#lease = linking.request.ledger.lease('links', { docsScored: linking.room });
    this.#asked = titles.namedIn(linking.request.query);
  }

  /** Gives back what was not spent. */
  close(): void {
    this.#lease.close();
  }

  /** The candidates, lifted and joined by what the question itself names. */
  async asked(candidates: readonly Candidate[]): Promise<readonly Candidate[]> {
    return this.#asked.length === 0 ? candidates : this.#joined(candidates, this.#naming([], NOTHING));
  }

  /** Whether passages name documents that none of them is of. */
  leadOn(read: readonly Candidate[]): boolean {
    const documents = new Set(read.map(({ ordinal }) => this.#titles.documentOf(ordinal)));
    return read.some((one) => this.#namedBy(one).some((place) => !documents.has(place)));
  }

  /** The candidates from the `read`-th on, lifted and joined by what was named in those before, likely ones first. */
  async after(
    candidates: readonly Candidate[],
    read: number,
    said: JudgedPassages,
  ): Promise<readonly Candidate[]> {
    const naming = this.#naming(candidates, said);
    for (const { ordinal } of candidates.slice(0, read)) naming.delete(this.#titles.documentOf(ordinal));
    return naming.size === 0 ? candidates.slice(read) : this.#joined(candidates.slice(read), naming);
  }

  /** The candidates with what all that was read says of their documents, in the same order. */
  lifted(candidates: readonly Candidate[], said: JudgedPassages): readonly Candidate[] {
    return this.#lifted(candidates, this.#naming(candidates, said), said);
  }

  #namedBy({ ordinal, indexed }: Candidate): readonly number[] {
    let documents = this.#named.get(ordinal);
    if (documents === undefined) {
      const own = this.#titles.documentOf(ordinal);
      documents = this.#titles.namedIn(indexed.passage.text).filter((document) => document !== own);
      this.#named.set(ordinal, documents);
    }
    return documents;
  }

  /** By whom each document is named: the question, and the passage read that is sought most likely. */
  #naming(candidates: readonly Candidate[], said: JudgedPassages): Map<number, Naming> {
    const naming = new Map(this.#asked.map((document) => [document, NAMED_BY_QUESTION]));
    const asked = (document: number) => (this.#asked.includes(document) ? linkLogit(true, 0) : 0);
    for (const candidate of candidates) {
      const { ordinal, fused } = candidate;
      const one = said.get(ordinal);
      if (one === undefined) continue;
      const logit = rankLogit(one.relevance, { fused });
      const sought = sigmoid(logit);
      const roof = logit + asked(this.#titles.documentOf(ordinal));
      for (const document of this.#namedBy(candidate)) {
        const before = naming.get(document) ?? UNNAMED;
        if (sought > before.sought) naming.set(document, { ...before, sought, roof });
      }
    }
    return naming;
  }

  /** The best candidate of each document that is named has what that is worth; a name leads to one passage. */
  #lifted(
    candidates: readonly Candidate[],
    naming: ReadonlyMap<number, Naming>,
    said: JudgedPassages,
  ): readonly Candidate[] {
    if (naming.size === 0) return candidates;
    const best = new Map<number, Candidate>();
    for (const candidate of candidates) {
      const document = this.#titles.documentOf(candidate.ordinal);
      const before = best.get(document);
      if (before === undefined || candidate.fused > before.fused) best.set(document, candidate);
    }
    return candidates.map(({ link: _, ...candidate }, i) => {
      const document = this.#titles.documentOf(candidate.ordinal);
      const named = best.get(document) === candidates[i] ? naming.get(document) : undefined;
      if (named === undefined) return candidate;
      return { ...candidate, link: worthOf(named, candidate, said.get(candidate.ordinal)?.relevance) };
    });
  }

  async #joined(
    candidates: readonly Candidate[],
    naming: ReadonlyMap<number, Naming>,
  ): Promise<readonly Candidate[]> {
    const { request, screen = (found) => found } = this.#linking;
    const there = new Set(candidates.map(({ ordinal }) => this.#titles.documentOf(ordinal)));
    const missing = [...naming]
      .filter(([document]) => !there.has(document))
      .sort(([, a], [, b]) => linkLogit(b.asked, b.sought) - linkLogit(a.asked, a.sought))
      .map(([document]) => document);
    const paid = missing.slice(0, this.#lease.take('docsScored', missing.length));
    const found = paid.length === 0 ? [] : screen(await this.#candidatesOf(paid, request));
    return placed(this.#lifted([...candidates, ...found], naming, NOTHING));
  }
}

/** What nothing names stays as fusion has it; what is named comes before the first that is less likely. */
function placed(candidates: readonly Candidate[]): readonly Candidate[] {
  const order = candidates.filter(({ link }) => link === undefined);
  const named = candidates.filter(({ link }) => link !== undefined);
  for (const one of named.sort((a, b) => priorLogit(b) - priorLogit(a))) {
    const at = order.findIndex((other) => priorLogit(other) < priorLogit(one));
    order.splice(at < 0 ? order.length : at, 0, one);
  }
  return order;
}
