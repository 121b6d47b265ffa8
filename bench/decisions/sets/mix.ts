import { seededRandom } from '../../../common/index.ts';
import type { Action } from '../../../router/index.ts';
import type { Half } from '../../datasets/halves.ts';
import { inTurn } from '../../measure/in-turn.ts';
import { halfOfQuery } from '../sample.ts';
import type { DecisionQuery, DecisionSet } from '../types.ts';
import { loadAbgCoqa } from './abg-coqa.ts';
import { loadCanardDecisions } from './canard.ts';
import { loadContractNli } from './contract-nli.ts';
import { loadHotpotDecisions } from './hotpot.ts';
import { loadSharc } from './sharc.ts';

const PARTS = {
  sharc: loadSharc,
  'contract-nli': loadContractNli,
  hotpot: loadHotpotDecisions,
  canard: loadCanardDecisions,
  'abg-coqa': loadAbgCoqa,
};
type Part = keyof typeof PARTS;

/** Queries of each action in each half, as in the paper's held-out set. */
const EACH = 300;

/**
 * How many of an action come from where, in each half: the shares of the paper's balanced training set as far as its
 * Table 2 tells them. What a part cannot give, the next part of the same action gives.
 */
const QUOTAS: Record<Action, readonly [Part, number][]> = {
  ANSWER: [
    ['hotpot', 138],
    ['contract-nli', 42],
    ['canard', 30],
    ['abg-coqa', 30],
    ['sharc', 60],
  ],
  ASK: [
    ['abg-coqa', 65],
    ['sharc', 235],
  ],
  ABSTAIN: [
    ['sharc', 30],
    ['canard', 207],
    ['contract-nli', 63],
  ],
};

/**
 * The four sources of the paper 000 in its proportions, 300 queries an action in each half. With `given` every query
 * names the document that belongs to it (HotpotQA's name none), else all are asked of one index.
 */
export async function loadMix(dir: string, given: boolean): Promise<DecisionSet> {
  const names = Object.keys(PARTS) as Part[];
  const parts = await Promise.all(names.map((name) => PARTS[name](dir)));
  const all = parts.flatMap(({ queries }) => queries);
  // Without its document a query has no action that could be learned.
  const halves = given ? (['tune', 'report'] as const) : (['report'] as const);
  const queries = halves.flatMap((half) => drawn(all, half));
  return {
    about:
      'The four sources of paper 000 (section 4): ShARC, ContractNLI, HotpotQA, and for QuAC the turns of CANARD (replies ' +
      'quoted and "I don\'t know."), whose marks for a follow-up are not in the data, so that questions back come from ' +
      'ShARC and, instead, from the ambiguous turns of Abg-CoQA; dev sets, not train; ' +
      (given
        ? 'the document of each query is given, HotpotQA has its pool'
        : 'nothing is given: one index over all, in which one contract is as good as another'),
    documents: parts.flatMap(({ documents }) => documents),
    queries: queries.map(({ filters, ...query }) => ({
      ...query,
      id: `mix:${query.id}`,
      ...(given && filters && { filters }),
    })),
  };
}

function drawn(all: readonly DecisionQuery[], half: Half): DecisionQuery[] {
  const own = all.filter((query) => halfOfQuery(query) === half && (half === 'report' || query.fits));
  const random = seededRandom(1);
  return (Object.keys(QUOTAS) as Action[]).flatMap((action) => {
    let owed = 0;
    const taken = QUOTAS[action].flatMap(([part, quota]) => {
      const there = own.filter((query) => query.source === part && query.action === action);
      const found = inTurn(there, random).slice(0, quota + owed);
      owed += quota - found.length;
      return found;
    });
    return taken.slice(0, EACH);
  });
}
