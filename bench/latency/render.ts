import { quantile } from '../../calibration/index.ts';
import type { LatencySummary } from '../measure/latencies.ts';
import { type Layout, ms, table } from '../measure/table.ts';
import type { Distribution } from './act-latencies.ts';
import type { QueriesReport } from './measure-queries.ts';
import type { RateReport } from './measure-rate.ts';
import type { ARRIVALS } from './schedule.ts';

/** One kind of arrivals, rate by rate; `knee` is the last one that was held, null when not even the lowest was. */
export interface Sweep {
  rates: (RateReport & { held: boolean })[];
  knee: number | null;
}

export interface LatencyReport {
  schema: 'pragaura.bench-latency/1';
  machine: string;
  set: string;
  about: string;
  window: number;
  threads: number | undefined;
  /** Queries a second with the window always full: nothing about how long anybody waits. */
  capacity: number;
  responseFactor: number;
  sweeps: { arrivals: (typeof ARRIVALS)[number]; sweep: Sweep }[];
}

export interface QueryRecord {
  schema: 'pragaura.bench-query/1';
  machine: string;
  set: string;
  about: string;
  report: QueriesReport;
  /** Milliseconds to the first byte, in order. */
  startUp: { help: readonly number[]; ask: readonly number[] };
}

/** The report in words and tables. */
export function renderLatency(report: LatencyReport, layout: Layout = table): string {
  const { about, window, capacity, responseFactor, sweeps, machine } = report;
  return [
    `${about}; one process, window ${window}, open loop`,
    `${capacity.toFixed(2)} queries/s with the window always full`,
    ...sweeps.flatMap(({ arrivals, sweep }) => [
      '',
      `${arrivals} arrivals; response from the intended start, service from being taken up`,
      ratesOf(sweep, layout),
      kneeOf(sweep, responseFactor),
      ...detailsAt(sweep, layout),
    ]),
    '',
    machine,
  ].join('\n');
}

function ratesOf({ rates }: Sweep, layout: Layout): string {
  return layout(
    [
      'queries/s',
      'achieved',
      'n',
      'failed',
      'service p50',
      'p95',
      'p99',
      'response p50',
      'p95',
      'p99',
      'max',
      'most waiting',
      'loop delay p99',
      'held',
    ],
    rates.map(({ rate, achieved, n, failed, all: { service, response }, mostWaiting, loop, held }) => [
      rate.toFixed(2),
      achieved.toFixed(2),
      String(n),
      String(failed),
      ...[service.p50, service.p95, service.p99].map(ms),
      ...[response.p50, response.p95, response.p99, response.max].map(ms),
      String(mostWaiting),
      ms(loop.p99),
      held ? 'yes' : 'no',
    ]),
  );
}

function kneeOf({ rates, knee }: Sweep, factor: number): string {
  const rule = `(response p95 within ${factor} times the best of the sweep, nothing failed)`;
  if (knee === null) return `knee: below ${rates[0]?.rate.toFixed(2)} queries/s ${rule}`;
  const past = rates.some(({ held }) => !held);
  return `knee: ${past ? '' : 'at least '}${knee.toFixed(2)} queries/s ${rule}`;
}

/** By act and by stage, at the knee. */
function detailsAt({ rates, knee }: Sweep, layout: Layout): string[] {
  const at = rates.find(({ rate }) => rate === knee);
  if (at === undefined) return [];
  const row = (name: string, { n, p50, p95, p99, max }: Distribution) => [
    name,
    String(n),
    ...[p50, p95, p99, max].map(ms),
  ];
  return [
    '',
    layout(
      ['at the knee, ms', 'n', 'p50', 'p95', 'p99', 'max'],
      [
        ...Object.entries(at.acts).flatMap(([act, { service, response }]) => [
          row(`${act}: service`, service),
          row(`${act}: response`, response),
        ]),
        ...Object.entries(at.all.stages).map(([stage, own]) => row(`stage ${stage}`, own)),
      ],
    ),
  ];
}

/** One query and start-up, in words and a table. */
export function renderQueries(
  { about, report, startUp: { help, ask }, machine }: QueryRecord,
  layout: Layout = table,
): string {
  const row = (name: string, summary: LatencySummary) => [
    name,
    String(summary.n),
    ...[summary.p50, summary.p95, summary.p99, summary.max, summary.mean].map(ms),
  ];
  const { loop, memory } = report;
  return [
    `${about}; default budget, one query at a time`,
    '',
    layout(
      ['ms', 'n', 'p50', 'p95', 'p99', 'max', 'mean'],
      [
        row('total', report.total),
        ...(report.firstLook === undefined
          ? []
          : [row('first look (history, embed, act)', report.firstLook)]),
        ...Object.entries(report.stages).map(([stage, summary]) => row(stage, summary)),
      ],
    ),
    '',
    `actions: ${Object.entries(report.actions)
      .map(([action, n]) => `${action} ${n}`)
      .join(', ')}`,
    `event loop late by ms: p50 ${ms(loop.p50)}, p99 ${ms(loop.p99)}, max ${ms(loop.max)}`,
    `memory of the process, MiB: ${memory.rest.toFixed(0)} at rest (warm, between queries), ${memory.peak.toFixed(0)} peak`,
    `opening index and models in the process: ${ms(report.openMs)} ms`,
    `start of --help to its first byte: ${spread(help)}`,
    `start of ask to its first byte of answer: ${spread(ask)}`,
    machine,
  ].join('\n');
}

function spread(sorted: readonly number[]): string {
  return `median ${ms(quantile(sorted, 0.5))} ms, range ${ms(sorted[0]!)} to ${ms(sorted.at(-1)!)} (${sorted.length} runs)`;
}
