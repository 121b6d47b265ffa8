/** Layers over what retrieval found and how relevant the cross-encoder holds it. */

import { list, quoted } from '../../common/index.ts';
import { contentStems } from '../../conversation/index.ts';
import { limitsFor } from './collections.ts';
import { abstains, asks } from './found.ts';
import { similarWords, topics, upToThree } from './suggestions.ts';
import type { Layer, LayerInput } from './types.ts';

/** Passages in which the words of the query are looked for together. */
const LOOKED_AT = 5;
const LONGEST = 8_000;

/** Open where passages were found and left out: `poisoned` speaks of them. */
export const noResults: Layer = ({ evidence, suspects }) =>
  evidence.length + suspects.length > 0
    ? null
    : abstains('noResults', 'NO_RESULTS', 'No passage of the documents was found for this query.');

/**
 * Nothing comes close in absolute terms. By the embedder: distance 1 - cosine of the query and the nearest passage of
 * each collection, held against that collection's own limit, and open when one passage is near enough. By the
 * cross-encoder: the best relevance lies below its floor and no single passage holds enough of the query's words
 * either. What was not measured closes nothing: passages that the dense branch did not hand over have no cosine, those
 * that nobody read no relevance. Where the documents have an entry of what is asked about it is open: a name has no meaning to be
 * near to.
 */
export const distance: Layer = (input, settings) => {
  const { evidence, entries = [] } = input;
  if (entries.length > 0) return null;
  const far = farByMeaning(input, settings) ?? irrelevant(input, settings);
  if (far === null) return null;
  const message = 'Nothing in the documents comes close to this question.';
  return abstains('distance', 'TOO_DISTANT', message, { ...far, suggestions: topics(evidence) });
};

interface Measured {
  measured: number;
  limit: number;
}

function farByMeaning({ evidence }: LayerInput, settings: Parameters<Layer>[1]): Measured | null {
  let nearest: Measured | null = null;
  for (const { docId, scores } of evidence) {
    if (scores.dense === null) continue;
    const [measured, limit] = [1 - scores.dense, limitsFor(settings, docId).distance];
    if (measured <= limit) return null;
    if (nearest === null || measured < nearest.measured) nearest = { measured, limit };
  }
  return nearest;
}

function irrelevant({ evidence, coverage }: LayerInput, settings: Parameters<Layer>[1]): Measured | null {
  const { relevance, support } = settings.distance;
  const relevances = evidence.flatMap(({ scores }) => scores.relevance ?? []);
  const measured = Math.max(...relevances);
  if (relevances.length === 0 || measured >= relevance) return null;
  const stems = contentStems(coverage.terms.join(' '));
  const supported = evidence.some(
    ({ title, text }) =>
      stems.size > 0 && shareIn(stems, contentStems(`${title} ${text.slice(0, LONGEST)}`)) >= support,
  );
  return supported ? null : { measured, limit: relevance };
}

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
  if (input.evidence.some(({ scores }) => (scores.relevance ?? 0) >= limits.relevance)) return null;
  const message = 'The documents are about something else.';
  const suggestions = topics(input.evidence);
  return abstains('scope', 'OUT_OF_SCOPE', message, { measured, limit: limits.distance, suggestions });
};

/**
 * Share of the query's content terms that occur in the best passages together, stems compared, in [0, 1]; 1 for a
 * query without any. The paper's query-term coverage.
 */
function termsInEvidence({ evidence, coverage }: Pick<LayerInput, 'evidence' | 'coverage'>): number {
  const best = evidence.slice(0, LOOKED_AT).map(({ title, text }) => `${title} ${text.slice(0, LONGEST)}`);
  return shareIn(contentStems(coverage.terms.join(' ')), contentStems(best.join('\n')));
}

/** Share of `stems` that `held` has; 1 for none. */
function shareIn(stems: ReadonlySet<string>, held: ReadonlySet<string>): number {
  if (stems.size === 0) return 1;
  return [...stems].filter((stem) => held.has(stem)).length / stems.size;
}

const DEGREE = /\bhow\s+(high|long|tall|far|often|old|big|deep|wide|fast|heavy|much|many)\b/g;

/** What kind of thing is named beside it: documents that explain --quiet need not call it an option. */
const KINDS = new Set(
  'option flag switch setting parameter argument variable command function method field'.split(' '),
);

/**
 * Term coverage in two steps: the share of the query's idf mass that the corpus knows at all, then the share of its
 * terms that the best passages hold. The first asks back when an unknown word looks like a slip of a known one. "How
 * high" asks for a number and is not about "high", and "the option X" is about X: when such words are all that is unknown,
 * the first step is open.
 * Closes on a share that is no number.
 */
export const coverage: Layer = (input, settings) => {
  const { coverage: covered, evidence, spelling } = input;
  const { known } = settings.coverage;
  const unknown = unknownWords(input);
  const excused = covered.known >= 0 && covered.unknown.length > 0 && unknown.length === 0;
  if (!(covered.known >= known) && !excused) {
    const names = list(unknown.slice(0, 3).map(quoted), 'or');
    const message = `The documents do not know ${names || 'the words of this question'}.`;
    const details = { measured: covered.known, limit: known };
    const near = spelling.flatMap(({ written, near }) => (unknown.includes(written) ? near : []));
    const similar = upToThree([...near, ...similarWords(unknown, evidence)]);
    if (similar.length > 0) {
      const meant = `${message} Did you mean ${list(similar.map(quoted), 'or')}?`;
      return asks('coverage', 'TERMS_NOT_COVERED', meant, { ...details, suggestions: similar });
    }
    return abstains('coverage', 'TERMS_NOT_COVERED', message, {
      ...details,
      suggestions: topics(evidence),
    });
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

function unknownWords({ query, coverage: covered }: LayerInput): string[] {
  const degrees = new Set(Array.from(query.toLowerCase().matchAll(DEGREE), ([, word]) => word));
  return covered.unknown.filter((word) => !degrees.has(word.toLowerCase()) && !KINDS.has(word.toLowerCase()));
}
