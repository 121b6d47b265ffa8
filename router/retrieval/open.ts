import { type CorpusIndex, loadPostings } from '../../corpus/index.ts';
import { checkVector, cosineOf, denseBranch, lexicalBranch, specialBranch } from './branches.ts';
import { checkSignal } from './depth.ts';
import { openDocuments } from './documents.ts';
import { fuse, gather, order } from './fusion.ts';
import { coverageOf, readQuery } from './question.ts';
import { runBranches } from './run-branches.ts';
import { spellingsOf } from './spelling.ts';
import { openTitles } from './titles.ts';
import type { Candidate, Retrieval } from './types.ts';

/** Passages of a document that are compared when it is found by its name, the first ones. */
const COMPARED = 32;

/** Opens the branches over an index. Throws INDEX_UNUSABLE when its postings are missing or do not fit. */
export async function openRetrieval(index: CorpusIndex): Promise<Retrieval> {
  const postings = loadPostings(index, index.passages);
  const { text } = postings.fields;
  const documents = openDocuments(index, (query, k, accept) =>
    text.search(text.weigh(readQuery(query)), k, accept),
  );
  const branches: Retrieval['branches'] = {
    lexical: lexicalBranch(documents),
    dense: denseBranch(index, documents),
    definition: specialBranch('definition', postings, documents),
    quantity: specialBranch('quantity', postings, documents),
    procedure: specialBranch('procedure', postings, documents),
    cause: specialBranch('cause', postings, documents),
  };
  return {
    branches,
    titles: openTitles(index),
    coverage: (query) => coverageOf(postings, query),
    spellings: (unknown, isWord) => spellingsOf(text, index.passages, unknown, isWord),
    async retrieve(request) {
      checkVector(index, request.vector);
      const byBranch = await runBranches(branches, request);
      checkSignal(request.signal);
      const gathered = gather(byBranch);
      const ordinals = [...gathered.keys()];
      const lexical = text.scoresOf(text.weigh(readQuery(request.query)), ordinals);
      const candidates = ordinals.map((ordinal, i): Candidate => {
        const branchScores = gathered.get(ordinal)!;
        const scores = { lexical: lexical[i]!, dense: cosineOf(index, ordinal, request.vector) };
        const fused = fuse(scores.lexical, scores.dense, branchScores);
        return { ordinal, fused, ...scores, branchScores, genre: index.passages[ordinal]!.genre };
      });
      return { candidates: order(candidates, request.allocation.genres), byBranch };
    },
    candidatesOf(named, { query, vector, filters, allocation: { genres } }) {
      checkVector(index, vector);
      const accept = documents.accept(filters);
      const terms = text.weigh(readQuery(query));
      return named.flatMap((place) => {
        const { first, passages } = index.documents[place]!;
        const ordinals = Array.from({ length: Math.min(passages, COMPARED) }, (_, i) => first + i).filter(
          (ordinal) => accept === undefined || accept(ordinal),
        );
        const lexical = text.scoresOf(terms, ordinals);
        const candidates = ordinals.map((ordinal, i): Candidate => {
          const scores = { lexical: lexical[i]!, dense: cosineOf(index, ordinal, vector) };
          const fused = fuse(scores.lexical, scores.dense, {});
          return { ordinal, fused, ...scores, branchScores: {}, genre: index.passages[ordinal]!.genre };
        });
        return order(candidates, genres).slice(0, 1);
      });
    },
  };
}
