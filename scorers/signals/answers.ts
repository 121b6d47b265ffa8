import { sigmoid } from '../../common/index.ts';
import { independentSources } from './sources.ts';
import { toStatement } from './statement.ts';
import { answerWords, sameAnswer } from './text.ts';
import { TUNING } from './tuning.ts';
import type { AnswerCluster, Answers, PassageAnswer, ScoredPassage, Voice } from './types.ts';

interface Draft {
  words: readonly string[];
  voices: Voice[];
  branches: Set<string>;
}

/**
 * The readings' answers to `question`, clustered and scored. Every passage speaks with its best span, scored by
 * `answerScore`; spans that say the same (`sameAnswer`) form a cluster, in which each independent source has one
 * voice, its best. A cluster's score is its best voice's: agreement does not raise it, so that copies gain nothing.
 * Order: score, then the passages' order. Passages without reading or span are no voice.
 */
export function chooseAnswer(question: string, passages: readonly ScoredPassage[]): Answers {
  const read = passages.filter(({ reading }) => reading?.best != null);
  const wordsOf = read.map(({ reading }) => answerWords(reading!.best!.text));
  const sourceOf = independentSources(read, wordsOf);
  const spoken = read
    .map((passage, order) => ({ passage, order, score: answerScore(passage), words: wordsOf[order]! }))
    .sort((a, b) => b.score - a.score || a.order - b.order);
  const drafts: Draft[] = [];
  const byPassage = new Map<string, PassageAnswer>();
  for (const { passage, score, words } of spoken) {
    const span = passage.reading!.best!;
    let cluster = drafts.findIndex((draft) => sameAnswer(draft.words, words));
    if (cluster < 0) cluster = drafts.push({ words, voices: [], branches: new Set() }) - 1;
    const draft = drafts[cluster]!;
    const source = sourceOf.get(passage.key)!;
    if (!draft.voices.some((voice) => voice.source === source)) {
      const spanLead = passage.reading!.lead;
      draft.voices.push({ key: passage.key, docId: passage.docId, source, span, spanLead, score });
    }
    for (const branch of passage.branches) draft.branches.add(branch);
    byPassage.set(passage.key, { cluster, score, span });
  }
  const clusters = drafts.map(({ voices, branches }): AnswerCluster => {
    const [best] = voices;
    return {
      text: best!.span.text,
      claim: toStatement(question, best!.span.text),
      score: best!.score,
      voices,
      branches: [...branches],
    };
  });
  const sources = new Set(sourceOf.values()).size;
  return { clusters, byPassage, sourceOf, sources, duplicatesRemoved: read.length - sources };
}

/** Whether a passage answers the question beyond doubt, see TUNING; one that was not judged or read does not. */
export function surelyAnswers({ relevance, reading }: ScoredPassage): boolean {
  if (relevance === null || reading?.best == null) return false;
  return relevance.score >= TUNING.sureRelevance && reading.margin >= TUNING.sureMargin;
}

/**
 * How likely a passage's best span answers, in [0, 1]: sigma(a * relevance logit + b * margin + c) with the
 * constants of TUNING. A passage whose relevance was not scored counts with logit 0; no reading is 0.
 */
export function answerScore({ relevance, reading }: ScoredPassage): number {
  if (reading?.best == null) return 0;
  const { relevanceWeight, marginWeight, offset } = TUNING;
  const z = relevanceWeight * (relevance?.logit ?? 0) + marginWeight * reading.margin + offset;
  return Number.isFinite(z) ? sigmoid(z) : 0;
}
