/** How near a rewriting comes to its reference. Words are runs of letters and digits in small letters; 's is dropped. */

const MAX_ORDER = 4;

/** Words that say nothing about what is asked; "besides" and the like are the annotators' habit, not content. */
const NO_CONTENT = new Set(
  (
    'a an the of in on at to for and or but with by from as is was are were be been being do does did has have had ' +
    'can could will would should may might what when where who whom whose why how which that this these those it its ' +
    'he she they them his her hers their theirs him i you we me us my your our any some there not no s so if than ' +
    'then also besides aside other others addition else about article'
  ).split(' '),
);

export function wordsIn(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll(/[’']s\b/g, '')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

export function contentWords(text: string): Set<string> {
  return new Set(wordsIn(text).filter((word) => !NO_CONTENT.has(word)));
}

/** Counts of one pair, from which BLEU of a whole set is taken. */
export interface BleuCounts {
  /** By n-gram order from 1: clipped matches and n-grams of the candidate. */
  matches: number[];
  totals: number[];
  length: number;
  reference: number;
}

export function bleuCounts(candidate: string, reference: string): BleuCounts {
  const [ours, theirs] = [wordsIn(candidate), wordsIn(reference)];
  const matches: number[] = [];
  const totals: number[] = [];
  for (let order = 1; order <= MAX_ORDER; order++) {
    const wanted = ngrams(theirs, order);
    let hits = 0;
    for (const [gram, count] of ngrams(ours, order)) hits += Math.min(count, wanted.get(gram) ?? 0);
    matches.push(hits);
    totals.push(Math.max(0, ours.length - order + 1));
  }
  return { matches, totals, length: ours.length, reference: theirs.length };
}

/**
 * Corpus BLEU in [0, 1]: geometric mean of the precisions of 1- to 4-grams over all pairs, unsmoothed, times the
 * brevity penalty (Papineni et al. 2002), one reference each. 0 where some order has no match; null without pairs.
 */
export function bleu(counts: readonly BleuCounts[]): number | null {
  if (counts.length === 0) return null;
  const sum = (of: (one: BleuCounts) => number) => counts.reduce((total, one) => total + of(one), 0);
  let logs = 0;
  for (let order = 0; order < MAX_ORDER; order++) {
    const matches = sum((one) => one.matches[order]!);
    if (matches === 0) return 0;
    logs += Math.log(matches / sum((one) => one.totals[order]!));
  }
  const length = sum((one) => one.length);
  const penalty = Math.min(0, 1 - sum((one) => one.reference) / length);
  return Math.exp(logs / MAX_ORDER + penalty);
}

function ngrams(words: readonly string[], order: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at + order <= words.length; at++) {
    const gram = words.slice(at, at + order).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

/** ROUGE-L F1 in [0, 1]: harmonic mean of the longest common subsequence over either length (Lin 2004, beta 1). */
export function rougeL(candidate: string, reference: string): number {
  const [ours, theirs] = [wordsIn(candidate), wordsIn(reference)];
  if (ours.length === 0 || theirs.length === 0) return ours.length === theirs.length ? 1 : 0;
  let row = new Array<number>(theirs.length + 1).fill(0);
  for (const word of ours) {
    const next = [0];
    for (const [i, other] of theirs.entries())
      next.push(word === other ? row[i]! + 1 : Math.max(row[i + 1]!, next[i]!));
    row = next;
  }
  return (2 * row[theirs.length]!) / (ours.length + theirs.length);
}

/** Share of the reference's content words that the candidate has (null where it has none), and words too many. */
export function contentRecall(
  candidate: string,
  reference: string,
): { recall: number | null; extra: number } {
  const [ours, theirs] = [contentWords(candidate), contentWords(reference)];
  let found = 0;
  for (const word of theirs) if (ours.has(word)) found += 1;
  let extra = 0;
  for (const word of ours) if (!theirs.has(word)) extra += 1;
  return { recall: theirs.size === 0 ? null : found / theirs.size, extra };
}
