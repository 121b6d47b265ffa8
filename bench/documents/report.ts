/** From what was said of each question to figures with intervals. Pure. */
import {
  type BootstrapOptions,
  grouped,
  type Interval,
  pairedDifference,
  quantilesOf,
  summarise,
} from '../../calibration/index.ts';
import { type Asked, CONTENDERS, type Contender, type ContenderOutput } from './asked.ts';
import { type Judged, judge, OUTCOMES, type Outcome } from './judge.ts';
import type { Collection, Question } from './types.ts';

export interface Row {
  question: Question;
  asked: Asked;
  judged: Record<Contender, Judged>;
}

/** `of`: questions that it is a share of, or a mean over. Null where there are none; no interval with one group. */
export interface Figure {
  value: number | null;
  interval: Interval | null;
  of: number;
}

/** Each a share of the questions named behind it, or a mean over them; all in [0, 1] but for words. */
export interface Figures {
  n: number;
  /** Of answerable questions. */
  useful: Figure;
  /** Answers that are wrong, those included that no question back came before where one was due; of all questions. */
  wrong: Figure;
  /** Of answerable questions. */
  silence: Figure;
  /** Of answerable questions. */
  question: Figure;
  /** Of questions that nothing answers. */
  falseAnswer: Figure;
  /** Of underspecified questions. */
  askedBack: Figure;
  /** Right yes or no, of questions with a verdict. */
  verdict: Figure;
  /** Words shared with the gold answer, 0 where nothing is shown. */
  f1: Figure;
  recall: Figure;
  /** Of all questions. */
  answered: Figure;
  /** Of what is shown. */
  words: { median: number | null; mean: number | null };
  outcomes: Partial<Record<Outcome, number>>;
}

type Difference = ReturnType<typeof pairedDifference>;

export interface Report {
  collection: string;
  about: string;
  half: Collection['half'];
  marked: boolean;
  groups: number;
  contenders: Record<Contender, Figures>;
  /** Of the product and of the plain rule, by the act of the question, by its kind and by the form of the answer. */
  byAct: Part[];
  byKind: Part[];
  /** Of what the product shows alone. */
  byForm: { name: string; figures: Figures }[];
  /** Product less each other contender, on the same questions. */
  differences: { less: Contender; figure: DifferenceOf; difference: Difference }[];
  /** The product less itself in another run, on the questions of both; null where there is no other. */
  change: { figure: DifferenceOf; difference: Difference }[] | null;
  /** Milliseconds of a query. */
  ms: { p50: number | null; p90: number | null };
}

export interface Part {
  name: string;
  contenders: Record<Contender, Figures>;
}

const DIFFERENCES = ['useful', 'wrong', 'f1'] as const;
type DifferenceOf = (typeof DIFFERENCES)[number];

export function rowsOf(questions: readonly Question[], asked: ReadonlyMap<string, Asked>): Row[] {
  return questions.flatMap((question) => {
    const one = asked.get(question.id);
    if (one === undefined) return [];
    return [{ question, asked: one, judged: each((name) => judge(question, one.said[name])) }];
  });
}

/** `before`: what the product said in another run, by the id of the question. */
export function reportOn(
  { name, about, half, marked }: Pick<Collection, 'name' | 'about' | 'half' | 'marked'>,
  rows: readonly Row[],
  before?: ReadonlyMap<string, ContenderOutput>,
  bootstrap: BootstrapOptions = {},
): Report {
  const contenders = (own: readonly Row[]) => each((contender) => figuresOf(own, contender, bootstrap));
  const partsBy = (of: (row: Row) => string | null): Part[] =>
    grouped(
      rows.filter((row) => of(row) !== null),
      (row) => of(row)!,
    ).map((own) => ({ name: of(own[0]!)!, contenders: contenders(own) }));
  const shown = rows.filter(({ asked }) => asked.said.product.shown !== null);
  const [p50 = null, p90 = null] =
    quantilesOf(
      rows.map(({ asked }) => asked.ms),
      [0.5, 0.9],
    ) ?? [];
  return {
    collection: name,
    about,
    half,
    marked,
    groups: new Set(rows.map(({ question }) => question.group)).size,
    contenders: contenders(rows),
    byAct: partsBy(({ question }) => question.act),
    byKind: partsBy(({ question }) => question.kind),
    byForm: grouped(shown, formOf).map((own) => ({
      name: formOf(own[0]!),
      figures: figuresOf(own, 'product', bootstrap),
    })),
    differences: CONTENDERS.slice(1).flatMap((less) =>
      differencesOf(rows, ({ judged }) => judged[less], bootstrap).map((one) => ({ less, ...one })),
    ),
    change:
      before === undefined
        ? null
        : differencesOf(
            rows.filter(({ question }) => before.has(question.id)),
            ({ question }) => judge(question, before.get(question.id)!),
            bootstrap,
          ),
    ms: { p50, p90 },
  };
}

