/** Whether what conformal factuality promises is kept on documents left out, and how much it keeps. */
import {
  fitFactuality,
  grouped,
  type Interval,
  type MeasuredAnswer,
  parseLevel,
  quantilesOf,
  realisedFactuality,
} from '../../calibration/index.ts';
import { seededRandom, shuffled } from '../../common/index.ts';
import { VERIFY_THRESHOLDS } from '../../generation/index.ts';
import { type Layout, share, table, withInterval } from '../measure/table.ts';
import type { JudgedRow, VerifySet } from './sets.ts';

/** Random divisions of a set. */
const HALVES = 200;

const FACTUALITY_LEVELS = ['0.05', '0.1', '0.2'] as const;

export interface FactualityRow {
  set: VerifySet;
  level: string;
  /** Documents, each an answer whose claims are those of the set on it. */
  documents: number;
  /**
   * Documents of which all that is kept is borne out, where the threshold was set on the other half: the mean over
   * `HALVES` divisions, and the least and most of nine in ten of them.
   */
  whole: { value: number; interval: Interval };
  /** Over all halves: of the claims that are borne out, those kept; of the kept ones, those that are not. Null: none is. */
  kept: number | null;
  keptWrong: number | null;
  /** The same figures at the threshold that ships, of which nothing is promised. */
  asShipped: { whole: number; kept: number | null; keptWrong: number | null };
  /** Documents of which all is borne out, with the threshold set on the other sets: no promise is about that. */
  wholeByOtherSets: number | null;
}

/** The rows of a set as answers: all claims about one document are one. */
function answersOf(rows: readonly JudgedRow[]): MeasuredAnswer[] {
  return grouped(rows, ({ group }) => group).map((sentences) => ({
    act: null,
    group: sentences[0]!.group,
    sentences,
  }));
}

/** A row a set and level. Pure. */
export function factualityRows(judged: ReadonlyMap<VerifySet, readonly JudgedRow[]>): FactualityRow[] {
  const sets = [...judged].map(([set, rows]) => ({ set, answers: answersOf(rows) }));
  return sets.flatMap(({ set, answers }) =>
    FACTUALITY_LEVELS.map((level): FactualityRow => {
      const thresholdOn = (own: readonly MeasuredAnswer[]) =>
        fitFactuality(own, { level: parseLevel(level), scope: 'global', exchangeable: 'documents' }).global
          .coverage!.tau;
      const random = seededRandom(1);
      const halves = Array.from({ length: HALVES }, () => {
        const drawn = shuffled(answers, random);
        const middle = Math.ceil(drawn.length / 2);
        const [own, other] = [drawn.slice(0, middle), drawn.slice(middle)];
        return realisedFactuality(other, thresholdOn(own));
      });
      const wholes = halves.map(({ whole }) => whole.value!);
      const [low, high] = quantilesOf(wholes, [0.05, 0.95])!;
      const sumOf = (of: (half: (typeof halves)[number]) => number) =>
        halves.reduce((sum, half) => sum + of(half), 0);
      const [keptWrong, kept] = [sumOf((half) => half.keptWrong.k), sumOf((half) => half.keptWrong.of)];
      const others = sets.filter((one) => one.set !== set).flatMap((one) => one.answers);
      return {
        set,
        level,
        documents: answers.length,
        whole: { value: sumOf(({ whole }) => whole.value!) / HALVES, interval: { low: low!, high: high! } },
        kept: sumOf((half) => half.kept.k) / sumOf((half) => half.kept.of),
        keptWrong: kept === 0 ? null : keptWrong / kept,
        asShipped: shipped(answers),
        wholeByOtherSets:
          others.length === 0 ? null : realisedFactuality(answers, thresholdOn(others)).whole.value,
      };
    }),
  );
}

function shipped(answers: readonly MeasuredAnswer[]): FactualityRow['asShipped'] {
  // As `verify` keeps them without a calibration: what lies at the threshold stays.
  const { whole, kept, keptWrong } = realisedFactuality(
    answers,
    VERIFY_THRESHOLDS.supported - Number.EPSILON,
  );
  return { whole: whole.value!, kept: kept.value, keptWrong: keptWrong.value };
}

export function renderFactuality(rows: readonly FactualityRow[], layout: Layout = table): string {
  const shown = (value: number | null) => (value === null ? '–' : share(value));
  return [
    `conformal factuality: thresholds set on half of the documents of a set, held to the other half, ${HALVES} times (mean, and between what nine in ten lie); all claims on a document are one answer`,
    layout(
      [
        'set',
        'documents',
        'promised',
        'all kept borne out',
        'kept of what is',
        'kept, and is not',
        'shipped threshold: all borne out',
        'kept',
        'and is not',
        'threshold of other sets: all borne out',
      ],
      rows.map((row) => [
        row.set,
        String(row.documents),
        (1 - Number(row.level)).toFixed(2),
        withInterval(row.whole.value, row.whole.interval),
        shown(row.kept),
        shown(row.keptWrong),
        shown(row.asShipped.whole),
        shown(row.asShipped.kept),
        shown(row.asShipped.keptWrong),
        shown(row.wholeByOtherSets),
      ]),
    ),
  ].join('\n');
}
