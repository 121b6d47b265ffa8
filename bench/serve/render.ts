import { type Layout, ms, table, withInterval } from '../measure/table.ts';
import type { ConnectionsReport } from './connections.ts';
import type { DrainReport, Fates } from './drain.ts';
import type { MalformedReport } from './malformed.ts';
import type { Compared, Figure, OverheadReport } from './overhead.ts';
import type { PageReport } from './page.ts';
import type { Watched } from './server-process.ts';
import type { SlowReport } from './slow-clients.ts';

export interface ServeReport {
  schema: 'pragaura.bench-serve/1';
  machine: string;
  set: string;
  about: string;
  overhead: OverheadReport | null;
  connections: ConnectionsReport | null;
  slow: SlowReport | null;
  drain: DrainReport[] | null;
  page: PageReport | null;
  malformed: MalformedReport | null;
}

const yes = (is: boolean) => (is ? 'yes' : 'NO');
const inMs = (figure: Figure) => withInterval(figure.value, figure, signedMs);
const signedMs = (value: number | null) => (value !== null && value < 0 ? `-${ms(-value)}` : ms(value));
const percent = (share: number | null) => (share === null ? '–' : `${(100 * share).toFixed(2)} %`);
const memory = ({ before, peak, after }: Watched) =>
  `${before.toFixed(0)} before, ${peak.toFixed(0)} at most, ${after.toFixed(0)} three seconds after`;
const counts = (all: Record<string, number>) =>
  Object.entries(all)
    .map(([name, many]) => `${name}: ${many}`)
    .join(', ') || 'none';

/** The report in words and tables. */
export function renderServe(report: ServeReport, layout: Layout = table): string {
  const faults = faultsOf(report);
  return [
    `${report.about}; pragaura serve in a process of its own, callers on the same machine`,
    ...overhead(report, layout),
    ...connections(report),
    ...slow(report, layout),
    ...drain(report, layout),
    ...page(report),
    ...malformed(report),
    '',
    `what must not be: ${faults.join('; ') || 'nothing'}`,
    report.machine,
  ].join('\n');
}

/** What must not be, in words: a request that is lost, a caller that did not get what it must, a 5xx, a crash. */
export function faultsOf({ overhead, connections, slow, drain, malformed }: ServeReport): string[] {
  const faults: [boolean, string][] = [
    [overhead?.exact === false, 'decisions over HTTP are others than those of route'],
    [
      connections !== null &&
        (connections.whole.connections < connections.connections ||
          connections.whole.streams < connections.streams),
      'of the open connections some did not get all that they must',
    ],
    [
      Object.keys(slow?.others.statuses ?? {}).some((status) => status !== '200'),
      'others were not served beside slow callers',
    ],
    [
      (drain ?? []).some(({ decisions, events, lines, newcomers }) =>
        [decisions, events, lines, newcomers].some(({ lost }) => lost > 0),
      ),
      'requests were lost after SIGTERM',
    ],
    [(drain ?? []).some(({ how }) => how !== '0'), 'the server did not end with 0 after SIGTERM'],
    [malformed?.clean === false, 'schemathesis found faults'],
    [malformed?.alive === false, 'malformed requests ended the server'],
    [
      Object.keys(malformed?.statuses ?? {}).some((status) => status.startsWith('5')),
      'malformed requests were answered with 5xx',
    ],
  ];
  return faults.flatMap(([is, what]) => (is ? [what] : []));
}

function overhead({ overhead: report }: ServeReport, layout: Layout): string[] {
  if (report === null) return [];
  const head = ['ms', 'n', 'response p50', 'p95', 'around the router p50', 'p95'];
  const rows = ({ n, route, http, difference }: Compared) =>
    (
      [
        ['route', route],
        ['HTTP', http],
        ['difference, query by query', difference],
      ] as const
    ).map(([name, { response, around }]) => [
      name,
      String(n),
      ...[response.p50, response.p95, around.p50, around.p95].map(inMs),
    ]);
  const share = ({ share: figure }: Compared) =>
    `overhead: ${withInterval(figure.value, figure, percent)} of the response, at the median`;
  return [
    '',
    'one query at a time, by turns; around: what the caller waited less the time in the router for the same decision',
    layout(head, rows(report.alone)),
    share(report.alone),
    '',
    `Poisson arrivals at ${report.rate.toFixed(2)} queries/s, half of the knee of route (${report.knee.toFixed(2)})`,
    layout(head, rows(report.half)),
    share(report.half),
    `the same decisions, clocks aside: ${yes(report.exact)}`,
  ];
}

