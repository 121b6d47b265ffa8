/** What each branch asks of an index. */
import type { IndexBackend, Search } from '../../corpus/index.ts';
import type { BranchName } from '../../profiles/index.ts';
import { quantityAsked, readQuery } from './question.ts';
import type { BranchRequest } from './types.ts';

/**
 * The search of a branch. `lexical`: BM25 over title and text. `dense`: the cosine. The others: the sentences of one kind
 * only, those that define something, hold a quantity, give a step, or a cause; their score is the BM25 share of the query's
 * content terms within these.
 */
export function searchOf(
  name: BranchName,
  { query, vector, filters }: Pick<BranchRequest, 'query' | 'vector' | 'filters'>,
  k: number,
): Search {
  if (name === 'dense') return { vector, filters, k };
  if (name === 'lexical') return { field: 'text', terms: readQuery(query), filters, k };
  const terms = readQuery(query).filter(({ content }) => content);
  const kinds = name === 'quantity' ? quantityAsked(query) : 0;
  return { field: name, terms, kinds, filters, k };
}

/** Runs searches over an index. */
export type Run = IndexBackend['search'];
