import type { Provider, Scorers } from '../../scorers/index.ts';
import { ms, table } from '../measure/table.ts';
import type { CheckRow } from './check.ts';
import { type FreshReport, VARIANTS } from './fresh-process.ts';
import { type Repeated, repeated, type SpeedRow } from './measure.ts';

export interface ScorersReport {
  schema: 'pragaura.bench-scorers/1';
  machine: string;
  set: string;
  threads: number;
  provider: Provider;
  models: Scorers['info']['models'];
  repetitions: number;
  speed: SpeedRow[];
  fresh: { variant: string; runs: FreshReport[] }[];
  check: CheckRow[];
}

const GOAL = 0.9;

const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
const spread = ({ median, low, high }: Repeated, show: (value: number) => string): string =>
  `${show(median)} [${show(low)}, ${show(high)}]`;
const percent = (value: number): string => (100 * value).toFixed(1);

export function renderSpeed({ speed, repetitions }: ScorersReport): string {
  if (speed.length === 0) return '';
  const rows = speed.map(({ job, bucket, items, sequences, meanTokens, ours, bare, share, cpuShare }) => [
    `${job}, ${bucket}`,
    String(items),
    String(sequences),
    meanTokens.toFixed(0),
    spread(ours, number),
    spread(bare, number),
    spread(share, percent),
    spread(cpuShare, percent),
  ]);
  const below = speed.filter(({ share }) => share.median < GOAL);
  return [
    `Items a second, in turns with bare sessions of the same graph in as many threads; middle and range of ${repetitions}.`,
    "Word pieces: of an item (left), of a sequence (mean). By CPU time: of the bare runtime, as a share of the product's.",
    '',
    table(
      [
        'job, word pieces',
        'items',
        'sequences',
        'mean',
        'product',
        'bare runtime',
        '% of the ceiling',
        '% by CPU time',
      ],
      rows,
    ),
    '',
    below.length === 0
      ? `At least ${percent(GOAL)} % of the ceiling in every row.`
      : `Below ${percent(GOAL)} %: ${below.map(({ job, bucket }) => `${job}, ${bucket}`).join('; ')}.`,
  ].join('\n');
}

export function renderFresh({ fresh, threads }: ScorersReport): string {
  if (fresh.length === 0) return '';
  const rows = fresh.map(({ variant, runs }) => {
    const of = (pick: (run: (typeof runs)[number]) => number) => repeated(runs.map(pick));
    return [
      `${variant}: ${VARIANTS[variant]!.about}`,
      spread(
        of((run) => run.openMs),
        ms,
      ),
      spread(
        of((run) => run.opened - run.before),
        number,
      ),
      spread(
        of((run) => run.scored - run.before),
        number,
      ),
      of((run) => run.peak).median.toFixed(0),
      spread(
        of((run) => run.rate),
        number,
      ),
    ];
  });
  return [
    `Fresh processes with ${threads} threads, in turns; middle and range. MiB resident more than before opening, and`,
    'peak of the whole process. Items a second: re-ranking, all lengths.',
    '',
    table(['sessions', 'ms to open', 'MiB opened', 'MiB after scoring', 'MiB peak', 'items a second'], rows),
  ].join('\n');
}

export function renderChecks({ check }: ScorersReport): string {
  if (check.length === 0) return '';
  const rows = check.map(({ job, way, threads, scores, different }) => [
    `${job}: ${way}`,
    String(threads),
    String(scores),
    String(different),
  ]);
  const different = check.reduce((sum, row) => sum + row.different, 0);
  const all = check.reduce((sum, row) => sum + row.scores, 0);
  return [
    'The same items in other company, against one call with all of them: results that differ in any bit.',
    '',
    table(['job: way', 'threads', 'results', 'different'], rows),
    '',
    `${different} of ${all} results differ.`,
  ].join('\n');
}
