import { loadHotpot } from '../../datasets/hotpot.ts';
import type { DecisionSet } from '../types.ts';

/** HotpotQA, everything to be answered. */
export async function loadHotpotDecisions(dir: string): Promise<DecisionSet> {
  const { documents, queries } = await loadHotpot(dir);
  return {
    about: 'HotpotQA, the paragraphs of its first 500 dev questions in one pool: every question is ANSWER',
    documents,
    queries: queries.map(({ id, query, answers }) => ({
      id: `hotpot:${id}`,
      query,
      action: 'ANSWER',
      // A passage holds no yes or no.
      ...(!answers.some((answer) => /^(?:yes|no)$/i.test(answer)) && { answers }),
      group: `hotpot:${id}`,
      source: 'hotpot',
      fits: true,
    })),
  };
}
