import type { FieldName, Postings } from '../../corpus/index.ts';
import type { BranchName } from '../../profiles/index.ts';
import type { Documents } from './documents.ts';
import { checkSignal, handOver, wantedBy } from './hand-over.ts';
import { quantityAsked, readQuery } from './question.ts';
import type { Branch } from './types.ts';

/**
 * A branch over the sentences of one kind only: those that define something, hold a quantity, give a step, or a
 * cause. Its score is the BM25 share of the query's content terms within those sentences.
 */
export function specialBranch(
  name: Exclude<BranchName, 'lexical' | 'dense'> & FieldName,
  postings: Postings,
  documents: Documents,
): Branch {
  const field = postings.fields[name];
  return {
    name,
    async retrieve(request) {
      checkSignal(request.signal);
      const terms = readQuery(request.query).filter(({ content }) => content);
      const allowed = documents.accept(request.filters);
      const asked = name === 'quantity' ? quantityAsked(request.query) : 0;
      const accept = (ordinal: number) =>
        (asked === 0 || (postings.kinds[ordinal]! & asked) !== 0) &&
        (allowed === undefined || allowed(ordinal));
      return handOver(field.search(field.weigh(terms), wantedBy(request), accept), request);
    },
  };
}
