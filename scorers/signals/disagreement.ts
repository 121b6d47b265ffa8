import { answerWords, wordF1 } from './text.ts';
import { TUNING } from './tuning.ts';
import type { Answers, ScoredPassage } from './types.ts';

interface BranchVoice {
  cluster: number;
  words: readonly string[];
  weight: number;
  /** Relevance of the best passage of each source that the branch found. */
  evidence: Map<number, number>;
}

/**
 * D. Each branch answers alone, with the best-scored reading among the passages that it found itself. Draw two
 * branches independently with probability p_i proportional to the score of their answers; D is the expected distance,
 * divided by its largest value with n branches:
 *
 *   D = sum_ij p_i p_j d_ij / (1 - 1/n),   d_ij = (1 - s) a_ij + s (1 - o_ij),   d_ii = 0
 *
 * a_ij = 0 for answers of one cluster, else 1 - word F1; o_ij = sum min / sum max of the relevance that the two
 * branches found in each independent source (copies of a passage are one source); s = TUNING.evidenceShare.
 * A branch with a poor answer therefore hardly disagrees with anybody. D in [0, 1]; null with fewer than two branches
 * that have an answer, or when no answer has any weight.
 */
export function branchDisagreement(
  passages: readonly ScoredPassage[],
  answers: Answers,
): { D: number | null; branches: number } {
  const voices = [...branchVoices(passages, answers).values()];
  const total = voices.reduce((sum, { weight }) => sum + weight, 0);
  if (voices.length < 2 || !(total > 0)) return { D: null, branches: voices.length };
  let expected = 0;
  for (let i = 0; i < voices.length; i += 1) {
    for (let j = 0; j < i; j += 1) {
      const [a, b] = [voices[i]!, voices[j]!];
      expected += (2 * a.weight * b.weight * distance(a, b)) / (total * total);
    }
  }
  return { D: Math.min(1, Math.max(0, expected / (1 - 1 / voices.length))), branches: voices.length };
}

function branchVoices(passages: readonly ScoredPassage[], answers: Answers): Map<string, BranchVoice> {
  const voices = new Map<string, BranchVoice>();
  for (const passage of passages) {
    const answer = answers.byPassage.get(passage.key);
    if (answer === undefined) continue;
    const source = answers.sourceOf.get(passage.key)!;
    const relevance = passage.relevance?.score ?? 0;
    for (const branch of passage.branches) {
      let voice = voices.get(branch);
      if (voice === undefined) {
        voice = { cluster: -1, words: [], weight: -1, evidence: new Map() };
        voices.set(branch, voice);
      }
      voice.evidence.set(source, Math.max(voice.evidence.get(source) ?? 0, relevance));
      if (answer.score > voice.weight) {
        voice.weight = answer.score;
        voice.cluster = answer.cluster;
        voice.words = answerWords(answer.span.text);
      }
    }
  }
  return voices;
}

function distance(a: BranchVoice, b: BranchVoice): number {
  const answer = a.cluster === b.cluster ? 0 : 1 - wordF1(a.words, b.words);
  let least = 0;
  let most = 0;
  for (const source of new Set([...a.evidence.keys(), ...b.evidence.keys()])) {
    const [x, y] = [a.evidence.get(source) ?? 0, b.evidence.get(source) ?? 0];
    least += Math.min(x, y);
    most += Math.max(x, y);
  }
  const overlap = most > 0 ? least / most : 0;
  return (1 - TUNING.evidenceShare) * answer + TUNING.evidenceShare * (1 - overlap);
}
