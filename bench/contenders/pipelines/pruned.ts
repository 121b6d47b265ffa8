/** Context pruning: of twice as many passages the sentences that speak of the question, for as many word pieces. */
import { contentStems } from '../../../conversation/index.ts';
import { sentences } from '../../../corpus/index.ts';
import { answerIn, type Source, spending, tokensOf } from './reading.ts';
import type { Asked, Attempt, Tools } from './types.ts';

/** Share of a passage's words that is kept at most; one sentence always is. */
const KEPT = 0.5;

/**
 * Passages in the order of retrieval, each cut down, until as many word pieces are read as the uniform policy read of this
 * question. Twice as many pairs go through the reader: the comparison is at equal tokens and not at equal pairs. What prunes
 * is the share of the question's words and no trained model (Chirkova et al. 2025), which costs nothing.
 */
export async function pruned(
  { query, tokens: most }: Asked,
  { whole, budget, scorers }: Tools,
): Promise<Attempt> {
  const found = await whole.rank('fused', { query }, budget.docsScored);
  const wanted = contentStems(query);
  const sources: Source[] = [];
  let tokens = 0;
  for (const passage of found) {
    const source = { ...passage, text: prunedText(passage.text, wanted) };
    const own = tokensOf(source, scorers);
    if (tokens + own > most) break;
    tokens += own;
    sources.push(source);
  }
  const read = await answerIn(query, sources, scorers);
  return {
    text: read?.text ?? null,
    uncertainty: { reader: read === null ? null : 1 - read.score },
    support: read?.support ?? null,
    docs: [...new Set(found.map(({ docId }) => docId))],
    spent: spending({ docsScored: budget.docsScored, rerankPairs: sources.length, contextTokens: tokens }),
  };
}

/** The sentences that hold most of the wanted words, in their order, up to the share of the passage that is kept. */
export function prunedText(text: string, wanted: ReadonlySet<string>): string {
  const parts = sentences(text, 0, text.length).map(({ start, end }) => {
    const own = text.slice(start, end);
    const held = contentStems(own);
    return {
      text: own,
      start,
      words: own.split(/\s+/u).length,
      shared: [...wanted].filter((stem) => held.has(stem)).length,
    };
  });
  const room = KEPT * parts.reduce((sum, { words }) => sum + words, 0);
  const kept: typeof parts = [];
  let words = 0;
  for (const part of [...parts].sort((a, b) => b.shared - a.shared || a.start - b.start)) {
    if (kept.length > 0 && words + part.words > room) continue;
    kept.push(part);
    words += part.words;
  }
  return kept
    .sort((a, b) => a.start - b.start)
    .map((part) => part.text)
    .join(' ');
}
