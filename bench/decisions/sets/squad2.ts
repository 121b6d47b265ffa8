import { grouped } from '../../../calibration/index.ts';
import { loadSquad2 } from '../../datasets/squad2.ts';
import type { DecisionSet } from '../types.ts';

/** SQuAD 2.0 dev: with `given`, the article is given, else it has to be found. */
export async function loadSquad2Decisions(dir: string, given: boolean): Promise<DecisionSet> {
  const { documents, queries } = await loadSquad2(dir, { titles: true });
  const articleOf = ({ docId }: { docId: string }) => docId.slice(0, docId.lastIndexOf('#'));
  const inArticle = new Map(grouped(documents, articleOf).map((own) => [articleOf(own[0]!), own]));
  return {
    about:
      `SQuAD 2.0 dev, 13 articles, ${given ? 'the article given' : 'over the whole index'}: a question without an ` +
      'answer in its paragraph is ABSTAIN (another paragraph may answer it all the same); groups are articles',
    documents,
    queries: queries.map(({ id, query, answers, answerable, group }) => ({
      id: `squad2:${id}`,
      query,
      ...(given && { filters: { docId: inArticle.get(group)!.map(({ docId }) => docId) } }),
      action: answerable === false ? 'ABSTAIN' : 'ANSWER',
      ...(answers.length > 0 && { answers }),
      group,
      source: 'squad2',
      fits: true,
    })),
  };
}
