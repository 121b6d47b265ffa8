import { isYesNoQuestion, toStatement } from '../../../scorers/index.ts';
import type { DecisionInput } from '../input.ts';
import { ruleIn } from './rule.ts';
import { statementsOf, toldIn } from './told.ts';

/** What the entailment model said of a pair, as probabilities. */
interface Verdict {
  entailment: number;
  contradiction: number;
}

/** `claim`: the question as a claim against the nearest passage; `case`: against it with what the user told. */
export interface ClaimVerdicts {
  claim: Verdict | null;
  case: Verdict | null;
  /** What the user told against each condition that was asked about. */
  conditions: readonly Verdict[];
}

export interface ClaimPair {
  kind: 'claim' | 'case' | 'condition';
  premise: string;
  hypothesis: string;
}

const MOST_CONDITIONS = 4;
const PREMISE_CHARS = 2_000;

/**
 * Pairs for the entailment model that only planning needs, the most telling first, at most `limit`: of a yes-or-no
 * question its claim against the nearest passage and, where the user told something, against passage and that; then
 * what the user told against the passage's conditions. None for a question that is neither yes-or-no nor has anything
 * told. Pure.
 */
export function claimPairs(
  { query, evidence, history }: Pick<DecisionInput, 'query' | 'evidence' | 'history'>,
  limit: number,
): ClaimPair[] {
  const [best] = evidence;
  if (best === undefined) return [];
  const told = toldIn(history);
  const said = statementsOf(told).slice(-PREMISE_CHARS);
  const passage = `${best.title}. ${best.text}`.slice(0, PREMISE_CHARS);
  const pairs: ClaimPair[] = [];
  if (isYesNoQuestion(query)) {
    const hypothesis = toStatement(query, 'yes');
    pairs.push({ kind: 'claim', premise: passage, hypothesis });
    if (said !== '') pairs.push({ kind: 'case', premise: `${said} ${passage}`, hypothesis });
  }
  if (said !== '') {
    for (const { text } of ruleIn(best.text, query, told).conditions.slice(0, MOST_CONDITIONS)) {
      pairs.push({
        kind: 'condition',
        premise: said,
        hypothesis: `${text[0]!.toUpperCase()}${text.slice(1)}`,
      });
    }
  }
  return pairs.slice(0, Math.max(0, limit));
}

/** The scores of `claimPairs` in their order; null where the model did not get to one. Null when it got to none. */
export function claimVerdicts(
  pairs: readonly ClaimPair[],
  scores: readonly (Verdict | null)[],
): ClaimVerdicts | null {
  const of = (kind: ClaimPair['kind']) =>
    pairs.flatMap((pair, i) => (pair.kind === kind ? (scores[i] ?? []) : []));
  const verdicts = {
    claim: of('claim')[0] ?? null,
    case: of('case')[0] ?? null,
    conditions: of('condition'),
  };
  const none = verdicts.claim === null && verdicts.case === null && verdicts.conditions.length === 0;
  return none ? null : verdicts;
}
