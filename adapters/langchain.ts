/** LangChain.js: the documents as a retriever, and decisions as a runnable. */
import { randomUUID } from 'node:crypto';
import { Document } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import { type Runnable, RunnableLambda } from '@langchain/core/runnables';
import type { Decision, Query, Router } from '../router/index.ts';

export interface PragauraRetrieverInput extends BaseRetrieverInput {
  router: Pick<Router, 'rank'>;
  /** Passages at most. Default 4. */
  k?: number;
  filters?: Query['filters'];
}

/** What the metadata of a document holds, its words beside. */
export interface PassageMetadata extends Record<string, unknown> {
  docId: string;
  title: string;
  source: string | null;
  /** Relevance by the cross-encoder, in [0, 1]. */
  score: number;
}

/** Passages as the router reads them, best first. Rejects as `Router.rank`. */
export class PragauraRetriever extends BaseRetriever<PassageMetadata> {
  static override lc_name(): string {
    return 'PragauraRetriever';
  }

  override lc_namespace = ['pragaura', 'langchain'];
  readonly #router: PragauraRetrieverInput['router'];
  readonly #k: number;
  readonly #filters: Query['filters'];

  constructor({ router, k = 4, filters, ...input }: PragauraRetrieverInput) {
    super(input);
    this.#router = router;
    this.#k = k;
    this.#filters = filters;
  }

  override async _getRelevantDocuments(query: string): Promise<Document<PassageMetadata>[]> {
    const filters = this.#filters;
    const ranked = await this.#router.rank('reranked', { query, ...(filters && { filters }) }, this.#k);
    return ranked.map(
      ({ passageId: id, text: pageContent, docId, title, source, score }) =>
        new Document({ id, pageContent, metadata: { docId, title, source: source ?? null, score } }),
    );
  }
}

/** A runnable that decides a question, or a query with its history and filters. Rejects as `Router.route`. */
export function decider(router: Pick<Router, 'route'>): Runnable<string | Query, Decision> {
  return RunnableLambda.from<string | Query, Decision>((input, config) =>
    router.route(
      typeof input === 'string' ? { id: randomUUID(), query: input } : input,
      config.signal === undefined ? {} : { signal: config.signal },
    ),
  );
}
