import type { BootstrapOptions } from '../metrics/intervals.ts';
import { anyAt, ndcgAt, reciprocalRankAt } from '../metrics/retrieval.ts';
import type { Observation } from '../types.ts';
import { meanOf } from './estimates.ts';
import type { Graded } from './graded.ts';
import type { Evaluation } from './types.ts';

/**
 * R@k, MRR@10 and nDCG@10 of the passages that the reader saw, over examples whose passages are labelled. R@k is whether
 * one of them is among the first k: success@k where there are several.
 */
export function retrievalOf(items: readonly Graded[], options: BootstrapOptions): Evaluation['retrieval'] {
  const labelled = items.filter(({ observation }) => (observation.example.passages?.length ?? 0) > 0);
  if (labelled.length === 0) return null;
  const figure = (metric: typeof ndcgAt, k: number) =>
    meanOf(
      labelled,
      ({ failed, observation }) => (failed ? null : metric(rankingOf(observation), gainsOf(observation), k)),
      options,
    );
  return {
    figures: {
      'R@1': figure(anyAt, 1),
      'R@5': figure(anyAt, 5),
      'R@10': figure(anyAt, 10),
      'R@20': figure(anyAt, 20),
      'MRR@10': figure(reciprocalRankAt, 10),
      'nDCG@10': figure(ndcgAt, 10),
    },
  };
}

function gainsOf({ example }: Observation): Map<string, number> {
  return new Map(example.passages?.map((id, place) => [id, example.grades?.[place] ?? 1]));
}

/**
 * Ids to hold against the labels, which may name documents or passages. Where a label names a document, passages of
 * one document count as one, at the first; else each passage has a rank of its own.
 */
function rankingOf({ example, ranking }: Observation): string[] {
  const gold = new Set(example.passages);
  const byDocument = ranking.some(({ docId, passageId }) => gold.has(docId) && !gold.has(passageId));
  return [...new Set(ranking.map(({ docId, passageId }) => (byDocument ? docId : passageId)))];
}
