/** From what was measured to everything that is reported. Pure. */
import type {
  BootstrapOptions,
  Level,
  Observation,
  SplitName,
  SplitReport,
  Summary,
} from '../../calibration/index.ts';
import { summarise } from '../../calibration/index.ts';
import { type Arm, COMPARISONS } from './arms.ts';
import {
  CERTIFIED_UNITS,
  type Certificate,
  type CertifiedUnit,
  spentOf,
  type Verdict,
} from './certificate.ts';
import { adjust, type Comparison, type Metric, metricsFor, testsOfAreas, testsOfMeans } from './compare.ts';
import { type Contender, Field, nameOf, type Observed, type Standing } from './contenders.ts';
import { PAPER_ROWS, printedFor } from './paper.ts';

const act = (score: Contender['score'], tau: Contender['tau'] = 'global tau'): Contender => ({
  arm: 'act',
  score,
  tau,
});
const BASE = act('formula');
const SAMPLED = 'learned, with samples';
const PER_ACT = 'tau per act, equal coverage';

/** Pairs of ways of deciding, the first less the second. */
const DECISIONS: readonly (readonly [Contender, Contender])[] = [
  [act('without C'), BASE],
  [act('without D'), BASE],
  [act('without E'), BASE],
  [act('learned'), BASE],
  // Where a language model was asked.
  [act(SAMPLED), act('learned')],
  [act(SAMPLED), { ...act(SAMPLED), arm: 'uniform' }],
  [act('formula', PER_ACT), BASE],
  [act('formula', 'tau per act, equal risk'), BASE],
  [{ ...BASE, arm: 'act-noise', tau: PER_ACT }, act('formula', PER_ACT)],
  ...(
    [
      ['act', 'uniform'],
      ['act-55', 'uniform-55'],
      ['act-55', 'uniform-40'],
    ] as const
  ).map(([a, b]): [Contender, Contender] => [
    { ...BASE, arm: a, tau: PER_ACT },
    { ...BASE, arm: b },
  ]),
];

export interface ArmReport {
  name: string;
  about: string;
  part: Arm['part'];
  failed: number;
  /** Means of what one question spent; null when nothing was measured. */
  spent: Record<CertifiedUnit, number> | null;
  /** Over all questions. */
  figures: Record<string, Summary>;
}

/** What the paper's unequal budgets are worth in one figure: `total` = `budget` + `policy`. */
export interface Worth {
  metric: string;
  /** `all` questions, or those of the `test` split, on which nothing was fitted. */
  over: 'all' | 'test';
  total: number;
  budget: number;
  policy: number;
}

export interface SetReport {
  set: string;
  about: string;
  questions: number;
  split: SplitReport;
  coverage: string;
  arms: ArmReport[];
  allocation: Comparison[];
  standings: Omit<Standing, 'items'>[];
  decision: Comparison[];
  worth: Worth[];
  paper: { settings: string; standing: Omit<Standing, 'items'> }[];
  printed: ReturnType<typeof printedFor>;
  remarks: string[];
}

export interface Assembled {
  set: { name: string; about: string };
  /** The same questions for every arm, in the same order. */
  arms: readonly { arm: Arm; observations: readonly Observation[] }[];
  splitOf: ReadonlyMap<string, SplitName>;
  split: SplitReport;
  certificate: Certificate;
  level: Level;
  coverage: number;
  /** Default: 10,000 resamples for differences, 1,000 for single figures. */
  bootstrap?: BootstrapOptions;
}

export function assemble(input: Assembled): SetReport {
  const { arms, certificate, coverage, bootstrap } = input;
  const all = new Map(arms.map(({ arm, observations }) => [arm.name, observations]));
  const bySplit = new Map([...all].map(([name, list]) => [name, divided(list, input.splitOf)]));
  const metrics = metricsFor(arms[0]?.observations ?? []);
  const field = new Field(bySplit, input.level, coverage, bootstrap ?? {});
  const standings = new Map<string, Standing>();
  const standing = (contender: Contender): Standing | null => {
    const known = standings.get(nameOf(contender)) ?? field.standing(contender);
    if (known !== null) standings.set(nameOf(contender), known);
    return known;
  };
  for (const { arm } of arms) standing({ ...BASE, arm: arm.name });
  const verdict = (a: string, b: string) => verdictOn(certificate, a, b);

  const allocation = COMPARISONS.filter(([a, b]) => all.has(a) && all.has(b)).map(([a, b]): Comparison => {
    const judged = verdict(a, b);
    if (!judged.comparable) return { a, b, verdict: judged, tests: [] };
    const [ours, theirs] = [standing({ ...BASE, arm: a }), standing({ ...BASE, arm: b })];
    const areas =
      ours === null || theirs === null ? [] : testsOfAreas(ours.items, theirs.items, coverage, bootstrap);
    return {
      a,
      b,
      verdict: judged,
      tests: [...testsOfMeans(all.get(a)!, all.get(b)!, metrics, bootstrap), ...areas],
    };
  });
  const decision = DECISIONS.flatMap(([a, b]): Comparison[] => {
    const [ours, theirs] = [standing(a), standing(b)];
    if (ours === null || theirs === null) return [];
    const judged = a.arm === b.arm ? sameArm(a.arm) : verdict(a.arm, b.arm);
    const tests = judged.comparable ? testsOfAreas(ours.items, theirs.items, coverage, bootstrap) : [];
    return [{ a: nameOf(a), b: nameOf(b), verdict: judged, tests }];
  });
  const paper = PAPER_ROWS.flatMap(({ settings, contender }) => {
    const found = standing(contender);
    return found === null ? [] : [{ settings, standing: without(found) }];
  });
  const reports = arms.map(({ arm, observations }) => armReport(arm, observations, metrics));
  return {
    set: input.set.name,
    about: input.set.about,
    questions: arms[0]?.observations.length ?? 0,
    split: input.split,
    coverage: input.level.text,
    arms: reports,
    allocation: adjust(allocation),
    standings: [...standings.values()].map(without),
    decision: adjust(decision),
    worth: worthOf(reports, standings),
    paper,
    printed: printedFor(input.set.name),
    remarks: [...input.split.remarks, ...fewGroups(input.split), ...field.remarks],
  };
}

