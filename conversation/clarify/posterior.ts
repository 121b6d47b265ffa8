import { contentStems } from '../state/index.ts';
import type { ClarifyInput, Voice } from './types.ts';

/** An answer less likely than this share of the best one is no reading of the question. */
const SHARE = 0.3;
const MOST = 12;
/** A passage must speak of the query's words, at least half as many as the passage that speaks of most. */
const TOPICAL = 0.5;
const PASSAGE_CHARS = 3_000;

/**
 * Which answer is meant, by the evidence: each independent source speaks with its best passage, weighted by the
 * calibrated score of its answer (the probability that the span answers, see `answerScore`), normalised to one.
 * Copies of a passage are one source and gain nothing; a passage that hardly speaks of the query's words is no reading
 * of it, whatever its span scores. At most 12 voices, likeliest first.
 */
export function posterior({ query, answers, evidence, report }: ClarifyInput): Voice[] {
  const passages = new Map(evidence.map((passage) => [passage.passageId, passage]));
  const onTopic = topical(query, evidence);
  const best = new Map<number, { key: string; score: number }>();
  for (const [key, { score }] of answers.byPassage) {
    const source = answers.sourceOf.get(key) ?? -1;
    if (onTopic.has(key) && score > (best.get(source)?.score ?? 0)) best.set(source, { key, score });
  }
  const spoken = [...best.values()].sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
  const floor = SHARE * (spoken[0]?.score ?? 0);
  const kept = spoken.filter(({ score }) => score >= floor).slice(0, MOST);
  // A passage that bears the best answer out says the same in other words.
  const agreeing = new Set(
    report.verdicts.filter(({ stance }) => stance === 'supports').map(({ key }) => key),
  );
  const total = kept.reduce((sum, { score }) => sum + score, 0);
  return kept.map(({ key, score }) => {
    const { cluster, span } = answers.byPassage.get(key)!;
    return {
      passage: passages.get(key)!,
      answer: agreeing.has(key) ? 0 : cluster,
      p: score / total,
      start: span.start,
      end: span.end,
    };
  });
}

/** Ids of the passages that share enough of the query's words. */
export function topical(query: string, evidence: ClarifyInput['evidence']): Set<string> {
  const terms = contentStems(query.slice(0, 2_000));
  const shared = evidence.map(({ title, text }) => {
    const words = contentStems(`${title}\n${text.slice(0, PASSAGE_CHARS)}`);
    return [...terms].filter((term) => words.has(term)).length;
  });
  const most = Math.max(0, ...shared);
  return new Set(evidence.filter((_, i) => shared[i]! >= TOPICAL * most).map(({ passageId }) => passageId));
}
