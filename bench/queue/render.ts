import type { LatencySummary } from '../measure/latencies.ts';
import type { LoopDelay } from '../measure/loop-delay.ts';
import { type Layout, ms, table } from '../measure/table.ts';
import type { drainOurs } from './drain-ours.ts';
import type { drainPlain } from './plain-bullmq.ts';
import type { soak } from './soak.ts';
import type { measureOverhead, measureThroughput } from './with-models.ts';

export interface QueueReport {
  schema: 'pragaura.bench-queue/1';
  machine: string;
  set: string;
  about: string;
  drain:
    | { plain: Awaited<ReturnType<typeof drainPlain>>; ours: Awaited<ReturnType<typeof drainOurs>> }[]
    | null;
  throughput: Awaited<ReturnType<typeof measureThroughput>> | null;
  overhead: Awaited<ReturnType<typeof measureOverhead>> | null;
  soak: Awaited<ReturnType<typeof soak>> | null;
  /** Whether every result of every run was there once, and what `route` gives. */
  exact: boolean;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const late = ({ p50, p99, max }: LoopDelay) => `${ms(p50)} / ${ms(p99)} / ${ms(max)}`;
const yes = (is: boolean) => (is ? 'yes' : 'NO');

/** The report in words and tables. */
export function renderQueue(report: QueueReport, layout: Layout = table): string {
  return [
    `${report.about}; redis-server with an append-only file, on this machine`,
    ...drained(report, layout),
    ...throughput(report, layout),
    ...overhead(report, layout),
    ...soaked(report, layout),
    '',
    `every result once, and byte for byte what route gives (clocks aside): ${yes(report.exact)}`,
    report.machine,
  ].join('\n');
}

function drained({ drain }: QueueReport, layout: Layout): string[] {
  if (drain === null) return [];
  const rows = drain.flatMap(({ plain, ours }) => [
    [
      'BullMQ as it comes',
      String(plain.concurrency),
      plain.added.toFixed(0),
      plain.drained.toFixed(0),
      '',
      '',
    ],
    [
      'submit and worker, empty decisions',
      String(ours.concurrency),
      ours.added.toFixed(0),
      ours.drained.toFixed(0),
      late(ours.loop),
      yes(ours.exact),
    ],
  ]);
  const head = ['', 'concurrency', 'added/s', 'drained/s', 'loop delay ms p50/p99/max', 'exact'];
  return ['', `${drain[0]?.plain.jobs} empty jobs, one worker`, layout(head, rows)];
}

function throughput({ throughput: report }: QueueReport, layout: Layout): string[] {
  if (report === null) return [];
  const rows = report.runs.map((run) => [
    String(run.workers),
    String(run.threads),
    String(run.concurrency),
    run.perSecond.toFixed(2),
    percent(run.share),
    late(run.loop),
    yes(run.exact),
  ]);
  const head = [
    'workers',
    'threads',
    'concurrency',
    'queries/s',
    'of route',
    'loop delay ms p50/p99/max',
    'exact',
  ];
  return [
    '',
    `${report.queries} queries at once; route alone ${report.routeBefore.toFixed(2)} queries/s before, ${report.routeAfter.toFixed(2)} after`,
    layout(head, rows),
  ];
}

function overhead({ overhead: report }: QueueReport, layout: Layout): string[] {
  if (report === null) return [];
  const row = (name: string, { p50, p95, p99, max }: LatencySummary) => [
    name,
    ...[p50, p95, p99, max].map(ms),
  ];
  return [
    '',
    `${report.queries} queries at half load, ${report.rate.toFixed(2)}/s; around: response less the time in the router`,
    layout(
      ['ms', 'p50', 'p95', 'p99', 'max'],
      [
        row('route: response', report.route.response),
        row('route: around', report.route.around),
        row('queue: response', report.queue.response),
        row('queue: around', report.queue.around),
      ],
    ),
    `overhead of the queue: p50 ${ms(report.overheadMs)} ms, ${percent(report.overheadShare)} of the response`,
    `event loop of the worker's Redis thread late by ms p50/p99/max: ${late(report.queue.loop)}`,
    `SIGTERM with jobs in hand to the end of the worker: ${ms(report.sigterm.ms)} ms (${report.sigterm.how})`,
  ];
}

function soaked({ soak }: QueueReport, layout: Layout): string[] {
  if (soak === null) return [];
  const places = [0, 0.1, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (soak.samples.length - 1)));
  const rows = [...new Set(places)].map((place) => {
    const { jobs, heap, resident, client, redis } = soak.samples[place]!;
    return [String(jobs), ...[heap, resident, client, redis].map((value) => value.toFixed(1))];
  });
  return [
    '',
    `soak: ${soak.jobs} jobs in ${soak.seconds.toFixed(0)} s; MiB`,
    layout(['jobs', 'worker heap', 'worker resident', 'submitter and reader', 'Redis'], rows),
    `flat (last third of the heap and of Redis within a tenth of the first): ${yes(soak.flat)}`,
  ];
}
