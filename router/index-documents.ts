import { type IndexDocumentsOptions, type IndexReport, indexDocuments as index } from '../corpus/index.ts';
import { keepGraph } from './graph/index.ts';

/** `indexDocuments` of the corpus, which says more; the graph that an index has is made for the new generation too. */
export function indexDocuments(
  paths: readonly string[],
  options: IndexDocumentsOptions,
): Promise<IndexReport> {
  return index(paths, { keepGraph, ...options });
}