/** With so many groups a percentile interval by group is about as wide as it should be. */
const ENOUGH_GROUPS = 20;

function fewGroups({ splits: { test } }: SplitReport): string[] {
  if (test.examples === 0 || test.groups >= ENOUGH_GROUPS) return [];
  return [
    `The test split has ${test.groups} groups: intervals by group are rough and rather too narrow, p-values rather too small.`,
  ];
}

/** The pairs of arms that a certificate over these arms has to judge. */
export function pairsToJudge(arms: readonly string[]): [string, string][] {
  const pairs = [...COMPARISONS, ...DECISIONS.map(([a, b]) => [a.arm, b.arm] as const)];
  const wanted = pairs.filter(([a, b]) => a !== b && arms.includes(a) && arms.includes(b));
  return [...new Map(wanted.map(([a, b]) => [`${a} ${b}`, [a, b] as [string, string]])).values()];
}

function divided(list: readonly Observation[], splitOf: ReadonlyMap<string, SplitName>): Observed {
  const of = (name: SplitName) => list.filter(({ example }) => splitOf.get(example.id) === name);
  return { tune: of('tune'), calibrate: of('calibrate'), test: of('test') };
}

/** What the certificate says; it was asked for every pair that is compared. */
function verdictOn({ comparisons }: Certificate, a: string, b: string): Verdict {
  return comparisons.find((verdict) => verdict.a === a && verdict.b === b)!;
}

/** Two ways of deciding on the same measurements spent the same by construction. */
function sameArm(arm: string): Verdict {
  return { a: arm, b: arm, parity: 'each', expected: null, comparable: true, refusals: [] };
}

function without({ items: _, ...rest }: Standing): Omit<Standing, 'items'> {
  return rest;
}

function armReport(arm: Arm, observations: readonly Observation[], metrics: readonly Metric[]): ArmReport {
  const decided = observations.filter(({ receipt }) => receipt !== null);
  const mean = (unit: CertifiedUnit) =>
    decided.reduce((sum, { receipt, opinion }) => sum + spentOf(receipt!, opinion)[unit], 0) / decided.length;
  return {
    name: arm.name,
    about: arm.about,
    part: arm.part,
    failed: observations.filter(({ error }) => error !== null).length,
    spent:
      decided.length === 0
        ? null
        : (Object.fromEntries(CERTIFIED_UNITS.map((unit) => [unit, mean(unit)])) as ArmReport['spent']),
    figures: Object.fromEntries(
      metrics.map(({ name, of }) => [
        name,
        summarise(observations.map((seen) => ({ group: seen.example.group, value: of(seen) }))),
      ]),
    ),
  };
}

/** The paper's comparison taken apart; empty unless all three arms were run. */
function worthOf(arms: readonly ArmReport[], standings: ReadonlyMap<string, Standing>): Worth[] {
  const names = ['uniform-40', 'uniform-55', 'act-55'] as const;
  const values = (of: (name: string) => number | null | undefined) => names.map(of);
  const figure = (metric: string) => (name: string) =>
    arms.find((arm) => arm.name === name)?.figures[metric]?.mean;
  const area = (metric: 'AURC' | 'EM' | 'F1', tau: Contender['tau']) => (name: string) =>
    standings.get(nameOf({ ...BASE, arm: name, tau }))?.areas?.[metric].value;
  type Row = { metric: string; over: Worth['over']; of: (number | null | undefined)[] };
  const rows: Row[] = [
    ...['R@10', 'EM', 'F1'].map((metric): Row => ({ metric, over: 'all', of: values(figure(metric)) })),
    ...(['global tau', PER_ACT] as const).flatMap((tau) =>
      (['EM', 'F1', 'AURC'] as const).map(
        (name): Row => ({
          metric: `${name === 'AURC' ? name : `${name} at coverage`}, ${tau}`,
          over: 'test',
          of: values(area(name, tau)),
        }),
      ),
    ),
  ];
  return rows.flatMap(({ metric, over, of: [base, larger, ours] }) =>
    base == null || larger == null || ours == null
      ? []
      : [{ metric, over, total: ours - base, budget: larger - base, policy: ours - larger }],
  );
}
