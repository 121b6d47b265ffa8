import { type Layout, ms, share, table } from '../measure/table.ts';
import type { Fit } from './fit.ts';
import { ASSUMED, type BackendPlan, FIGURES, type Growth, type Plan } from './plan.ts';
import type { ScaleReport } from './run.ts';
import type { TextReport } from './statistics.ts';
import type { Measured, SizeReport } from './types.ts';
import type { Neighbourhood } from './vectors.ts';

export function renderScale(report: ScaleReport, layout: Layout = table): string {
  const { plan } = report;
  return [
    textSection(report, layout),
    vectorSection(report, layout),
    modelSection(report, layout),
    indexSection(report, layout),
    ...report.sizes.flatMap((size) => sizeSection(size, report.questions, layout)),
    ...shardSection(report, layout),
    ...(plan === null
      ? ['== what many more would take\nFigures of two sizes or more are needed.']
      : [growthSection(plan, layout), planSection(plan, layout)]),
  ].join('\n\n');
}

function textSection({ sample, sizes }: ScaleReport, layout: Layout): string {
  const slope = ({ exponent }: Fit) => exponent.toFixed(2);
  const row = (name: string, { texts, words, vocabulary, heaps, zipf }: TextReport) => [
    name,
    ...[texts, words, vocabulary].map(counted),
    slope(heaps),
    slope(zipf.head),
    slope(zipf.tail),
  ];
  return [
    '== Text',
    `real: ${sample.about}`,
    layout(
      ['', 'texts', 'words', 'vocabulary', 'Heaps', 'Zipf, head', 'Zipf, tail'],
      [
        row('real', sample.text),
        ...sizes.map(({ wanted, text }) => row(`generated, ${counted(wanted)}`, text)),
      ],
    ),
  ].join('\n\n');
}

function vectorSection({ sample, sizes }: ScaleReport, layout: Layout): string {
  const row = (name: string, { vectors, apart, nearest, intrinsicDimension }: Neighbourhood) => [
    name,
    counted(vectors),
    share(apart),
    share(nearest),
    intrinsicDimension.toFixed(1),
  ];
  return [
    '== Vectors',
    layout(
      ['', 'compared', 'cosine of two', 'of the nearest', 'dimensions'],
      [
        row('real', sample.vectors),
        ...built(sizes).map((one) => row(`generated, ${counted(one.passages)}`, one.vectors)),
      ],
    ),
    `a real question and the passage that it was asked about: cosine ${share(sample.questionCosine)}, the median`,
  ].join('\n\n');
}

function modelSection({ sample }: ScaleReport, layout: Layout): string {
  const { embedding, decision, passages, deciderMiB } = sample;
  return [
    '== What models cost',
    layout(
      ['', 'real ones', 'ms of the clock', 'ms of processors', 'a second'],
      [
        [
          `embedding a passage, ${embedding.threads} threads`,
          counted(passages),
          ms(embedding.wallMs / passages),
          ms(embedding.cpuMs / passages),
          ((1_000 * passages) / embedding.wallMs).toFixed(1),
        ],
        [
          'deciding on a question, one at a time',
          counted(decision.latency.n),
          `${ms(decision.latency.p50)} (p50)`,
          ms(decision.cpuMs),
          decision.latency.mean === null ? '–' : (1_000 / decision.latency.mean).toFixed(1),
        ],
      ],
    ),
    `inside ONNX Runtime while embedding: ${(100 * embedding.insideShare).toFixed(1)} % of each thread; the process that decides has ${deciderMiB.toFixed(0)} MiB`,
  ].join('\n\n');
}

