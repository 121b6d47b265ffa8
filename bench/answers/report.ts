import {
  answerF1,
  augrc,
  aurc,
  bootstrapInterval,
  exactMatch,
  excessAurc,
  grouped,
  type Interval,
  riskAtCoverage,
  riskCoverage,
  type SelectiveItem,
  type Summary,
  summarise,
} from '../../calibration/index.ts';
import type { Dataset } from '../datasets/types.ts';
import { share, table, withInterval } from '../measure/table.ts';

/** What is kept of one question. A question whose decision failed has an `error` and nothing else. */
export interface AnswerResult {
  id: string;
  error?: string;
  action?: string;
  reason?: string | null;
  act?: string;
  confident?: boolean;
  /** The answer given, null unless the action is ANSWER. */
  answer?: string | null;
  /** The best extractive answer whatever the decision; null when no passage held one. */
  candidate?: string | null;
  U?: number | null;
  /** Whether the gold document was among the passages that the reader saw. */
  goldRead?: boolean;
}

interface Figure {
  value: number | null;
  interval: Interval | null;
}

export interface AnswersReport {
  set: string;
  about: string;
  questions: number;
  failed: number;
  withoutCandidate: number;
  goldRead: Summary;
  full: { em: Summary; f1: Summary };
  /** At 80 % coverage by U: the least uncertain. */
  covered: { answered: number; threshold: number | null; tied: number; em: Figure; f1: Figure };
  areas: Record<'AURC' | 'E-AURC' | 'AUGRC', Figure>;
  /** Risk (1 - EM) when the least uncertain 5 %, 10 %, … are answered. */
  curve: { coverage: number; risk: number }[];
  actions: Record<string, number>;
  reasons: Record<string, number>;
  given: { em: Summary; f1: Summary } | null;
  /** Of the questions not answered: how often the candidate would have been right. */
  withheld: Summary | null;
  acts: Record<string, number>;
}

const COVERAGE = 0.8;

interface Scored {
  group: string;
  em: number;
  f1: number;
  U: number | null;
}

/** Everything that the results say. A question without a candidate has EM and F1 0; one that failed is unscored. */
export function reportOn(dataset: Dataset, results: readonly AnswerResult[]): AnswersReport {
  const questions = new Map(dataset.queries.map((query) => [query.id, query]));
  const of = (result: AnswerResult) => questions.get(result.id)!;
  const summary = (chosen: readonly AnswerResult[], value: (result: AnswerResult) => number | null) =>
    summarise(chosen.map((r) => ({ group: of(r).group, value: r.error === undefined ? value(r) : null })));
  const em = (text: string | null | undefined, result: AnswerResult) =>
    exactMatch(text ?? '', of(result).answers);
  const f1 = (text: string | null | undefined, result: AnswerResult) =>
    answerF1(text ?? '', of(result).answers);

  const sound = results.filter(({ error }) => error === undefined);
  const scored: Scored[] = sound.map((result) => ({
    group: of(result).group,
    em: em(result.candidate, result) ?? 0,
    f1: f1(result.candidate, result) ?? 0,
    U: result.U ?? null,
  }));
  const groups = grouped(scored, ({ group }) => group);
  const figure = (statistic: (items: readonly Scored[]) => number | null): Figure => ({
    value: statistic(scored),
    interval: bootstrapInterval(groups, statistic),
  });
  const kept = (score: 'em' | 'f1') => (items: readonly Scored[]) => {
    const point = riskAtCoverage(
      items.map((item) => ({ uncertainty: item.U, loss: 1 - item[score] })),
      COVERAGE,
    );
    return point === null ? null : 1 - point.risk;
  };
  const wrong = (items: readonly Scored[]): SelectiveItem[] =>
    items.map((item) => ({ uncertainty: item.U, loss: 1 - item.em }));
  const answered = sound.filter(({ action }) => action === 'ANSWER');
  const withheld = sound.filter(({ action }) => action !== 'ANSWER');
  const point = riskAtCoverage(wrong(scored), COVERAGE);
  return {
    set: dataset.name,
    about: dataset.about,
    questions: results.length,
    failed: results.length - sound.length,
    withoutCandidate: sound.filter(({ candidate }) => candidate === null).length,
    goldRead: summary(results, ({ goldRead }) => (goldRead ? 1 : 0)),
    full: {
      em: summary(results, (result) => em(result.candidate, result)),
      f1: summary(results, (result) => f1(result.candidate, result)),
    },
    covered: {
      answered: point?.answered ?? 0,
      threshold: point?.threshold ?? null,
      tied: point?.tied ?? 0,
      em: figure(kept('em')),
      f1: figure(kept('f1')),
    },
    areas: {
      AURC: figure((items) => aurc(wrong(items))),
      'E-AURC': figure((items) => excessAurc(wrong(items))),
      AUGRC: figure((items) => augrc(wrong(items))),
    },
    curve: everyTwentieth(riskCoverage(wrong(scored))),
    actions: count(sound.map(({ action }) => action!)),
    reasons: count(withheld.map(({ reason }) => reason ?? 'none')),
    given:
      answered.length === 0
        ? null
        : {
            em: summary(answered, (result) => em(result.answer, result)),
            f1: summary(answered, (result) => f1(result.answer, result)),
          },
    withheld: withheld.length === 0 ? null : summary(withheld, (result) => em(result.candidate, result)),
    acts: count(sound.map(({ act, confident }) => (confident ? act! : `${act} (unsure)`))),
  };
}

