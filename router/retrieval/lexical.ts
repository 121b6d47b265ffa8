import type { Documents } from './documents.ts';
import { checkSignal, handOver, wantedBy } from './hand-over.ts';
import type { Branch } from './types.ts';

/** BM25 over title and text, through Orama's search. */
export function lexicalBranch(documents: Documents): Branch {
  return {
    name: 'lexical',
    async retrieve(request) {
      checkSignal(request.signal);
      return handOver(documents.search(request.query, request.filters, wantedBy(request)), request);
    },
  };
}