function indexSection({ sizes }: ScaleReport, layout: Layout): string {
  const all = built(sizes);
  const kinds = [...new Set(all.flatMap(({ bytes }) => Object.keys(bytes)))];
  const total = (bytes: Record<string, number>) => Object.values(bytes).reduce((sum, size) => sum + size, 0);
  return [
    '== The index',
    layout(
      [
        'passages',
        'documents',
        'terms',
        'read s',
        'written s',
        'passages a second',
        'memory of the build MiB',
      ],
      all.map(({ passages, documents, terms, ms: took, peakMiB }) => [
        ...[passages, documents, terms].map(counted),
        seconds(took.read),
        seconds(took.write),
        ((1_000 * passages) / (took.read + took.write)).toFixed(0),
        peakMiB.toFixed(0),
      ]),
    ),
    'bytes a passage in the folder:',
    layout(
      ['passages', ...kinds, 'all'],
      all.map(({ passages, bytes }) => [
        counted(passages),
        ...kinds.map((kind) => ((bytes[kind] ?? 0) / passages).toFixed(0)),
        (total(bytes) / passages).toFixed(0),
      ]),
    ),
    ...sizes.flatMap(({ wanted, ended }) =>
      ended === null ? [] : [`no index of ${counted(wanted)} passages: ${ended}`],
    ),
  ].join('\n\n');
}

function sizeSection(
  { wanted, built: one, backends }: SizeReport,
  questions: number,
  layout: Layout,
): string[] {
  if (one === null) return [];
  return [
    [`== ${counted(wanted)} passages, ${questions} questions`, ...measuredTables(backends, layout)].join(
      '\n\n',
    ),
  ];
}

function shardSection({ shards }: ScaleReport, layout: Layout): string[] {
  if (shards.length === 0) return [];

  const named = shards.map((one) => ({ ...one, backend: `${one.backend}, shards: ${one.shards}` }));
  return [['== Shards on one node', ...measuredTables(named, layout)].join('\n\n')];
}

function measuredTables(measured: readonly Measured[], layout: Layout): string[] {
  const there = measured.flatMap(({ asked, ...rest }) => (asked === null ? [] : [{ ...rest, asked }]));
  const times = ({ latency }: { latency: { p50: number | null; p95: number | null } }) => [
    ms(latency.p50),
    ms(latency.p95),
  ];
  return [
    layout(
      [
        '',
        'lexical p50 ms',
        'p95',
        'dense p50',
        'p95',
        'fused p50',
        'p95',
        'fused a second',
        'so many at a time',
      ],
      there.map(({ backend, asked: { ways, together } }) => [
        backend,
        ...times(ways.lexical),
        ...times(ways.dense),
        ...times(ways.fused),
        together.perSecond.toFixed(1),
        String(together.concurrency),
      ]),
    ),
    layout(
      [
        '',
        'put there s',
        'opened s',
        'memory MiB',
        'most MiB',
        'engine MiB',
        'of no file',
        'disk MiB',
        'processor ms here',
        'in the engine',
      ],
      there.map(({ backend, publishMs, asked: { openMs, memory, bytes, engine, cpuMs } }) => [
        backend,
        publishMs === null ? '–' : seconds(publishMs),
        seconds(openMs),
        memory.after.toFixed(0),
        memory.peak.toFixed(0),
        engine === null ? '–' : engine.memoryMiB.toFixed(0),
        engine === null ? '–' : engine.ownMiB.toFixed(0),
        bytes === null ? '–' : (bytes / 2 ** 20).toFixed(0),
        ms(cpuMs.own),
        ms(cpuMs.engine),
      ]),
    ),
    layout(
      ['', 'R@10 lexical', 'dense', 'fused', 'overlap of the first 10, lexical', 'dense', 'fused'],
      there.map(({ backend, asked: { ways } }) => [
        backend,
        ...[ways.lexical, ways.dense, ways.fused].map(({ recall }) => share(recall)),
        ...[ways.lexical, ways.dense, ways.fused].map(({ overlap }) =>
          backend === 'embedded' ? '–' : share(overlap),
        ),
      ]),
    ),
    ...measured.flatMap(({ backend, ended }) => (ended === null ? [] : [`${backend} ended: ${ended}`])),
  ];
}

