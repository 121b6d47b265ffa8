/** The rules that are compared. */
import type { FeatureName } from '../../router/index.ts';
import type { Contender } from './evaluate.ts';
import { fitGeneral } from './fit.ts';
import type { Item } from './judged.ts';
import { always, general, plain, relevant, unfitted } from './rules.ts';

/** What a score of passages looks at. */
const RELEVANCE = ['bestRelevance'] as const satisfies readonly FeatureName[];
const FUSION = ['bestRelevance', 'fused'] as const satisfies readonly FeatureName[];
const SIGNALS = [...FUSION, 'D', 'E'] as const satisfies readonly FeatureName[];
const EVERYTHING = [
  ...SIGNALS,
  'C',
  'answerScore',
  'lead',
  'margin',
  'spanLead',
  'relevance',
  'knownTerms',
  'voices',
  'distinctAnswers',
  'answerWords',
  'queryWords',
  'actProbability',
] as const satisfies readonly FeatureName[];

const RIDGE = 1;
/** As many questions of an act as count like the pool. */
const SHRINK = 5;
const NO_ACTS = Number.POSITIVE_INFINITY;

function fitted(passage: readonly FeatureName[], shrink: number) {
  return (others: readonly Item[]) => fitGeneral(others, { span: ['U'], passage, ridge: RIDGE, shrink });
}

const FITTED = {
  relevance: fitted(RELEVANCE, NO_ACTS),
  'relevance, by act': fitted(RELEVANCE, SHRINK),
  'relevance and fusion': fitted(FUSION, NO_ACTS),
  'relevance and fusion, by act': fitted(FUSION, SHRINK),
  'with D and E': fitted(SIGNALS, NO_ACTS),
  'with D and E, by act': fitted(SIGNALS, SHRINK),
  everything: fitted(EVERYTHING, NO_ACTS),
  'everything, by act': fitted(EVERYTHING, SHRINK),
};

/** What is shipped: the fit of its name on all sets. */
export const SHIPPED = 'relevance and fusion' satisfies keyof typeof FITTED;
export const fitShipped = FITTED[SHIPPED];

export const PLAIN = 'plain rule';
const IN_FORM = 'plain rule, in its form';
export const BEFORE = 'U, else relevance';

/** At a `cautious`; the first four know no such thing. */
export function contendersAt(cautious: number): Record<string, Contender> {
  const rules = Object.entries(FITTED).map(([name, fitOn]): [string, Contender] => [
    name,
    (others) => general(fitOn(others), cautious),
  ]);
  return {
    always: () => always,
    [PLAIN]: () => plain,
    [IN_FORM]: () => relevant,
    [BEFORE]: () => unfitted,
    ...Object.fromEntries(rules),
  };
}
