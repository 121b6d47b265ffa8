import type { ActDistribution } from '../../profiles/index.ts';
import { type Stated, statedIn } from './stated.ts';

/** Least share of a statement's content words, by weight, that the corpus knows, and how many there must be. */
const KNOWN = 0.6;
const LEAST_TERMS = { statement: 2, changed: 1 };

/** What only claims are written like: a sentence with a capital and a full stop, and without a question word. */
const WRITTEN = /^\s*["“']?\p{Lu}[^?]*\.["”’')]*\s*$/u;
const ASKING = /\b(?:who|whom|whose|what|which|when|where|why|how)\b/iu;

/**
 * A statement that the corpus can speak to is a claim to be verified, whatever the classifier makes of a text that asks
 * nothing: its content words stand in the documents, or those of what is said to have changed, for what it is now they may
 * not know yet. `coverage`: the content words of a text, folded, and the share of them that the corpus knows. Greetings,
 * thanks, orders and what users tell of themselves stay as they are, and so does what the classifier takes for a question
 * unless it is written as only claims are, or says that something changed. `claim`: what is claimed; null where nothing is.
 */
export function asClaim(
  act: ActDistribution,
  query: string,
  coverage: (text: string) => { readonly terms: readonly string[]; readonly known: number },
): { act: ActDistribution; claim: Stated | null } {
  const { label } = act;
  const stated = statedIn(query);
  if (stated === null) return { act, claim: null };
  const written = (stated.changed || WRITTEN.test(query)) && !ASKING.test(query);
  const open = label === 'VERIFICATION' || label === 'NOT_A_QUESTION' || written;
  if (!open || !isKnown(stated, coverage)) return { act, claim: null };
  if (label === 'VERIFICATION') return { act, claim: stated };
  const { [label]: read, VERIFICATION, ...others } = act.probabilities;
  const probabilities = { ...others, [label]: 0, VERIFICATION: VERIFICATION + read };
  const verified = {
    label: 'VERIFICATION' as const,
    probabilities: probabilities as typeof act.probabilities,
    confident: false,
  };
  return { act: verified, claim: stated };
}

function isKnown({ about, changed }: Stated, coverage: Parameters<typeof asClaim>[2]): boolean {
  const { terms, known } = coverage(about);
  return terms.length >= (changed ? LEAST_TERMS.changed : LEAST_TERMS.statement) && known >= KNOWN;
}