function growthSection({ growth }: Plan, layout: Layout): string {
  const shown = ({ backend, figure, points, fit, exponent, far }: Growth) => {
    const { name, unit } = FIGURES[figure];
    const law =
      fit.kind === 'power'
        ? `${digits(fit.factor)} n^${fit.exponent.toFixed(2)}`
        : `${digits(fit.constant)} + ${digits(fit.factor * 1e6)} a million`;
    return [
      `${backend}: ${name}, ${unit}`,
      points.map(({ y }) => digits(y)).join(', '),
      exponent.toFixed(2),
      law,
      `${(100 * fit.residual).toFixed(0)} %`,
      far === null ? '–' : digits(far.all),
      far === null ? '–' : digits(far.lastTwo),
    ];
  };
  const sizes = Math.max(...growth.map(({ points }) => points.length));
  return [
    '== Growth',
    `by ${sizes} sizes; what stands at ${counted(ASSUMED.passages)} passages was measured at none of them`,
    layout(
      [
        '',
        'at each size',
        'exponent',
        'fit',
        'off by at most',
        `at ${counted(ASSUMED.passages)}`,
        'by the two largest sizes',
      ],
      growth.map(shown),
    ),
  ].join('\n\n');
}

function planSection({ build, ends, bars, decisions, backends }: Plan, layout: Layout): string {
  const { passages, queriesPerSecond, cores, memoryGiB, busy, filled, copies, shard, processCores } = ASSUMED;
  const orNone = (value: number | null) => (value === null ? '–' : amount(value));
  const row = ({
    backend,
    shards,
    nodes,
    searchCores,
    ownCores,
    processGiB,
    decidingNodeGiB,
    memoryGiB: all,
    diskGiB,
  }: BackendPlan) => [
    backend,
    String(shards),
    ...[all, diskGiB, searchCores].map(orNone),
    ...[nodes.memory, nodes.cores].map(orNone),
    ...[ownCores, processGiB, decidingNodeGiB].map(orNone),
  ];
  return [
    `== ${counted(passages)} passages, ${counted(queriesPerSecond)} queries a second`,
    `assumed: nodes of ${cores} cores and ${memoryGiB} GiB, of which ${busy} and ${filled} may be taken; ${copies} copies of each shard; ${counted(shard)} passages a shard; a process for every ${processCores} cores that decide; cores as fast as the ones measured`,
    layout(
      [
        '',
        'shards',
        'memory GiB, all copies',
        'disk GiB',
        'cores that search',
        'nodes by memory',
        'nodes by cores',
        'cores that ask',
        'GiB of each process that asks',
        'of those of a node',
      ],
      backends.map(row),
    ),
    'embedded: as if nodes could share one index, which they cannot',
    layout(
      ['whatever holds it', 'amount'],
      [
        ['cores that decide (models)', amount(decisions.cores)],
        ['nodes of these', amount(decisions.nodes)],
        ['embedding, hours of one core', amount(build.embeddingHours)],
        [`embedding, hours of the cores that decide`, amount(build.embeddingHours / decisions.cores)],
        ['reading and writing the folder, hours of the one process', amount(build.hours)],
        ['memory of that process, GiB', amount(build.memoryGiB)],
      ],
    ),
    ...bars.map(({ figure, most, passages: fit }) => {
      const { name, unit } = FIGURES[figure];
      return `embedded: ${name} stays below ${most} ${unit} up to ${amount(fit)} passages`;
    }),
    'where one folder ends, whatever the machine has:',
    layout(
      ['passages', 'because'],
      ends.map(({ passages: most, why }) => [counted(Math.floor(most)), why]),
    ),
  ].join('\n\n');
}

function built(sizes: readonly SizeReport[]) {
  return sizes.flatMap(({ built: one }) => (one === null ? [] : [one]));
}

function counted(value: number): string {
  return value.toLocaleString('en-US');
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(1);
}

/** Three digits that mean something, whatever the size. */
function digits(value: number): string {
  const size = Math.abs(value);
  return size >= 1_000
    ? counted(Math.round(value))
    : size >= 0.01 || size === 0
      ? String(Number(value.toPrecision(3)))
      : value.toExponential(1);
}

/** Of what is extrapolated two digits are more than enough. */
function amount(value: number): string {
  return counted(Number(value.toPrecision(2)));
}
