/** How well it is told when to answer, ask or abstain. */
import { ACTIONS, type Action } from '../../router/index.ts';
import type { BootstrapOptions, Interval } from './intervals.ts';
import { bootstrapFigures } from './resampled.ts';

/** What a policy made of one query. */
export interface JudgedAction {
  /** Drawn as a whole by the bootstrap: document, story, contract. */
  group: string;
  gold: Action;
  /** Null: the query could not be decided. It counts as decided wrongly, by no action. */
  said: Action | null;
  /** Whether the text that was or would be answered is another than the gold ones; null where that is not known. */
  misread: boolean | null;
}

export interface ActionFigure {
  /** In [0, 1]; null where there is nothing to divide by. */
  value: number | null;
  /** 95 %, percentile bootstrap by group; null with fewer than two groups, or where a resample had no value. */
  interval: Interval | null;
}

const MEASURES = ['precision', 'recall', 'f1'] as const;
type Measure = (typeof MEASURES)[number];

/** Figures of one policy on one set. */
export interface ActionFigures {
  n: number;
  groups: number;
  /** Queries that could not be decided. */
  failed: number;
  /** How often each action is right, and how often it was said. */
  gold: Record<Action, number>;
  said: Record<Action, number>;
  accuracy: ActionFigure;
  /** Mean F1 of the actions that are right somewhere in the set. */
  macroF1: ActionFigure;
  actions: Record<Action, Record<Measure, ActionFigure>>;
  /**
   * Of all queries, those that were answered though they should not have been. This is the paper's "hallucination rate":
   * with a third of the queries each, its 81 %, 75 % and 80 % answered give (75 + 80) / 3 = 51.7 %.
   */
  answeredInVain: ActionFigure;
  /** Of all queries, those answered. */
  coverage: ActionFigure;
  /** Of the queries rightly answered whose gold texts are known, those answered with another text. */
  misread: ActionFigure;
  /** Of all queries, those answered in vain or with another text; null where no gold text is known. */
  wrong: ActionFigure;
}

/** Cells of the confusion matrix, then answers whose text is known, and those of them misread. */
const CELLS = ACTIONS.length * (ACTIONS.length + 1);
const KNOWN = CELLS;
const MISREAD = CELLS + 1;
const SIZE = CELLS + 2;

/** Throws RangeError without queries. */
export function actionFigures(
  judged: readonly JudgedAction[],
  options: BootstrapOptions = {},
): ActionFigures {
  if (judged.length === 0) throw new RangeError('there is nothing to count');
  const byGroup = [...new Set(judged.map(({ group }) => group))];
  const placeOf = new Map(byGroup.map((group, place) => [group, place]));
  const tables = byGroup.map(() => new Float64Array(SIZE));
  for (const one of judged) count(tables[placeOf.get(one.group)!]!, one);
  const all = summed(tables, null);
  const occurring = ACTIONS.filter((_, place) => rowSum(all, place) > 0);
  const values = measures(all, occurring);
  const intervals = bootstrapFigures(
    tables.length,
    (counts) => measures(summed(tables, counts), occurring),
    options,
  );
  const figure = (place: number): ActionFigure => ({
    value: values[place]!,
    interval: intervals?.[place] ?? null,
  });
  const counted = (of: (place: number) => number) =>
    Object.fromEntries(ACTIONS.map((action, place) => [action, of(place)])) as Record<Action, number>;
  return {
    n: judged.length,
    groups: byGroup.length,
    failed: judged.filter(({ said }) => said === null).length,
    gold: counted((place) => rowSum(all, place)),
    said: counted((place) => columnSum(all, place)),
    accuracy: figure(0),
    macroF1: figure(1),
    answeredInVain: figure(2),
    coverage: figure(3),
    misread: figure(4),
    wrong: figure(5),
    actions: Object.fromEntries(
      ACTIONS.map((action, place) => [
        action,
        Object.fromEntries(MEASURES.map((name, i) => [name, figure(6 + MEASURES.length * place + i)])),
      ]),
    ) as ActionFigures['actions'],
  };
}

function count(table: Float64Array, { gold, said, misread }: JudgedAction): void {
  table[cell(ACTIONS.indexOf(gold), said === null ? ACTIONS.length : ACTIONS.indexOf(said))]! += 1;
  if (gold !== 'ANSWER' || said !== 'ANSWER' || misread === null) return;
  table[KNOWN]! += 1;
  if (misread) table[MISREAD]! += 1;
}

function cell(gold: number, said: number): number {
  return gold * (ACTIONS.length + 1) + said;
}

function summed(tables: readonly Float64Array[], counts: Int32Array | null): Float64Array {
  const sum = new Float64Array(SIZE);
  for (const [g, table] of tables.entries()) {
    const times = counts === null ? 1 : counts[g]!;
    if (times > 0) for (let i = 0; i < SIZE; i++) sum[i]! += times * table[i]!;
  }
  return sum;
}

function rowSum(table: Float64Array, gold: number): number {
  let sum = 0;
  for (let said = 0; said <= ACTIONS.length; said++) sum += table[cell(gold, said)]!;
  return sum;
}

function columnSum(table: Float64Array, said: number): number {
  return ACTIONS.reduce((sum, _, gold) => sum + table[cell(gold, said)]!, 0);
}

const ANSWER = ACTIONS.indexOf('ANSWER');

function measures(table: Float64Array, occurring: readonly Action[]): (number | null)[] {
  const n = ACTIONS.reduce((sum, _, gold) => sum + rowSum(table, gold), 0);
  const hits = ACTIONS.reduce((sum, _, place) => sum + table[cell(place, place)]!, 0);
  const answered = columnSum(table, ANSWER);
  const vain = answered - table[cell(ANSWER, ANSWER)]!;
  const known = table[KNOWN]!;
  const misread = table[MISREAD]!;
  const byAction = ACTIONS.map((_, place) => {
    const hit = table[cell(place, place)]!;
    const [right, said] = [rowSum(table, place), columnSum(table, place)];
    return [share(hit, said), share(hit, right), share(2 * hit, right + said)];
  });
  const scores = ACTIONS.flatMap((action, place) =>
    occurring.includes(action) ? (byAction[place]![2] ?? []) : [],
  );
  return [
    share(hits, n),
    share(
      scores.reduce((a, b) => a + b, 0),
      scores.length,
    ),
    share(vain, n),
    share(answered, n),
    share(misread, known),
    known === 0 ? null : share(vain + misread, n),
    ...byAction.flat(),
  ];
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
