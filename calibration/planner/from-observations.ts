/** A planner from labelled queries of one's own, as they were measured. */
import { PragauraError } from '../../common/index.ts';
import { ACTIONS, type Action, isFinal, type PlannerFeatures } from '../../router/index.ts';
import { rightActionOf } from '../labels/examples.ts';
import { type Documents, documentIn } from '../splits/documents.ts';
import type { Example, Observation } from '../types.ts';
import { fitPlanner, type PlannerOptions } from './fit-planner.ts';
import type { PlannerRow } from './table.ts';

/**
 * What each action that occurs needs at least: a document for each of the five folds, and a few queries in each, so that
 * no fold is judged on an action that it never saw. A floor, far from enough to be good.
 */
const LEAST = { queries: 20, documents: 5 };

/** Queries that teach a planner nothing, by why. */
export interface LeftOut {
  /** Refused or defined whoever decides. */
  final: number;
  /** They could not be decided. */
  failed: number;
  /** Nothing was retrieved. */
  unmeasured: number;
}

/**
 * A planner fitted on these observations, each counting alike, whole documents in one fold; `planned` are the same
 * observations with the probabilities that a planner has for them that saw no query of their document, null for those
 * left out. Pure. Throws INVALID_INPUT for too few queries of an action, and for one action only.
 */
export function plannerFrom(
  observations: readonly Observation[],
  documents: Documents,
  options: Pick<PlannerOptions, 'utilities' | 'seed' | 'on'>,
) {
  const leftOut: LeftOut = { final: 0, failed: 0, unmeasured: 0 };
  const rows: PlannerRow[] = [];
  const placeOf = new Map<Observation, number>();
  for (const observation of observations) {
    const { example, error, planning } = observation;
    if (error !== null) leftOut.failed++;
    else if (isSettled(observation)) leftOut.final++;
    else if (planning === null) leftOut.unmeasured++;
    else {
      placeOf.set(observation, rows.length);
      // Measured by this very program, or the cache would not have given it: the names are those of today.
      const features = planning as PlannerFeatures;
      rows.push({ features, action: rightActionOf(example)!, group: documentIn(documents, example) });
    }
  }
  checkEnough(rows, 'of the part to fit on that were measured');
  const { model, report, held } = fitPlanner(rows, options);
  const planned = observations.map((observation): Observation => {
    const place = placeOf.get(observation);
    return { ...observation, planned: place === undefined ? null : held![place]! };
  });
  return { model, report, leftOut, planned };
}

/** Whether what becomes of a query does not hang on who decides. */
export function isSettled({ closed, defined }: Observation): boolean {
  return defined === true || isFinal({ gate: closed });
}

/** Throws INVALID_INPUT when these labelled queries are too few to fit a planner on: before hours of measuring. */
export function checkLabels(examples: readonly Example[], documents: Documents): void {
  checkEnough(
    examples.map((example) => ({ action: rightActionOf(example)!, group: documentIn(documents, example) })),
    'of the part to fit on',
  );
}

function checkEnough(rows: readonly { action: Action; group: string }[], which: string): void {
  const counts = ACTIONS.map((action) => {
    const own = rows.filter((row) => row.action === action);
    return { action, queries: own.length, documents: new Set(own.map(({ group }) => group)).size };
  }).filter(({ queries }) => queries > 0);
  const few = counts.filter((own) => own.queries < LEAST.queries || own.documents < LEAST.documents);
  if (few.length === 0 && counts.length > 1) return;
  const words = ({ action, queries, documents }: (typeof counts)[number]): string =>
    `${action} ${queries} (${documents} ${documents === 1 ? 'document' : 'documents'})`;
  const there = counts.length === 0 ? 'none' : counts.map(words).join(', ');
  const needed = `at least ${LEAST.queries} queries of ${LEAST.documents} documents`;
  throw new PragauraError(
    'INVALID_INPUT',
    few.length > 0
      ? `A planner needs ${needed} for each action that occurs; ${which} there are: ${there}.`
      : `A planner needs two actions to tell apart; ${which} there are: ${there}.`,
    {
      hint:
        'Label more queries, with "action" (ANSWER, ASK, ABSTAIN), "answers" or "answerable"; or give the first part more ' +
        `with --split. ${needed[0]!.toUpperCase()}${needed.slice(1)} of an action must lie in that part.`,
    },
  );
}
