import { PragauraError } from '../../common/index.ts';
import type { Entailment } from '../types.ts';
import { surelyAnswers } from './answers.ts';
import { branchDisagreement } from './disagreement.ts';
import { TUNING } from './tuning.ts';
import type { Answers, NliPlan, RivalAnswer, ScoredPassage, SignalReport, SourceVerdict } from './types.ts';
import { sourcesOf, stanceOf, weighed } from './weighed.ts';

/**
 * D, C and E. `scores[i]` belongs to `plan.pairs[i]`; null (or missing) where the model did not get to it.
 *
 * Contradiction is looked at first: a source contradicts the claim when contradiction >= max(entailment, .5), else it
 * supports it when entailment >= .5, else it says nothing. With q the score of the source's own reading (see
 * `answerScore`), q* that of the chosen one and w = min(1, q / q*),
 *
 *   K = min(3, sum of w * contradiction over sources that contradict and give another answer)
 *   S = min(3, sum of w * entailment    over sources that support)
 *   C = K / max(1, K + S)
 *
 * Sources are independent (copies are one), and no side has more than three sources' worth: one full contradictor
 * keeps C at 1/4 against any number of supporters, and stays at 1/3 against two.
 *
 *   E = max of q * entailment over sources
 *
 * so that a passage which does not answer the question supports nothing, however much it entails.
 * C and E are null when no pair was scored. See `branchDisagreement` for D.
 * Throws SCORING_FAILED when a score is no probability.
 */
export function signalsFrom(
  passages: readonly ScoredPassage[],
  answers: Answers,
  plan: NliPlan,
  scores: readonly (Entailment | null)[],
): SignalReport {
  const verdicts: SourceVerdict[] = [];
  const rivals: RivalAnswer[] = [];
  const sure = new Set(passages.filter(surelyAnswers).map(({ key }) => key));
  let pairsScored = 0;
  plan.pairs.forEach((pair, i) => {
    const score = scores[i] ?? null;
    if (score === null) return;
    const { entailment, contradiction } = checked(score);
    pairsScored += 1;
    if (pair.cluster > 0) {
      const { text, claim, score: strength } = answers.clusters[pair.cluster]!;
      if (entailment >= TUNING.stance && entailment > contradiction) {
        const { key, cluster } = pair;
        rivals.push({ cluster, text, claim, key, score: strength, entailment, sure: sure.has(key) });
      }
      return;
    }
    const stance = stanceOf(entailment, contradiction);
    verdicts.push({ key: pair.key, source: pair.source, entailment, contradiction, stance });
  });
  const { C, E } = weighed(sourcesOf(answers, verdicts), answers.clusters[0]?.score ?? 0);
  const { D, branches } = branchDisagreement(passages, answers);
  return {
    D,
    C,
    E,
    counts: {
      branchAnswers: branches,
      distinctAnswers: answers.clusters.length,
      duplicatesRemoved: answers.duplicatesRemoved,
      independentSources: answers.sources,
      offTopicPairs: plan.offTopic,
      pairsScored,
      pairsDenied: plan.denied,
      truncatedTokens: truncated(passages, scores),
    },
    verdicts,
    rivals: rivals.sort((a, b) => b.score - a.score),
  };
}

function checked(score: Entailment): Entailment {
  for (const value of [score.entailment, score.neutral, score.contradiction]) {
    if (!(value >= 0 && value <= 1)) {
      throw new PragauraError(
        'SCORING_FAILED',
        `The entailment model gave ${value}, which is no probability.`,
        {
          hint: 'Check the models with: pragaura doctor',
        },
      );
    }
  }
  return score;
}

/** Reranker and reader see the same pair through the same windows: what both cut off is counted once. */
function truncated(passages: readonly ScoredPassage[], scores: readonly (Entailment | null)[]): number {
  let tokens = 0;
  for (const { relevance, reading } of passages) {
    tokens += Math.max(relevance?.truncatedTokens ?? 0, reading?.truncatedTokens ?? 0);
  }
  for (const score of scores) tokens += score?.truncatedTokens ?? 0;
  return tokens;
}
