/** Self-reflection without a generator: the answer is read once more, from nothing but what stands around it. */
import { answerF1, supportOf } from '../../../calibration/index.ts';
import { sentences } from '../../../corpus/index.ts';
import { spentOf } from '../../parity/certificate.ts';
import { added, answerIn, spending, tokensOf } from './reading.ts';
import type { Asked, Attempt, Tools } from './types.ts';

/** An F1 below this is another answer. */
const SAME = 0.5;

/**
 * The uniform policy's answer; its passage is cut down to the sentence that holds it and those beside, and read again. The
 * less sure of both readings counts, and where the second comes to another answer every first answer that stands goes before.
 */
export async function secondReading({ id, query }: Asked, { whole, scorers }: Tools): Promise<Attempt> {
  const { candidate, features, ranking, decision } = await whole.explain({ id, query });
  const docs = [...new Set(ranking.map(({ docId }) => docId))];
  const spent = spentOf(decision.receipt, undefined);
  if (candidate === null || features.answerScore === null) {
    return { text: null, uncertainty: { reflected: null }, support: null, docs, spent };
  }
  const title = decision.evidence.find(({ passageId }) => passageId === candidate.passageId)?.title ?? '';
  const source = { ...candidate, title, text: around(candidate.passage, candidate.text) };
  const again = await answerIn(query, [source], scorers);
  const changed = again === null || answerF1(again.text, [candidate.text])! < SAME;
  const sure = Math.min(features.answerScore, again?.score ?? 0);
  return {
    text: candidate.text,
    uncertainty: { reflected: ((changed ? 1 : 0) + 1 - sure) / 2 },
    support: supportOf(candidate.claim, candidate.passage),
    docs,
    spent: added(spent, spending({ rerankPairs: 1, contextTokens: tokensOf(source, scorers) })),
    changed,
  };
}

/** The sentence in which the answer first stands, with one before and one behind it. */
export function around(passage: string, answer: string): string {
  const place = passage.indexOf(answer);
  const ranges = sentences(passage, 0, passage.length);
  const at = ranges.findIndex(({ end }) => end > place);
  if (place < 0 || at < 0) return passage;
  const last = ranges[Math.min(ranges.length - 1, at + 1)]!;
  return passage.slice(ranges[Math.max(0, at - 1)]!.start, last.end);
}
