import type { Router } from '../../router/index.ts';
import { ms, share, table, withInterval } from '../measure/table.ts';
import { COVERAGE, type Difference, type ReaderFigures } from './figures.ts';

export interface ModelsReport {
  schema: 'pragaura.bench-models/1';
  machine: string;
  set: string;
  about: string;
  titles: boolean;
  questions: number;
  /** Groups of questions (articles, documents), which are drawn together for intervals. */
  groups: number;
  threads: number;
  readers: {
    label: string;
    /** How many passages are read of those that the lower half has ranked; null for a reader that is whole. */
    keep: number | null;
    versions: Router['versions'];
    figures: ReaderFigures;
  }[];
  /** Each further reader less the first one. */
  differences: (Difference & { reader: string; first: string })[];
}

type Line = [name: string, of: (figures: ReaderFigures) => string, contrast?: keyof Difference['contrasts']];

/** Means of counts: a tenth is as much as they say. */
const tenth = (value: number | null): string => (value === null ? '–' : value.toFixed(1));

const LINES: readonly Line[] = [
  ['ms of a decision, p50', (figures) => ms(figures.ms.p50)],
  ['ms of a decision, p95', (figures) => ms(figures.ms.p95)],
  ['ms of a decision, mean', (figures) => ms(figures.means.ms), 'ms'],
  ['ms of judge, p50', (figures) => ms(figures.ms.judge)],
  ['ms of nli, p50', (figures) => ms(figures.ms.nli)],
  ['rerank pairs', (figures) => tenth(figures.spent.rerankPairs)],
  ['passages read in full', (figures) => tenth(figures.spent.read)],
  ['context tokens', (figures) => tenth(figures.spent.contextTokens)],
  ['entailment pairs', (figures) => tenth(figures.spent.nliPairs)],
  ['R@1', (figures) => share(figures.means['R@1']), 'R@1'],
  ['R@10', (figures) => share(figures.means['R@10']), 'R@10'],
  ['EM, all questions', (figures) => share(figures.means.EM), 'EM'],
  ['F1, all questions', (figures) => share(figures.means.F1), 'F1'],
  ['AURC, loss 1 - EM', (figures) => share(figures.aurc), 'AURC'],
  [`EM at ${COVERAGE} coverage`, (figures) => share(figures.emAtCoverage)],
  ['D', (figures) => share(figures.means.D), 'D'],
  ['C', (figures) => share(figures.means.C), 'C'],
  ['E', (figures) => share(figures.means.E), 'E'],
  ['without D, C, E', ({ nulls }) => [nulls.D, nulls.C, nulls.E].map((count) => String(count)).join(', ')],
  ['answered', (figures) => share(figures.answered)],
];

/** The report in words and one table: a column a reader, and one for each further reader less the first. */
export function renderModels(report: ModelsReport): string {
  const { about, questions, groups, threads, readers, differences, machine } = report;
  const further = differences.map((_, i) => `${i + 2} less 1`);
  return [
    `${about}; ${questions} queries of ${groups} groups, one at a time, readers in turns, ${threads} threads`,
    ...readers.map(
      ({ label, keep }, i) =>
        `${i + 1}: ${label} (${keep === null ? 'whole' : `in halves, the best ${keep} are read`})`,
    ),
    '',
    table(
      ['', ...readers.map((_, i) => String(i + 1)), ...further],
      LINES.map(([name, of, contrast]) => [
        name,
        ...readers.map(({ figures }) => of(figures)),
        ...(contrast === undefined
          ? []
          : differences.map(({ contrasts: { [contrast]: one } }) =>
              withInterval(one.difference, one.interval, contrast === 'ms' ? tenth : share),
            )),
      ]),
    ),
    '',
    ...differences.map(
      ({ otherAnswers, otherActions }, i) =>
        `${i + 2} beside 1: another best answer ${share(otherAnswers)}, another action ${share(otherActions)} of the queries`,
    ),
    'Differences: means over queries that both have a value for, 95 % paired bootstrap by group.',
    machine,
  ].join('\n');
}
