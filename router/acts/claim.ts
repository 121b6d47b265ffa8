import type { ActDistribution } from '../../profiles/index.ts';
import { isStatement } from '../../scorers/index.ts';

/** Least share of a statement's content words, by weight, that the corpus knows, and how many there must be. */
const KNOWN = 0.8;
const LEAST_TERMS = 2;

/**
 * A statement that the corpus can speak to is a claim to be verified, whatever the classifier makes of a text that asks
 * nothing: its content words stand in the documents. `coverage`: those words, folded, and the share of them that the
 * corpus knows. Greetings, thanks, orders and what users tell of themselves stay as they are.
 */
export function asClaim(
  act: ActDistribution,
  query: string,
  coverage: () => { readonly terms: readonly string[]; readonly known: number },
): ActDistribution {
  if (act.label !== 'NOT_A_QUESTION' || !isStatement(query)) return act;
  const { terms, known } = coverage();
  if (terms.length < LEAST_TERMS || !(known >= KNOWN)) return act;
  const { NOT_A_QUESTION, VERIFICATION, ...others } = act.probabilities;
  const probabilities = { ...others, NOT_A_QUESTION: 0, VERIFICATION: VERIFICATION + NOT_A_QUESTION };
  return { label: 'VERIFICATION', probabilities, confident: false };
}
