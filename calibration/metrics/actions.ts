/** How well it is told when to answer, ask or abstain. */
import { ACTIONS, type Action } from '../../router/index.ts';
import type { BootstrapOptions, Interval } from './intervals.ts';
import { bootstrapFigures } from './resampled.ts';

/** What was done with one query, beside what is right. */
export interface Done {
  /** What counts as one document, and is drawn as a whole. */
  document: string;
  right: Action;
  /** Null: the query could not be decided. That is wrong, and no action. */
  done: Action | null;
}

export interface ActionFigure {
  /** In [0, 1]; null where there is nothing to divide by. */
  value: number | null;
  /** 95 %, percentile bootstrap by document; null with fewer than two, or where a resample had no value. */
  interval: Interval | null;
}

export interface ActionFigures {
  n: number;
  documents: number;
  accuracy: ActionFigure;
  /** Mean F1 of the actions that are right somewhere. */
  macroF1: ActionFigure;
  /** Of all queries, those answered though another action is right. */
  answeredInVain: ActionFigure;
  byAction: Record<Action, { right: number; done: number; precision: ActionFigure; recall: ActionFigure }>;
}

/** Rows: the right action; columns: what was done, the last for nothing. */
const K = ACTIONS.length;
const WIDTH = K + 1;

/** Throws RangeError without queries. */
export function actionFigures(items: readonly Done[], options: BootstrapOptions = {}): ActionFigures {
  if (items.length === 0) throw new RangeError('there is nothing to count');
  const placeOf = new Map([...new Set(items.map(({ document }) => document))].map((name, i) => [name, i]));
  const tables = Array.from(placeOf, () => new Float64Array(K * WIDTH));
  for (const { document, right, done } of items) {
    const column = done === null ? K : ACTIONS.indexOf(done);
    tables[placeOf.get(document)!]![ACTIONS.indexOf(right) * WIDTH + column]! += 1;
  }
  const all = summed(tables, null);
  // What is right nowhere in the whole must not come and go with a resample.
  const occurring = ACTIONS.filter((_, k) => rowOf(all, k) > 0);
  const values = shares(all, occurring);
  const intervals = bootstrapFigures(
    tables.length,
    (counts) => shares(summed(tables, counts), occurring),
    options,
  );
  const figure = (place: number): ActionFigure => ({
    value: values[place]!,
    interval: intervals?.[place] ?? null,
  });
  return {
    n: items.length,
    documents: tables.length,
    accuracy: figure(0),
    macroF1: figure(1),
    answeredInVain: figure(2),
    byAction: Object.fromEntries(
      ACTIONS.map((action, k) => [
        action,
        {
          right: rowOf(all, k),
          done: columnOf(all, k),
          precision: figure(3 + 2 * k),
          recall: figure(4 + 2 * k),
        },
      ]),
    ) as ActionFigures['byAction'],
  };
}

function summed(tables: readonly Float64Array[], counts: Int32Array | null): Float64Array {
  const sum = new Float64Array(K * WIDTH);
  for (const [i, table] of tables.entries()) {
    const times = counts?.[i] ?? 1;
    if (times > 0) for (let cell = 0; cell < sum.length; cell++) sum[cell]! += times * table[cell]!;
  }
  return sum;
}

function rowOf(table: Float64Array, right: number): number {
  let sum = 0;
  for (let column = 0; column < WIDTH; column++) sum += table[right * WIDTH + column]!;
  return sum;
}

function columnOf(table: Float64Array, done: number): number {
  return ACTIONS.reduce((sum, _, right) => sum + table[right * WIDTH + done]!, 0);
}

const ANSWER = ACTIONS.indexOf('ANSWER');

/** Accuracy, macro-F1, answered in vain, then precision and recall of each action. */
function shares(table: Float64Array, occurring: readonly Action[]): (number | null)[] {
  const n = ACTIONS.reduce((sum, _, k) => sum + rowOf(table, k), 0);
  const hit = (k: number): number => table[k * WIDTH + k]!;
  const hits = ACTIONS.reduce((sum, _, k) => sum + hit(k), 0);
  const f1 = occurring.flatMap((action) => {
    const k = ACTIONS.indexOf(action);
    return share(2 * hit(k), rowOf(table, k) + columnOf(table, k)) ?? [];
  });
  return [
    share(hits, n),
    share(
      f1.reduce((a, b) => a + b, 0),
      f1.length,
    ),
    share(columnOf(table, ANSWER) - hit(ANSWER), n),
    ...ACTIONS.flatMap((_, k) => [share(hit(k), columnOf(table, k)), share(hit(k), rowOf(table, k))]),
  ];
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
