import type { Action, Router } from '../../router/index.ts';

/** What one reader made of one query. */
export interface Asked {
  action: Action;
  /** The best extractive answer, whether or not the decision gives it; null when no passage held one. */
  answer: string | null;
  /** All in [0, 1]; null where it could not be measured. */
  U: number | null;
  D: number | null;
  C: number | null;
  E: number | null;
  /** Documents in the order after re-ranking, at most ten; what was not read stands behind what was. */
  ranking: string[];
  /** Passages that were read in full. */
  read: number;
  /** By the receipt. */
  spent: { rerankPairs: number; nliPairs: number; contextTokens: number };
  /** Milliseconds of the whole decision and of two of its stages; null where a gate made the stage needless. */
  ms: { total: number; judge: number | null; nli: number | null };
}

/** Documents of a ranking that are kept. */
const KEPT = 10;

/** One query through a router; throws what the router throws. */
export async function ask(
  router: Pick<Router, 'explain'>,
  { id, query }: { id: string; query: string },
): Promise<Asked> {
  const { decision, candidate, candidates, input } = await router.explain({ id, query });
  const { action, U, signals, receipt, timings } = decision;
  const { rerankPairs, nliPairs, contextTokens } = receipt.spent;
  return {
    action,
    answer: candidate?.text ?? null,
    U,
    D: signals.D,
    C: signals.C,
    E: signals.E,
    // `ranking` of the explanation ends with what was read: of halves that is less than what was ranked.
    ranking: [...new Set(input?.evidence.map(({ docId }) => docId))].slice(0, KEPT),
    read: candidates.length,
    spent: { rerankPairs, nliPairs, contextTokens },
    ms: { total: timings.total!, judge: timings.judge ?? null, nli: timings.nli ?? null },
  };
}
