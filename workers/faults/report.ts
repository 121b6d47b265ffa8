import { table } from '../../common/index.ts';
import type { ScenarioOutcome } from './scenarios.ts';

/** What one kind of fault did. Counts over all its jobs. */
export interface FaultReport {
  fault: string;
  jobs: number;
  /** How often it struck while work was under way. */
  struck: number;
  lost: number;
  duplicated: number;
  foreign: number;
  differing: number;
  /** A few of the ids that are not as they should be. */
  examples: string[];
  /** Results that Redis holds beyond one for each job. */
  writtenTwice: number;
  /** Jobs that workers took up more than once: how hard it struck. */
  ranAgain: number;
  /** Milliseconds after each strike until what was in hand then was done; null: it never was. */
  recoveredMs: (number | null)[];
  seconds: number;
  /** Why the run could not go on to its end; null: it could. */
  broke: string | null;
}

const EXAMPLES = 5;

export function reportOf(
  fault: string,
  { jobs, struck, recoveredMs, verdicts }: ScenarioOutcome,
  { writtenTwice, seconds }: Pick<FaultReport, 'writtenTwice' | 'seconds'>,
): FaultReport {
  const all = (name: 'lost' | 'duplicated' | 'foreign' | 'differing') =>
    verdicts.flatMap((verdict) => verdict[name]);
  const names = ['lost', 'duplicated', 'foreign', 'differing'] as const;
  return {
    fault,
    jobs,
    struck,
    lost: all('lost').length,
    duplicated: all('duplicated').length,
    foreign: all('foreign').length,
    differing: all('differing').length,
    examples: names.flatMap((name) =>
      all(name)
        .slice(0, EXAMPLES)
        .map((id) => `${name}: ${id}`),
    ),
    writtenTwice,
    ranAgain: verdicts.reduce((sum, { ranAgain }) => sum + ranAgain, 0),
    recoveredMs,
    seconds,
    broke: null,
  };
}

/** A run that ended in the middle. */
export function brokenReport(fault: string, seconds: number, why: unknown): FaultReport {
  const outcome = { jobs: 0, struck: 0, recoveredMs: [], verdicts: [] };
  const broke = why instanceof Error ? (why.stack ?? why.message) : String(why);
  return { ...reportOf(fault, outcome, { writtenTwice: 0, seconds }), broke };
}

/** Whether nothing was lost, doubled, invented or changed, the fault struck at all, and everything recovered. */
export function holds(report: FaultReport): boolean {
  const { lost, duplicated, foreign, differing, writtenTwice, struck, recoveredMs } = report;
  const exact = lost + duplicated + foreign + differing === 0 && writtenTwice === 0;
  return exact && struck > 0 && recoveredMs.every((ms) => ms !== null);
}

export function renderFaults(reports: readonly FaultReport[]): string {
  const rows = reports.map((report) => [
    holds(report) ? 'OK' : 'FAIL',
    report.fault,
    String(report.struck),
    String(report.jobs),
    String(report.lost),
    String(report.duplicated + report.writtenTwice),
    String(report.foreign),
    String(report.differing),
    String(report.ranAgain),
    recovered(report.recoveredMs),
    report.seconds.toFixed(0),
  ]);
  const sum = (of: (report: FaultReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  return [
    table(
      [
        '',
        'fault',
        'struck',
        'jobs',
        'lost',
        'twice',
        'foreign',
        'other bytes',
        'ran again',
        'recovered s',
        's',
      ],
      rows,
    ),
    '',
    `${sum(({ jobs }) => jobs)} jobs, ${sum(({ struck }) => struck)} strikes: ${sum(({ lost }) => lost)} lost, ` +
      `${sum(({ duplicated, writtenTwice }) => duplicated + writtenTwice)} twice, ${sum(({ differing }) => differing)} with other bytes than route gives.`,
    ...reports.flatMap(({ fault, examples, broke }) =>
      [...examples, ...(broke === null ? [] : [broke])].map((line) => `${fault}: ${line}`),
    ),
  ].join('\n');
}

/** Median and worst. */
function recovered(recoveredMs: readonly (number | null)[]): string {
  if (recoveredMs.length === 0) return '–';
  if (recoveredMs.some((ms) => ms === null)) return 'never';
  const sorted = (recoveredMs as number[]).toSorted((a, b) => a - b);
  const seconds = (ms: number) => (ms / 1_000).toFixed(2);
  return `${seconds(sorted[Math.floor(sorted.length / 2)]!)}, at most ${seconds(sorted.at(-1)!)}`;
}
