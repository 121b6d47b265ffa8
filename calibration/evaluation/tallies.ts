/** Counts: what the examples are, what was decided against what is labelled, what was spent, what was answered wrongly and why. */
import { COUNTED_UNITS } from '../../profiles/index.ts';
import { type BootstrapOptions, quantilesOf } from '../metrics/intervals.ts';
import { actionsOf } from './acts.ts';
import { meanOf, tally } from './estimates.ts';
import type { Graded } from './graded.ts';
import type { Evaluation } from './types.ts';

export function countsOfAll(items: readonly Graded[]): Evaluation['counts'] {
  const count = (is: (item: Graded) => boolean) => items.filter(is).length;
  return {
    examples: items.length,
    groups: new Set(items.map(({ observation }) => observation.example.group)).size,
    documents: new Set(items.map(({ document }) => document)).size,
    errors: count(({ failed }) => failed),
    errorCodes: tally(items.flatMap(({ observation }) => observation.error ?? [])),
    actions: actionsOf(items),
    withoutCandidate: count(({ failed, observation }) => !failed && observation.candidate === null),
    gateClosed: count(({ observation }) => observation.closed !== null),
    answerable: count(({ answerable }) => answerable === true),
    unanswerable: count(({ answerable }) => answerable === false),
    answerableUnknown: count(({ answerable }) => answerable === null),
    withAnswers: count(({ observation }) => (observation.example.answers?.length ?? 0) > 0),
    withPassages: count(({ observation }) => (observation.example.passages?.length ?? 0) > 0),
    withAction: count(({ observation }) => observation.example.action !== undefined),
    unlabelled: count(({ failed, wrong }) => !failed && wrong === null),
  };
}

/** Why candidates are wrong, each in one class, as shares of all labelled examples. */
export function errorCausesOf(items: readonly Graded[]): Evaluation['errorCauses'] {
  const labelled = items.filter(({ wrong }) => wrong !== null);
  const counts = { unanswerable: 0, notRead: 0, noCandidate: 0, misread: 0, untold: 0 };
  for (const { wrong, answerable, read, observation } of labelled) {
    if (wrong !== true) continue;
    if (answerable === false) counts.unanswerable++;
    else if (read === false) counts.notRead++;
    else if (observation.candidate === null) counts.noCandidate++;
    else if (read === true) counts.misread++;
    else counts.untold++;
  }
  const share = (count: number) => (labelled.length === 0 ? null : count / labelled.length);
  return {
    unanswerable: share(counts.unanswerable),
    notRead: share(counts.notRead),
    noCandidate: share(counts.noCandidate),
    misread: share(counts.misread),
    untold: share(counts.untold),
  };
}

/** Decisions against `action` labels. A failure is unscored, and a column of its own in the table. */
export function decisionsOf(items: readonly Graded[], options: BootstrapOptions): Evaluation['decisions'] {
  const labelled = items.filter(({ observation }) => observation.example.action !== undefined);
  if (labelled.length === 0) return null;
  const wanted = (item: Graded) => item.observation.example.action!;
  return {
    accuracy: meanOf(
      labelled,
      (item) => (item.action === null ? null : item.action === wanted(item) ? 1 : 0),
      options,
    ),
    confusion: Object.fromEntries(
      [...new Set(labelled.map(wanted))]
        .sort()
        .map((label) => [
          label,
          tally(labelled.filter((item) => wanted(item) === label).map(({ action }) => action ?? 'ERROR')),
        ]),
    ),
  };
}

/** What one query spent, over those with a receipt; `budget` null where queries had different ones. */
export function spentOf(items: readonly Graded[]): Evaluation['spent'] {
  const receipts = items.flatMap(({ observation }) => observation.receipt ?? []);
  if (receipts.length === 0) return null;
  return Object.fromEntries(
    [...COUNTED_UNITS, 'ms' as const].map((unit) => {
      const values = receipts.map(({ spent }) => spent[unit]);
      const budgets = new Set(receipts.map(({ budget }) => budget[unit]));
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const [p95] = quantilesOf(values, [0.95])!;
      return [unit, { mean, p95: p95!, budget: budgets.size === 1 ? [...budgets][0]! : null }];
    }),
  );
}
