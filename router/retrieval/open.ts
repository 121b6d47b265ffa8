import { type IndexBackend, innermostHeading, type Seen } from '../../corpus/index.ts';
import { PAST, pastFor } from './changes.ts';
import { fuse, gather, order } from './fusion.ts';
import { coverageOf, readQuery } from './question.ts';
import { find, runBranches } from './run-branches.ts';
import { spellingsOf } from './spelling.ts';
import { openTitles } from './titles.ts';
import type { Candidate, Retrieval } from './types.ts';

/** Passages of a document that are compared when it is found by its name, the first ones. */
const COMPARED = 32;

/** Opens the branches over an index. */
export function openRetrieval(index: IndexBackend): Retrieval {
  const { text } = index.lexicons;
  return {
    titles: openTitles(index.documents),
    coverage: (query) => coverageOf(text, query),
    spellings: (unknown, isWord, signal) => spellingsOf(index, unknown, isWord, signal),
    async find(name, request) {
      const [hits] = await find(index.search, request, [{ ...request, name }]);
      return hits!;
    },
    async retrieve(request) {
      const byBranch = await runBranches(index.search, request);
      const gathered = gather(byBranch);
      const { query, vector, signal, allocation } = request;
      const asked = { terms: readQuery(query), vector };
      const seen = await index.look([...gathered.keys()], asked, { signal });
      const found = seen.map((one) => candidateOf(one, gathered.get(one.ordinal)!));
      const candidates = order(behindThePresent(found, query), allocation.genres);
      return { candidates: withoutCopies(candidates, query), byBranch };
    },
    async candidatesOf(named, { query, vector, filters, allocation: { genres }, signal }) {
      const compared = named.map((place) => {
        const { first, passages } = index.documents[place]!;
        return Array.from({ length: Math.min(passages, COMPARED) }, (_, i) => first + i);
      });
      const asked = { terms: readQuery(query), vector, filters };
      const seen = await index.look(compared.flat(), asked, { signal });
      const byOrdinal = new Map(seen.map((one) => [one.ordinal, candidateOf(one, {})]));
      return compared.flatMap((ordinals) => {
        const candidates = ordinals.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []);
        return order(candidates, genres).slice(0, 1);
      });
    },
  };
}

/**
 * Each text below a heading once: pages share sections, and a copy would take the place of another passage. Of several the one
 * whose title has most words of the query, else the best.
 */
function withoutCopies(candidates: readonly Candidate[], query: string): Candidate[] {
  const asked = new Set(wordsOf(query));
  const named = ({ indexed: { passage } }: Candidate) =>
    new Set(wordsOf(passage.title).filter((word) => asked.has(word))).size;
  const copies = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const { title, text } = candidate.indexed.passage;
    const key = `${innermostHeading(title)}\n${text.replace(/\s+/g, ' ').trim()}`;
    const before = copies.get(key);
    if (before === undefined) copies.set(key, [candidate]);
    else before.push(candidate);
  }
  const kept = new Set(
    [...copies.values()].map((same) => same.reduce((a, b) => (named(b) > named(a) ? b : a))),
  );
  return kept.size === candidates.length ? [...candidates] : candidates.filter((one) => kept.has(one));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Passages of change logs with less, where there are others. */
function behindThePresent(candidates: readonly Candidate[], query: string): readonly Candidate[] {
  const isPast = pastFor(query);
  const past = new Set(candidates.filter(({ indexed }) => isPast(indexed.passage)));
  if (past.size === candidates.length) return candidates;
  return candidates.map((one) => (past.has(one) ? { ...one, fused: Math.max(0, one.fused - PAST) } : one));
}

function candidateOf(indexed: Seen, branchScores: Candidate['branchScores']): Candidate {
  const { ordinal, lexical, dense, passage } = indexed;
  const fused = fuse(lexical, dense, branchScores);
  return { ordinal, fused, lexical, dense, branchScores, genre: passage.genre, indexed };
}
