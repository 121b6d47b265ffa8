/**
 * Exact match and F1 of an extractive answer, by the rules of the SQuAD evaluation (Rajpurkar et al. 2016, 2018).
 */

const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** The evaluation's word boundary knows all of Unicode; JavaScript's `\b` only ASCII, so it is spelled out. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/** Lower case, ASCII punctuation deleted, English articles deleted, runs of white space made one blank. */
export function normaliseAnswer(text: string): string {
  return text
    .toLowerCase()
    .replace(PUNCTUATION, '')
    .replace(ARTICLES, ' ')
    .split(/\s+/)
    .filter(Boolean)
    .join(' ');
}

/** 1 when the answer equals one of `golds` after normalisation, else 0. Null when there is no gold answer. */
export function exactMatch(answer: string, golds: readonly string[]): number | null {
  return best(golds, (gold) => (normaliseAnswer(answer) === normaliseAnswer(gold) ? 1 : 0));
}

/**
 * Harmonic mean of precision and recall over the words that answer and gold share, as often as both hold them;
 * the best over `golds`. When one side has no words, 1 if the other has none either, else 0.
 */
export function answerF1(answer: string, golds: readonly string[]): number | null {
  return best(golds, (gold) => overlap(words(answer), words(gold)));
}

/**
 * Share of the gold's words that the answer holds, as often as both hold them; the best over `golds`. For a gold
 * without words 1. Null when there is no gold answer.
 */
export function answerRecall(answer: string, golds: readonly string[]): number | null {
  return best(golds, (gold) => {
    const wanted = words(gold);
    return wanted.length === 0 ? 1 : sharedWords(words(answer), wanted) / wanted.length;
  });
}

/** A gold that normalises to nothing counts only when there is no other, as in the evaluation of version 2. */
function best(golds: readonly string[], score: (gold: string) => number): number | null {
  if (golds.length === 0) return null;
  const spoken = golds.filter((gold) => normaliseAnswer(gold) !== '');
  return Math.max(...(spoken.length > 0 ? spoken : ['']).map(score));
}

function words(text: string): string[] {
  return normaliseAnswer(text).split(' ').filter(Boolean);
}

function overlap(answer: readonly string[], gold: readonly string[]): number {
  if (answer.length === 0 || gold.length === 0) return answer.length === gold.length ? 1 : 0;
  const shared = sharedWords(answer, gold);
  if (shared === 0) return 0;
  const precision = shared / answer.length;
  const recall = shared / gold.length;
  return (2 * precision * recall) / (precision + recall);
}

function sharedWords(answer: readonly string[], gold: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of answer) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    shared++;
  }
  return shared;
}
