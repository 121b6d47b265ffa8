/** From what each reader made of the same queries to what is reported. Pure. */
import {
  answerF1,
  anyAt,
  aurc,
  type BootstrapOptions,
  type Contrast,
  contrastOfAreas,
  contrastOfMeans,
  exactMatch,
  quantilesOf,
  riskAtCoverage,
} from '../../calibration/index.ts';
import type { DataQuery } from '../datasets/types.ts';
import type { Asked } from './ask.ts';

/** At which EM is taken in order of U. */
export const COVERAGE = 0.8;

const SIGNALS = ['D', 'C', 'E'] as const;
export type SignalName = (typeof SIGNALS)[number];

/** What has a value for every single query, in the order of the table; null where the query has none. */
const MEASURES = {
  ms: (_, { ms }) => ms.total,
  'R@1': (question, { ranking }) => anyAt(ranking, gainsOf(question), 1),
  'R@10': (question, { ranking }) => anyAt(ranking, gainsOf(question), 10),
  EM: ({ answers }, { answer }) => exactMatch(answer ?? '', answers),
  F1: ({ answers }, { answer }) => answerF1(answer ?? '', answers),
  D: (_, { D }) => D,
  C: (_, { C }) => C,
  E: (_, { E }) => E,
} satisfies Record<string, (question: Question, asked: Asked) => number | null>;
export type MeasureName = keyof typeof MEASURES;
const NAMES = Object.keys(MEASURES) as MeasureName[];

export type Question = Pick<DataQuery, 'group' | 'answers' | 'relevant'>;

/** One question and what became of it under every reader, in the order of the readers. */
export interface Row {
  question: Question;
  asked: readonly Asked[];
}

/** Of one reader over all questions; null where no question has a value. */
export interface ReaderFigures {
  /** Milliseconds: quantiles of the whole decision, and the middle of two stages where they ran. */
  ms: { p50: number | null; p95: number | null; judge: number | null; nli: number | null };
  /** Means of what one question spent; `read`: passages read in full. */
  spent: Record<keyof Asked['spent'] | 'read', number | null>;
  /** R@k: a relevant document among the first k; EM and F1 of the best answer, given or not. `ms` in milliseconds, else in [0, 1]. */
  means: Record<MeasureName, number | null>;
  /** Area under the risk-coverage curve, loss 1 - EM, in order of U; questions without U come last. In [0, 1], less is better. */
  aurc: number | null;
  /** EM of the `COVERAGE` questions that come first in that order. */
  emAtCoverage: number | null;
  /** Questions on which the signal could not be measured. */
  nulls: Record<SignalName, number>;
  /** Share of questions that were answered, under the provisional thresholds. */
  answered: number | null;
}

/** One reader less the first, on the same questions; `interval`: 95 %, by group. */
export interface Difference {
  contrasts: Record<MeasureName | 'AURC', Contrast>;
  /** Share of questions whose best answer is another text, or is there with one reader only. */
  otherAnswers: number | null;
  /** Share of questions whose action is another one. */
  otherActions: number | null;
}

/** The figures of the reader at `place`. */
export function figuresOf(rows: readonly Row[], place: number): ReaderFigures {
  const all = rows.map(({ asked }) => asked[place]!);
  const ordered = itemsOf(rows, place);
  const risk = riskAtCoverage(ordered, COVERAGE)?.risk ?? null;
  const [p50 = null, p95 = null] =
    quantilesOf(
      all.map(({ ms }) => ms.total),
      [0.5, 0.95],
    ) ?? [];
  const spent = (unit: keyof Asked['spent']) => mean(all.map((one) => one.spent[unit]));
  return {
    ms: {
      p50,
      p95,
      judge: middle(all.map(({ ms }) => ms.judge)),
      nli: middle(all.map(({ ms }) => ms.nli)),
    },
    spent: {
      rerankPairs: spent('rerankPairs'),
      read: mean(all.map(({ read }) => read)),
      contextTokens: spent('contextTokens'),
      nliPairs: spent('nliPairs'),
    },
    means: each(NAMES, (name) => mean(valuesOf(rows, place, name))),
    aurc: aurc(ordered),
    emAtCoverage: risk === null ? null : 1 - risk,
    nulls: each(SIGNALS, (name) => all.filter((one) => one[name] === null).length),
    answered: mean(all.map(({ action }) => (action === 'ANSWER' ? 1 : 0))),
  };
}

/** The reader at `place` less the first one. */
export function differenceOf(
  rows: readonly Row[],
  place: number,
  bootstrap: BootstrapOptions = {},
): Difference {
  const [ours, theirs] = [itemsOf(rows, place), itemsOf(rows, 0)];
  const areas = contrastOfAreas(
    ours.map(({ group, ...a }, i) => ({ group, a, b: theirs[i]! })),
    COVERAGE,
    bootstrap,
  );
  const contrasts = each(NAMES, (name) => {
    const [a, b] = [valuesOf(rows, place, name), valuesOf(rows, 0, name)];
    const pairs = rows.map(({ question: { group } }, i) => ({ group, a: a[i]!, b: b[i]! }));
    return contrastOfMeans(pairs, bootstrap);
  });
  const differing = (of: (asked: Asked) => string | null) =>
    mean(rows.map(({ asked }) => (of(asked[place]!) === of(asked[0]!) ? 0 : 1)));
  return {
    contrasts: { ...contrasts, AURC: areas.AURC },
    otherAnswers: differing(({ answer }) => answer),
    otherActions: differing(({ action }) => action),
  };
}

function valuesOf(rows: readonly Row[], place: number, name: MeasureName): (number | null)[] {
  return rows.map(({ question, asked }) => MEASURES[name](question, asked[place]!));
}

/** For the risk-coverage curve; questions without a known answer have no loss and are left out. */
function itemsOf(rows: readonly Row[], place: number) {
  return rows.flatMap(({ question, asked }) => {
    const right = MEASURES.EM(question, asked[place]!);
    if (right === null) return [];
    return [{ group: question.group, uncertainty: asked[place]!.U, loss: 1 - right }];
  });
}

function gainsOf({ relevant }: Question): Map<string, number> {
  return new Map(relevant.map(({ docId, grade }) => [docId, grade]));
}

/** Over those that are there; null where none is. */
function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** The median of those that are there; null where none is. */
function middle(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return quantilesOf(known, [0.5])?.[0] ?? null;
}

function each<K extends string, V>(names: readonly K[], of: (name: K) => V): Record<K, V> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<K, V>;
}
