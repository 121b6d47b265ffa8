/**
 * The second hop of a question that needs two documents: where the question, or a passage that is likely sought, names a
 * document, a passage of that document is sought too.
 */
import type { Budget } from '../../profiles/index.ts';
import type { Relevance } from '../../scorers/index.ts';
import type { Lease } from '../budget/index.ts';
import type { CorpusIndex } from '../corpus/types.ts';
import { linkLogit, priorLogit, rankLogit } from './rank-logit.ts';
import type { Titles } from './titles.ts';
import type { Candidate, Retrieval, RetrievalRequest } from './types.ts';

/** Of the `docsScored` of a query, what is kept for documents that are found by name, where documents have names. */
const ROOM = 8;
/** And at most this share of a small budget. */
const LARGEST_SHARE = 0.25;
/** Share of the pairs that are read before it is seen which documents the passages name. */
const FIRST = 0.6;

/** What the branches may divide: the budget without the room for documents that are found by name. */
export function besideLinks({ titles }: Pick<Retrieval, 'titles'>, budget: Budget): Budget {
  if (titles === null) return budget;
  const room = Math.min(ROOM, Math.floor(LARGEST_SHARE * budget.docsScored));
  return { ...budget, docsScored: budget.docsScored - room };
}

/** What the links of one query are made of. */
export interface Linking {
  index: Pick<CorpusIndex, 'passages'>;
  request: Omit<RetrievalRequest, 'signal'>;
  /** Documents that may be looked up: what `besideLinks` left of the budget. */
  room: number;
  /** Those of the candidates found that may be read; all where it is left out. */
  screen?(found: readonly Candidate[]): readonly Candidate[];
}

/** What was read of passages, by their ordinals. */
type Said = ReadonlyMap<number, { relevance: Pick<Relevance, 'logit'> }>;

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
  asked(candidates: readonly Candidate[]): readonly Candidate[] {
    return this.#asked.length === 0 ? candidates : this.#joined(candidates, this.#worths([], new Map()));
  }

  /** How many of the candidates are read before those that they name; all where they name nobody else. */
  before(candidates: readonly Candidate[], pairs: number): number {
    const first = candidates.slice(0, Math.ceil(FIRST * pairs));
    const documents = new Set(first.map(({ ordinal }) => this.#titles.documentOf(ordinal)));
    const leadsOn = first.some(({ ordinal }) =>
      this.#namedBy(ordinal).some((place) => !documents.has(place)),
    );
    return leadsOn ? first.length : candidates.length;
  }

  /** The candidates from the `read`-th on, lifted and joined by what was named in those before, likely ones first. */
  after(candidates: readonly Candidate[], read: number, said: Said): readonly Candidate[] {
    const worths = this.#worths(candidates, said);
    for (const { ordinal } of candidates.slice(0, read)) worths.delete(this.#titles.documentOf(ordinal));
    return worths.size === 0 ? candidates.slice(read) : this.#joined(candidates.slice(read), worths);
  }

  /** The candidates with what all that was read says of their documents, in the same order. */
  lifted(candidates: readonly Candidate[], said: Said): readonly Candidate[] {
    return this.#lifted(candidates, this.#worths(candidates, said));
  }

  #namedBy(ordinal: number): readonly number[] {
    let documents = this.#named.get(ordinal);
    if (documents === undefined) {
      const own = this.#titles.documentOf(ordinal);
      const { text } = this.#linking.index.passages[ordinal]!;
      documents = this.#titles.namedIn(text).filter((document) => document !== own);
      this.#named.set(ordinal, documents);
    }
    return documents;
  }

  /** What names are worth to each document: in the question, and in the passage read that is sought most likely. */
  #worths(candidates: readonly Candidate[], said: Said): Map<number, number> {
    const named = new Map<number, number>();
    for (const { ordinal, fused } of candidates) {
      const one = said.get(ordinal);
      if (one === undefined) continue;
      const sought = 1 / (1 + Math.exp(-rankLogit(one.relevance, { fused })));
      for (const document of this.#namedBy(ordinal)) {
        named.set(document, Math.max(sought, named.get(document) ?? 0));
      }
    }
    const asked = new Set(this.#asked);
    return new Map(
      [...asked, ...named.keys()].map((document) => [
        document,
        linkLogit(asked.has(document), named.get(document) ?? 0),
      ]),
    );
  }

  /** The best candidate of each document that is named has what that is worth; a name leads to one passage. */
  #lifted(candidates: readonly Candidate[], worths: ReadonlyMap<number, number>): readonly Candidate[] {
    if (worths.size === 0) return candidates;
    const best = new Map<number, Candidate>();
    for (const candidate of candidates) {
      const document = this.#titles.documentOf(candidate.ordinal);
      const before = best.get(document);
      if (before === undefined || candidate.fused > before.fused) best.set(document, candidate);
    }
    return candidates.map(({ link: _, ...candidate }, i) => {
      const document = this.#titles.documentOf(candidate.ordinal);
      const link = best.get(document) === candidates[i] ? worths.get(document) : undefined;
      return link === undefined ? candidate : { ...candidate, link };
    });
  }

  #joined(candidates: readonly Candidate[], worths: ReadonlyMap<number, number>): readonly Candidate[] {
    const { request, screen = (found) => found } = this.#linking;
    const there = new Set(candidates.map(({ ordinal }) => this.#titles.documentOf(ordinal)));
    const missing = [...worths]
      .filter(([document]) => !there.has(document))
      .sort(([, a], [, b]) => b - a)
      .map(([document]) => document);
    const paid = missing.slice(0, this.#lease.take('docsScored', missing.length));
    const found = screen(this.#candidatesOf(paid, request));
    return placed(this.#lifted([...candidates, ...found], worths));
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
