/** Layers over what retrieval found, without any model but the embedder. */
import { analyse } from '../corpus/postings/index.ts';
import { quoted, similarWords, topics } from '../decision/suggestions.ts';
import { limitsFor } from './collections.ts';
import { abstains, asks } from './found.ts';
import type { Layer, LayerInput } from './types.ts';

/** Passages in which the words of the query are looked for. */
const LOOKED_AT = 5;
const LONGEST = 8_000;

export const noResults: Layer = ({ evidence }) =>
  evidence.length > 0
    ? null
    : abstains('noResults', 'NO_RESULTS', 'No passage of the documents was found for this query.');

/**
 * Distance 1 - cosine of the query and the nearest passage of each collection, held against that collection's own
 * limit; open when one passage is near enough. Passages that the dense branch did not hand over have no cosine; when
 * none has, nothing is known of distance and the layers behind must decide.
 */
export const distance: Layer = ({ evidence }, settings) => {
  let nearest: { measured: number; limit: number } | null = null;
  for (const { docId, scores } of evidence) {
    if (scores.dense === null) continue;
    const [measured, limit] = [1 - scores.dense, limitsFor(settings, docId).distance];
    if (measured <= limit) return null;
    if (nearest === null || measured < nearest.measured) nearest = { measured, limit };
  }
  if (nearest === null) return null;
  const message = 'Nothing in the documents comes close to this question.';
  return abstains('distance', 'TOO_DISTANT', message, { ...nearest, suggestions: topics(evidence) });
};

/**
 * Out of scope: the nearest passage is far in meaning and the passages found do not hold the query's words either. Each
 * measure alone errs often (short queries are far from everything, common words are everywhere); both together say
 * that the documents are about something else. Looser than `distance`, which needs no second opinion.
 */
export const scope: Layer = (input, { scope: limits }) => {
  const cosines = input.evidence.flatMap(({ scores }) => scores.dense ?? []);
  if (cosines.length === 0 || input.coverage.terms.length === 0) return null;
  const measured = 1 - Math.max(...cosines);
  if (measured <= limits.distance || termsInEvidence(input) >= limits.inEvidence) return null;
  const message = 'The documents are about something else.';
  const suggestions = topics(input.evidence);
  return abstains('scope', 'OUT_OF_SCOPE', message, { measured, limit: limits.distance, suggestions });
};

/**
 * Share of the query's content terms that occur in the best passages together, stems compared, in [0, 1]; 1 for a
 * query without any. The paper's query-term coverage.
 */
export function termsInEvidence({ evidence, coverage }: Pick<LayerInput, 'evidence' | 'coverage'>): number {
  if (coverage.terms.length === 0) return 1;
  const held = new Set<string>();
  for (const { title, text } of evidence.slice(0, LOOKED_AT)) {
    for (const term of analyse(`${title} ${text.slice(0, LONGEST)}`)) held.add(term);
  }
  const found = coverage.terms.filter((term) => analyse(term).some((stem) => held.has(stem)));
  return found.length / coverage.terms.length;
}

/**
 * Term coverage in two steps: the share of the query's idf mass that the corpus knows at all, then the share of its
 * terms that the best passages hold. The first asks back when an unknown word looks like a slip of a known one.
 */
export const coverage: Layer = (input, settings) => {
  const { known } = settings.coverage;
  const { coverage: covered, evidence } = input;
  if (covered.known < known) {
    const names = covered.unknown.slice(0, 3).map(quoted).join(', ');
    const message =
      names === ''
        ? 'The documents do not know the words of this question.'
        : `The documents do not know ${names}.`;
    const similar = similarWords(covered.unknown, evidence);
    const details = { measured: covered.known, limit: known };
    if (similar.length === 0) {
      return abstains('coverage', 'TERMS_NOT_COVERED', message, {
        ...details,
        suggestions: topics(evidence),
      });
    }
    const meant = `${message} Did you mean ${similar.map(quoted).join(' or ')}?`;
    return asks('coverage', 'TERMS_NOT_COVERED', meant, { ...details, suggestions: similar });
  }
  const [best] = evidence;
  if (best === undefined) return null;
  const limit = limitsFor(settings, best.docId).inEvidence;
  const measured = termsInEvidence(input);
  if (measured >= limit) return null;
  const message = 'What was found hardly holds any word of this question.';
  return abstains('coverage', 'TERMS_NOT_COVERED', message, {
    measured,
    limit,
    suggestions: topics(evidence),
  });
};
