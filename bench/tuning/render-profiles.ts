/** What a search of profiles found, as text. */
import { type AllocationProfile, BRANCHES, COUNTED_UNITS, documentsOf } from '../../profiles/index.ts';
import { asPage, type Layout, markdownTable, ms, share, table } from '../measure/table.ts';
import { type Expected, inWords } from '../parity/certificate.ts';
import type { Comparison, Test } from '../parity/compare.ts';
import type { HeldOut } from './held-out.ts';
import type { Found, Tally } from './search.ts';

export interface ProfilesReport extends Pick<Found, 'mix' | 'rungs' | 'by'> {
  development: { set: string; about: string; questions: number }[];
  trials: number;
  /** Those by act, and the baseline, that the search came to. */
  profiles: (Pick<AllocationProfile, 'act' | 'branches' | 'rerankDepth' | 'nliPairs' | 'contextTokens'> & {
    genreWeight: number;
  })[];
  heldOut: HeldOut[];
}

export function renderProfiles(report: ProfilesReport, layout: Layout = table): string {
  return [
    ...development(report, layout),
    '',
    '== What is tried on the sets left out: the best by act that was drawn, and the best baseline',
    layout(
      ['act', 'docs', ...BRANCHES, 'rerank', 'nli', 'tokens', 'genre weight'],
      report.profiles
        .filter(({ act }) => act !== 'NOT_A_QUESTION')
        .map(({ act, branches, rerankDepth, nliPairs, contextTokens, genreWeight }) => [
          act,
          ...[documentsOf({ branches }), ...BRANCHES.map((branch) => branches[branch])].map(String),
          ...[rerankDepth, nliPairs, contextTokens, genreWeight].map(String),
        ]),
    ),
    ...report.heldOut.flatMap((set) => ['', ...onSet(set, layout)]),
    '',
    'Brackets: 95 % by bootstrap over groups. Spent: means of one query over the mix; comparable: they lie within 5 % of each other,',
    'the interval of their difference within 10 %, in every unit and in milliseconds, and no query spent more than its cap. Holm:',
    'over all tests of the set. The baseline that was searched is granted, on each set, what makes it cost what the acts cost.',
  ].join('\n');
}

/** As part of a page. */
export function profilesMarkdown(report: ProfilesReport): string {
  return asPage(renderProfiles(report, markdownTable));
}

function development(
  { development: sets, trials, rungs, mix, by }: ProfilesReport,
  layout: Layout,
): string[] {
  const row = (name: string, { questions, mrr, spent }: Tally) => [
    name,
    String(questions),
    mrr.toFixed(4),
    ...COUNTED_UNITS.map((unit) => spent[unit].toFixed(1)),
  ];
  return [
    `== Searched on ${sets.map(({ set, questions }) => `${set} (${questions})`).join(', ')}: ${trials} trials of each policy, halved after ${rungs
      .map(({ questions }) => questions)
      .join(', ')} questions`,
    `Mix of acts: ${mix.map(({ act, share: part }) => `${act} ${share(part)}`).join(', ')}`,
    layout(
      ['on the questions of the search', 'n', 'MRR@10', ...COUNTED_UNITS],
      [
        row('uniform, as it ships', by.uniform.shipped),
        row('uniform, best that was drawn', by.uniform.drawn),
        row('by act, as it ships', by.act.shipped),
        row('by act, best that was drawn', by.act.drawn),
      ],
    ),
    `Better than what ships on these questions: ${by.act.kept ? 'nothing' : 'the best'} by act, ${by.uniform.kept ? 'nothing' : 'the best'} uniform.`,
    `Of the last rung, too dear: ${by.act.tooDear} by act, ${by.uniform.tooDear} uniform.`,
  ];
}

function onSet({ set, about, questions, matched, comparisons }: HeldOut, layout: Layout): string[] {
  const expected = comparisons.flatMap(({ verdict }) => verdict.expected ?? []);
  return [
    `== ${set}: ${about}; ${questions} questions`,
    ...(expected[0] === undefined
      ? []
      : [`Mix: ${mixOf(expected[0])}. Baseline: ${matched.documents} passages, depth ${matched.depth}.`]),
    spent(comparisons, layout),
    ...comparisons
      .filter(({ verdict }) => !verdict.comparable)
      .map(
        ({ a, b, verdict }) => `${a} less ${b}: NOT COMPARABLE: ${verdict.refusals.map(inWords).join('; ')}`,
      ),
    differences(comparisons, layout),
  ];
}

function mixOf({ mix }: Expected): string {
  return mix
    .toSorted((a, b) => b.n - a.n)
    .map(({ act, share: part, low, high }) => `${act} ${share(part)} [${share(low)}, ${share(high)}]`)
    .join(', ');
}

/** What two policies are expected to spend, and how far that may lie apart. */
function spent(comparisons: readonly Comparison[], layout: Layout): string {
  const rows = comparisons.flatMap(({ a, b, verdict: { expected } }) =>
    (expected?.spent ?? [])
      .filter((unit) => unit.a > 0 || unit.b > 0)
      .map(({ unit, n, a: ours, b: theirs, difference, low, high }) => [
        `${unit}, ${a} and ${b}`,
        String(n),
        ms(ours),
        ms(theirs),
        withBounds(difference, low, high, (value) => value.toFixed(1)),
      ]),
  );
  return layout(['spent', 'n', 'first', 'second', 'difference'], rows);
}

function differences(comparisons: readonly Comparison[], layout: Layout): string {
  const rows = comparisons.flatMap(({ a, b, tests }) =>
    tests.map(({ metric, n, unscored, a: ours, b: theirs, difference, interval, p, adjusted }: Test) => [
      `${metric}, ${a} less ${b}`,
      String(n - unscored),
      share(ours),
      share(theirs),
      withBounds(difference ?? 0, interval?.low ?? null, interval?.high ?? null, (value) => value.toFixed(4)),
      share(p),
      share(adjusted),
    ]),
  );
  return layout(['figure', 'n', 'first', 'second', 'difference', 'p', 'Holm'], rows);
}

function withBounds(
  value: number,
  low: number | null,
  high: number | null,
  digits: (value: number) => string,
): string {
  const signed = (one: number) => `${one < 0 ? '-' : '+'}${digits(Math.abs(one))}`;
  return low === null || high === null ? signed(value) : `${signed(value)} [${signed(low)}, ${signed(high)}]`;
}
