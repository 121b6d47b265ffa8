/** What a change says against what the documents say. */
import { type CorpusIndex, type Passage, similarity } from '../../corpus/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { Assessment } from '../tickets/ticket.ts';

/** Cosine from which on a sentence and a passage are about the same thing, as far as a pair is worth a look. */
const BOUND = 0.5;
/** Sentences that are looked at, and pairs that are scored, the nearest. */
const MOST = { sentences: 32, pairs: 256 };
/** Probability from which on one speaks against the other. */
const AGAINST = 0.5;

/**
 * Holds sentences against all passages of an index but those of `except`, which are about to go. Every pair whose cosine
 * reaches the bound is counted; of these the nearest 256 are judged by NLI, passage before sentence.
 */
export async function contradictionsOf(
  claims: readonly string[],
  index: Pick<CorpusIndex, 'passages' | 'vectors' | 'dimension'>,
  except: ReadonlySet<string>,
  scorers: Pick<Scorers, 'embed' | 'nli'>,
): Promise<Assessment['contradictions']> {
  const looked = claims.slice(0, MOST.sentences);
  const pairs: { sentence: string; passage: Passage; cosine: number }[] = [];
  const embedded = looked.length === 0 ? [] : await scorers.embed(looked);
  embedded.forEach((vector, at) => {
    for (const [row, passage] of index.passages.entries()) {
      if (except.has(passage.docId)) continue;
      const cosine = similarity(index.vectors, vector, row * index.dimension);
      if (cosine < BOUND) continue;
      pairs.push({ sentence: looked[at]!, passage, cosine });
    }
  });
  pairs.sort((a, b) => b.cosine - a.cosine);
  const nearest = pairs.slice(0, MOST.pairs);
  const judged = await scorers.nli(
    nearest.map(({ sentence, passage }) => ({ premise: passage.text, hypothesis: sentence })),
  );
  const found = nearest.flatMap(({ sentence, passage: { docId, passageId, text } }, i) => {
    const { contradiction } = judged[i]!;
    return contradiction < AGAINST ? [] : [{ sentence, docId, passageId, text, contradiction }];
  });
  return {
    bound: BOUND,
    compared: comparedIn(pairs, nearest.length),
    sentencesLeftOut: claims.length - looked.length,
    found: found.sort((a, b) => b.contradiction - a.contradiction),
  };
}

/** How many pairs there are of each document, and how many of them are among the first `scored`. */
function comparedIn(
  pairs: readonly { passage: Passage }[],
  scored: number,
): Assessment['contradictions']['compared'] {
  const byDocument = new Map<string, { docId: string; pairs: number; scored: number }>();
  for (const [at, { passage }] of pairs.entries()) {
    const { docId } = passage;
    const counted = byDocument.get(docId) ?? { docId, pairs: 0, scored: 0 };
    counted.pairs += 1;
    if (at < scored) counted.scored += 1;
    byDocument.set(docId, counted);
  }
  return [...byDocument.values()];
}