function everyTwentieth(curve: ReturnType<typeof riskCoverage>): AnswersReport['curve'] {
  const places = Array.from({ length: 20 }, (_, i) => Math.ceil(((i + 1) * curve.length) / 20) - 1);
  return [...new Set(places)].flatMap((place) => {
    const point = curve[place];
    return point === undefined ? [] : [{ coverage: point.coverage, risk: point.risk }];
  });
}

function count(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]));
}

/** The report as text. */
export function render(report: AnswersReport): string {
  const n = report.questions;
  const mean = (summary: Summary) => withInterval(summary.mean, summary.interval);
  const of = ({ value, interval }: Figure) => withInterval(value, interval);
  const { covered, areas, given, withheld } = report;
  const rows: string[][] = [
    ['best candidate, all questions', String(report.full.em.n), mean(report.full.em), mean(report.full.f1)],
    [
      `best candidate, least uncertain ${COVERAGE * 100} %`,
      String(covered.answered),
      of(covered.em),
      of(covered.f1),
    ],
  ];
  if (given !== null) rows.push(['decision ANSWER', String(given.em.n), mean(given.em), mean(given.f1)]);
  if (withheld !== null)
    rows.push(['candidate of the others (right, had it been given)', String(withheld.n), mean(withheld), '']);
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, k]) => `${name} ${k} (${share(k / n)})`)
      .join(', ');
  return [
    `== ${report.set}: ${report.about}; whole index, ${n} questions, ${report.full.em.groups} groups`,
    '',
    table(['', 'n', 'EM', 'F1'], rows),
    '',
    `AURC ${of(areas.AURC)}, E-AURC ${of(areas['E-AURC'])}, AUGRC ${of(areas.AUGRC)} (loss 1 - EM, by U)`,
    `U at that coverage: ${covered.threshold?.toFixed(4) ?? 'none'}, ${covered.tied} questions have exactly that`,
    `risk at coverage: ${report.curve
      .filter((_, place) => place % 2 === 1)
      .map(({ coverage, risk }) => `${share(coverage)} ${share(risk)}`)
      .join(', ')}`,
    `actions: ${list(report.actions)}`,
    `why not answered: ${list(report.reasons)}`,
    `acts: ${list(report.acts)}`,
    `gold document among those read: ${mean(report.goldRead)}; without candidate: ${report.withoutCandidate}; failed: ${report.failed}`,
    '95 % intervals: percentile bootstrap by group, 1,000 resamples.',
  ].join('\n');
}
