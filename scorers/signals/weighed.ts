import { TUNING } from './tuning.ts';
import type { Answers, SourceVerdict } from './types.ts';

/** What one independent source says of the chosen claim. All but `chosen` in [0, 1]. */
export interface SourceReading {
  /** Score of the source's own reading, see `answerScore`. */
  q: number;
  entailment: number;
  contradiction: number;
  /** Its own reading is the chosen answer. */
  chosen: boolean;
}

/** What the sources that were put to the entailment model say, in the order of the plan. */
export function sourcesOf(answers: Answers, verdicts: readonly SourceVerdict[]): SourceReading[] {
  return verdicts.map(({ key, entailment, contradiction }) => {
    const own = answers.byPassage.get(key)!;
    return { q: own.score, entailment, contradiction, chosen: own.cluster === 0 };
  });
}

/** Contradiction is looked at first. */
export function stanceOf(entailment: number, contradiction: number): SourceVerdict['stance'] {
  if (contradiction >= Math.max(entailment, TUNING.stance)) return 'contradicts';
  return entailment >= TUNING.stance ? 'supports' : 'neutral';
}

/** C and E over the sources, see `signalsFrom`; null without any. `best`: score of the chosen answer. */
export function weighed(
  sources: readonly SourceReading[],
  best: number,
): { C: number | null; E: number | null } {
  if (sources.length === 0) return { C: null, E: null };
  let against = 0;
  let support = 0;
  let E = 0;
  for (const { q, entailment, contradiction, chosen } of sources) {
    const stance = stanceOf(entailment, contradiction);
    const weight = best > 0 ? Math.min(1, q / best) : 0;
    if (stance === 'contradicts' && !chosen) against += weight * contradiction;
    if (stance === 'supports') support += weight * entailment;
    E = Math.max(E, q * entailment);
  }
  const K = Math.min(TUNING.sideCap, against);
  const S = Math.min(TUNING.sideCap, support);
  return { C: K / Math.max(1, K + S), E };
}
