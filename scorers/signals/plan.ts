import { surelyAnswers } from './answers.ts';
import { contentWords, sentencesAround } from './text.ts';
import { TUNING } from './tuning.ts';
import type { Answers, NliPlan, PlannedPair, ScoredPassage } from './types.ts';

/**
 * Which pairs to put to the entailment model: at most `limit`, best first, each text pair once.
 * Hypothesis is the chosen claim; premises are title and sentences around each independent source's own reading
 * (its best-scored passage), the chosen span's own source first, the others by score. Between them come the best
 * rival answers, each with its own claim against its own source: those that are likely enough beside the chosen one, and
 * those of passages that surely answer, because what repeats the question is read with far more confidence than what is
 * merely true. A source outside the topical gate (relevance and shared content words, see TUNING) is not asked and
 * counted in `offTopic`: unrelated sentences "contradict".
 */
export function planNli(
  question: string,
  passages: readonly ScoredPassage[],
  answers: Answers,
  limit: number,
): NliPlan {
  const [chosen] = answers.clusters;
  if (chosen === undefined) return { pairs: [], denied: 0, offTopic: 0 };
  const terms = contentWords(question);
  const byKey = new Map(passages.map((passage) => [passage.key, passage]));
  const wanted: { pair: PlannedPair; value: number }[] = [];
  let offTopic = 0;
  const home = chosen.voices[0]!;
  for (const [source, key] of speakers(answers)) {
    const own = source === home.source;
    const passage = byKey.get(own ? home.key : key)!;
    const { span, score } = answers.byPassage.get(passage.key)!;
    const premise = premiseOf(passage, span.start, span.end);
    if (!own && !onTopic(passage, premise, terms)) {
      offTopic += 1;
      continue;
    }
    wanted.push({
      pair: { premise, hypothesis: chosen.claim, key: passage.key, source, cluster: 0 },
      value: own ? 2 : score,
    });
  }
  answers.clusters.slice(1, 1 + TUNING.rivals).forEach((rival, i) => {
    const { key, source, span } = rival.voices[0]!;
    const passage = byKey.get(key)!;
    if (rival.score < TUNING.rivalShare * chosen.score && !surelyAnswers(passage)) return;
    const premise = premiseOf(passage, span.start, span.end);
    wanted.push({
      pair: { premise, hypothesis: rival.claim, key, source, cluster: i + 1 },
      value: rival.score / 2,
    });
  });
  const seen = new Set<string>();
  const distinct = wanted
    .sort((a, b) => b.value - a.value)
    .map(({ pair }) => pair)
    .filter(({ premise, hypothesis }) => {
      const text = JSON.stringify([premise, hypothesis]);
      return !seen.has(text) && seen.add(text);
    });
  const pairs = distinct.slice(0, Math.max(0, limit));
  return { pairs, denied: distinct.length - pairs.length, offTopic };
}

/** The best-scored passage of each source. */
function speakers(answers: Answers): Map<number, string> {
  const best = new Map<number, string>();
  for (const [key, { score }] of answers.byPassage) {
    const source = answers.sourceOf.get(key)!;
    const before = best.get(source);
    if (before === undefined || score > answers.byPassage.get(before)!.score) best.set(source, key);
  }
  return best;
}

function premiseOf(passage: ScoredPassage, start: number, end: number): string {
  const window = sentencesAround(passage.text, start, end);
  const title = passage.title.slice(0, 200).trim();
  return title === '' ? window : `${title}. ${window}`;
}

function onTopic(passage: ScoredPassage, premise: string, terms: ReadonlySet<string>): boolean {
  if (passage.relevance === null || !(passage.relevance.score >= TUNING.topicRelevance)) return false;
  if (terms.size === 0 || surelyAnswers(passage)) return true;
  const words = contentWords(premise);
  let shared = 0;
  for (const term of terms) if (words.has(term)) shared += 1;
  return shared / terms.size >= TUNING.topicTerms;
}
