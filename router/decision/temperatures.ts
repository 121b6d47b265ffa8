import { z } from 'zod';
import { type SourceReading, weighed } from '../../scorers/index.ts';
import type { Features } from './features.ts';

/**
 * By what the log odds of an answer's score q (the reader's margin and, where it has a weight, the relevance) and the
 * logits of the entailment model are divided before C and E are made of them. 1 changes nothing; above, less is claimed.
 */
export const Temperatures = z.strictObject({
  answer: z.number().positive(),
  entailment: z.number().positive(),
});
export type Temperatures = z.infer<typeof Temperatures>;

/** D as it is, C and E from the sources' tempered readings, see `weighed`; null where they were null. Pure. */
export function tempered(
  { D, answerScore }: Pick<Features, 'D' | 'answerScore'>,
  sources: readonly SourceReading[],
  temperatures: Temperatures,
): { D: number | null; C: number | null; E: number | null } {
  const cooled = sources.map((source) => cool(source, temperatures));
  return { D, ...weighed(cooled, cooledOdds(answerScore ?? 0, temperatures.answer)) };
}

function cool(
  { q, entailment, contradiction, chosen }: SourceReading,
  { answer, entailment: T }: Temperatures,
): SourceReading {
  if (T === 1) return { q: cooledOdds(q, answer), entailment, contradiction, chosen };
  const [e, c, n] = [entailment, contradiction, Math.max(0, 1 - entailment - contradiction)].map(
    (p) => p ** (1 / T),
  ) as [number, number, number];
  const sum = e + c + n;
  return { q: cooledOdds(q, answer), entailment: e / sum, contradiction: c / sum, chosen };
}

/** sigma(logit(p) / T). */
function cooledOdds(p: number, T: number): number {
  if (T === 1 || p <= 0 || p >= 1) return p;
  return 1 / (1 + ((1 - p) / p) ** (1 / T));
}