/** What the product did, less what something else did. */
function differencesOf(
  rows: readonly Row[],
  other: (row: Row) => Judged,
  bootstrap: BootstrapOptions,
): { figure: DifferenceOf; difference: Difference }[] {
  const pairs = rows.map((row) => ({ ...row, other: other(row) }));
  return DIFFERENCES.flatMap((figure) => {
    const values = pairs.flatMap(({ question, judged, other }) => {
      const [a, b] = [VALUES[figure](question, judged.product), VALUES[figure](question, other)];
      return a === null || b === null ? [] : [{ group: question.group, a, b }];
    });
    return values.length === 0 ? [] : [{ figure, difference: pairedDifference(values, bootstrap) }];
  });
}

/** Of what the product shows; one of low confidence is a form of its own. */
function formOf({ asked }: Row): string {
  const { form, band } = asked.said.product.shown!;
  return band === 'LOW' ? `${form}, low` : form;
}

type Value = (question: Question, judged: Judged) => number | null;

/** 1 where the outcome is one of these, among questions of which that is expected. */
function share(outcomes: readonly Outcome[], expect?: Question['expect']): Value {
  return (question, { outcome }) =>
    expect !== undefined && question.expect !== expect ? null : Number(outcomes.includes(outcome));
}

const VALUES = {
  useful: share(['useful'], 'ANSWER'),
  wrong: share(['wrong', 'guessed']),
  silence: share(['needless silence'], 'ANSWER'),
  question: share(['needless question'], 'ANSWER'),
  falseAnswer: share(['false answer'], 'ABSTAIN'),
  askedBack: share(['asked back'], 'ASK'),
  verdict: (_, { verdict }) => (verdict === null ? null : Number(verdict)),
  f1: (_, { f1 }) => f1,
  recall: (_, { recall }) => recall,
  answered: (_, { words }) => (words === null ? 0 : 1),
} satisfies Record<string, Value>;

function figuresOf(rows: readonly Row[], contender: Contender, bootstrap: BootstrapOptions): Figures {
  const figure = (value: Value): Figure => {
    const items = rows.flatMap(({ question, judged }) => {
      const one = value(question, judged[contender]);
      return one === null ? [] : [{ group: question.group, value: one }];
    });
    if (items.length === 0) return { value: null, interval: null, of: 0 };
    const { mean, interval, n } = summarise(items, bootstrap);
    return { value: mean, interval, of: n };
  };
  const words = rows.flatMap(({ judged }) => judged[contender].words ?? []);
  const outcomes: Figures['outcomes'] = {};
  for (const outcome of OUTCOMES) {
    const count = rows.filter(({ judged }) => judged[contender].outcome === outcome).length;
    if (count > 0) outcomes[outcome] = count;
  }
  return {
    n: rows.length,
    useful: figure(VALUES.useful),
    wrong: figure(VALUES.wrong),
    silence: figure(VALUES.silence),
    question: figure(VALUES.question),
    falseAnswer: figure(VALUES.falseAnswer),
    askedBack: figure(VALUES.askedBack),
    verdict: figure(VALUES.verdict),
    f1: figure(VALUES.f1),
    recall: figure(VALUES.recall),
    answered: figure(VALUES.answered),
    words: {
      median: quantilesOf(words, [0.5])?.[0] ?? null,
      mean: words.length === 0 ? null : words.reduce((sum, count) => sum + count, 0) / words.length,
    },
    outcomes,
  };
}

function each<V>(of: (contender: Contender) => V): Record<Contender, V> {
  return Object.fromEntries(CONTENDERS.map((name) => [name, of(name)])) as Record<Contender, V>;
}
