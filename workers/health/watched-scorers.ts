/** Scorers that tell how much work the micro-batcher has to choose from. */
import type { Scorers } from '../../scorers/index.ts';
import type { ScoringJob } from './metrics.ts';

type Told = (job: ScoringJob, items: number, pending: number) => void;

/**
 * The same scorers; `told` hears of every call that has items: how many, and how many of all calls for this job are
 * under way with it: batches can be full only when there are more items pending than one query brings.
 */
export function watchedScorers(scorers: Scorers, told: Told): Scorers {
  const pending: Record<ScoringJob, number> = { embed: 0, rerank: 0, read: 0, nli: 0 };
  const watched =
    <I, O>(
      job: ScoringJob,
      call: (items: readonly I[], options?: Parameters<Scorers['embed']>[1]) => Promise<O>,
    ) =>
    async (items: readonly I[], options?: Parameters<Scorers['embed']>[1]): Promise<O> => {
      pending[job] += items.length;
      try {
        if (items.length > 0) told(job, items.length, pending[job]);
        return await call(items, options);
      } finally {
        pending[job] -= items.length;
      }
    };
  return {
    info: scorers.info,
    embed: watched('embed', (texts: readonly string[], options) => scorers.embed(texts, options)),
    early: (pairs, options) => scorers.early(pairs, options),
    rerank: watched('rerank', (pairs: Parameters<Scorers['rerank']>[0], o) => scorers.rerank(pairs, o)),
    read: watched('read', (pairs: Parameters<Scorers['read']>[0], o) => scorers.read(pairs, o)),
    nli: watched('nli', (pairs: Parameters<Scorers['nli']>[0], o) => scorers.nli(pairs, o)),
    countTokens: (text) => scorers.countTokens(text),
    close: () => scorers.close(),
  };
}
