import type { ActDistribution } from '../../profiles/index.ts';
import { isStatement } from '../../scorers/index.ts';

/** Least share of a statement's content words, by weight, that the corpus knows, and how many there must be. */
const KNOWN = 0.6;
const LEAST_TERMS = 2;

/** What only claims are written like: a sentence with a capital and a full stop, and without a question word. */
const WRITTEN = /^\s*["“']?\p{Lu}[^?]*\.["”’')]*\s*$/u;
const ASKING = /\b(?:who|whom|whose|what|which|when|where|why|how)\b/iu;
const MOST_CHARS = 4_000;

/**
 * A statement that the corpus can speak to is a claim to be verified, whatever the classifier makes of a text that asks
 * nothing: its content words stand in the documents. `coverage`: those words, folded, and the share of them that the
 * corpus knows. Greetings, thanks, orders and what users tell of themselves stay as they are, and so does what the
 * classifier takes for a question unless it is written as only claims are.
 */
export function asClaim(
  act: ActDistribution,
  query: string,
  coverage: () => { readonly terms: readonly string[]; readonly known: number },
): ActDistribution {
  const { label } = act;
  if (label === 'VERIFICATION' || query.length > MOST_CHARS || !isStatement(query)) return act;
  if (label !== 'NOT_A_QUESTION' && (!WRITTEN.test(query) || ASKING.test(query))) return act;
  const { terms, known } = coverage();
  if (terms.length < LEAST_TERMS || !(known >= KNOWN)) return act;
  const { [label]: read, VERIFICATION, ...others } = act.probabilities;
  const probabilities = { ...others, [label]: 0, VERIFICATION: VERIFICATION + read };
  return {
    label: 'VERIFICATION',
    probabilities: probabilities as typeof act.probabilities,
    confident: false,
  };
}
