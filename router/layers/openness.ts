/** Whether a question leaves open which of several things it is about, by its words and by what they find. Pure. */
import { boundedLogit, logit, sigmoid } from '../../common/index.ts';
import { contentStems, shareHeld } from '../../conversation/index.ts';
import type { Evidence } from '../contracts.ts';
import { GENERIC, MARKED, REFERS } from './generic-words.ts';
import { OPENNESS } from './openness-fit.ts';
import type { OpennessFeature, OpennessFit } from './types.ts';

/** Passages that are looked at: as many as a decision shows, so that what was decided can be fitted on. */
const LOOKED_AT = 5;
/** Beyond, log odds say no more. */
const SUREST = 1e-4;

/** Null where no passage was read, or no cosine is known: then nothing is told. */
export function opennessFeatures(
  query: string,
  evidence: readonly Pick<Evidence, 'title' | 'scores'>[],
): Record<OpennessFeature, number> | null {
  const looked = evidence.slice(0, LOOKED_AT);
  const relevances = looked.map(({ scores }) => scores.relevance ?? 0);
  const best = Math.max(0, ...relevances);
  const cosines = looked.flatMap(({ scores }) => scores.dense ?? []);
  if (cosines.length === 0 || looked.every(({ scores }) => scores.relevance === null)) return null;
  const stems = contentStems(query);
  const specific = [...stems].filter((stem) => !GENERIC.has(stem)).length;
  const headings = looked.map(({ title }) => contentStems(title.split(' > ').at(-1)!));
  const near = looked.filter((_, place) => relevances[place]! >= best / 2);
  return {
    dense: Math.max(...cosines),
    lexical: Math.max(...looked.map(({ scores }) => scores.lexical ?? 0)),
    relevance: boundedLogit(best, SUREST),
    words: stems.size,
    specific,
    generic: stems.size === 0 ? 1 : 1 - specific / stems.size,
    refers: REFERS.test(query) ? 1 : 0,
    marked: MARKED.test(query) ? 1 : 0,
    heading: stems.size === 0 ? 0 : Math.max(...headings.map((heading) => shareHeld(stems, heading))),
    near: new Set(near.map(({ title }) => title)).size,
  };
}

/** Probability that whoever knows the documents would ask back, in [0, 1]; of a `fit` by `pragaura bench openness`. */
export function openness(
  features: Readonly<Record<OpennessFeature, number>>,
  { intercept, weights }: Pick<OpennessFit, 'intercept' | 'weights'>,
): number {
  const names = Object.keys(weights) as OpennessFeature[];
  return sigmoid(names.reduce((z, name) => z + weights[name] * features[name], intercept));
}

/** Relevance below which no passage answers any reading of a question that says something. */
const IRRELEVANT = 0.15;

/**
 * Whether a question leaves open what it is about. One that names something, of which no passage says anything, is not open but
 * unanswered: any choice would lead nowhere.
 */
export function leavesOpen(query: string, evidence: readonly Evidence[]): boolean {
  const features = opennessFeatures(query, evidence);
  if (features === null) return false;
  if (features.specific > 0 && features.relevance < logit(IRRELEVANT)) return false;
  return openness(features, OPENNESS) >= OPENNESS.bar;
}