function connections({ connections: report }: ServeReport): string[] {
  if (report === null) return [];
  const { whole } = report;
  return [
    '',
    `${report.connections} server-sent event connections and ${report.streams} streams of ${report.linesEach} lines: ${report.mostOpen} open at once, most queries waiting ${report.memory.mostWaiting}, all over after ${report.seconds.toFixed(1)} s`,
    `got all that they must: ${whole.connections} connections, ${whole.streams} streams; others: ${counts(report.else)}`,
    `memory of the server, MiB: ${memory(report.memory)}`,
  ];
}

function slow({ slow: report }: ServeReport, layout: Layout): string[] {
  if (report === null) return [];
  const { readers, halfOpen, others } = report;
  return [
    '',
    `slow and half-open callers for ${report.seconds} s`,
    `${readers.streams} streams that read a record in ${readers.paceMs} ms: ${readers.read} read, ${readers.decided} decided, ${readers.sent} sent`,
    layout(
      ['half-open sockets', 'opened', 'closed by the server', 'the last after s'],
      Object.entries(halfOpen).map(([kind, { sockets, closed, lastAfter }]) => [
        { silent: 'nothing sent', head: 'half a head', body: 'half a body' }[kind] ?? kind,
        String(sockets),
        String(closed),
        lastAfter === null ? '–' : lastAfter.toFixed(1),
      ]),
    ),
    `others meanwhile (/v1/classify), by status: ${counts(others.statuses)}; ms p50 ${ms(others.took.p50)}, p95 ${ms(others.took.p95)}, max ${ms(others.took.max)}`,
    `memory of the server, MiB: ${memory(report.memory)}`,
  ];
}

function drain({ drain: runs }: ServeReport, layout: Layout): string[] {
  if (runs === null) return [];
  return [
    '',
    'SIGTERM while busy, once the first decision is out; told: that the server ends; refused: no connection was made, or it was closed unread',
    layout(
      ['', 'answered', 'told', 'refused', 'lost'],
      runs.flatMap(({ drainTimeout, seconds, how, decisions, events, lines, newcomers }) => {
        const row = (name: string, { answered, told, refused, lost }: Fates) => [
          name,
          ...[answered, told, refused, lost].map(String),
        ];
        return [
          [`${drainTimeout} s given; ended after ${seconds.toFixed(1)} s with ${how}`, '', '', '', ''],
          row('decisions', decisions),
          row('server-sent events', events),
          row('lines of streams', lines),
          row('came after SIGTERM', newcomers),
        ];
      }),
    ),
  ];
}

function page({ page: report }: ServeReport): string[] {
  if (report === null) return [];
  const { firstView, bytes, files } = report;
  return [
    '',
    `the page in headless Chromium ${report.chromium}, ${firstView.n} first visits, server and browser warm: ms until a question can be typed p50 ${ms(firstView.p50)}, p95 ${ms(firstView.p95)}, max ${ms(firstView.max)}; ${(bytes / 1000).toFixed(1)} kB in ${files} files`,
  ];
}

function malformed({ malformed: report }: ServeReport): string[] {
  if (report === null) return [];
  const all = Object.values(report.statuses).reduce((sum, many) => sum + many, 0);
  return [
    '',
    `${report.fuzzer}, made from the OpenAPI file: ${all} requests in ${report.seconds.toFixed(0)} s`,
    `by status: ${counts(report.statuses)}; the server lives: ${yes(report.alive)}; nothing found by the fuzzer: ${yes(report.clean)}`,
    `memory of the server, MiB: ${memory(report.memory)}`,
  ];
}
