import { provisionalThresholds, scoreOf, type UncertaintyScore } from '../../router/index.ts';
import { placeOf } from '../scores/place.ts';
import type { Observation } from '../types.ts';

/** An order in which queries could be answered: the lower, the sooner; null: after all others. Finite. */
export interface Ranker {
  name: string;
  about: string;
  uncertainty(observation: Observation): number | null;
}

type Formula = Extract<UncertaintyScore, { kind: 'formula' }>;
type Weights = Formula['weights'];

/**
 * The router's own order first; then the same score with gates ignored, the formula (beside a learned score), the
 * formula without D, C or E (the other weights in their old proportion), and the score of the chosen answer alone.
 */
export function ownRankers(score: UncertaintyScore): Ranker[] {
  const provisional = provisionalThresholds().score;
  const formula = score.kind === 'formula' ? score : provisional.kind === 'formula' ? provisional : null;
  const own: Ranker[] = [
    {
      name: 'as decided',
      about: `${aboutOf(score)}, closed gates last`,
      uncertainty: gated(score),
    },
    {
      name: 'gates ignored',
      about: 'The same U of every candidate, whatever gate is closed',
      uncertainty: (observation) => scored(score, observation),
    },
  ];
  if (formula === null) return own;
  if (score.kind !== 'formula') own.push(byFormula('formula', formula));
  return [
    ...own,
    ...(['D', 'C', 'E'] as const).flatMap((term) => {
      const left = without(formula.weights, term);
      return left === null ? [] : [byFormula(`without ${term}`, { ...formula, weights: left })];
    }),
    {
      name: 'answer score alone',
      about: 'Relevance and reader margin of the chosen answer (1 - answerScore), closed gates last',
      uncertainty: (observation) => {
        const place = placeOf(score, observation);
        const { answerScore = null } = observation.features ?? {};
        if (place === null || observation.defined === true) return place;
        return answerScore === null ? null : 1 - answerScore;
      },
    },
  ];
}

/** U of a query whose gates are all open, else last. */
function gated(score: UncertaintyScore): Ranker['uncertainty'] {
  return (observation) => placeOf(score, observation);
}

function scored(score: UncertaintyScore, observation: Observation): number | null {
  const { error, features } = observation;
  return error !== null || features === null ? null : scoreOf(score, features, observation);
}

function byFormula(name: string, score: Formula): Ranker {
  return { name, about: `${sentenceOf(score.weights)}, closed gates last`, uncertainty: gated(score) };
}

function aboutOf(score: UncertaintyScore): string {
  if (score.kind === 'formula') return sentenceOf(score.weights);
  return score.kind === 'learned' ? 'Learned U' : 'U = 1 - P(ANSWER) of the planner';
}

const TERM = { D: 'alpha', C: 'beta', E: 'gamma' } as const;

/** The weights with one of them 0; null when it was 0 before, or nothing else has any. */
function without(weights: Weights, term: keyof typeof TERM): Weights | null {
  const dropped = weights[TERM[term]];
  if (dropped === 0 || dropped >= 1) return null;
  const scale = 1 / (1 - dropped);
  const left = { alpha: weights.alpha * scale, beta: weights.beta * scale, gamma: weights.gamma * scale };
  return { ...left, [TERM[term]]: 0 };
}

function sentenceOf({ alpha, beta, gamma }: Weights): string {
  const digits = (weight: number) => String(Number(weight.toFixed(3)));
  return `U = ${digits(alpha)}*D + ${digits(beta)}*C + ${digits(gamma)}*(1-E)`;
}
