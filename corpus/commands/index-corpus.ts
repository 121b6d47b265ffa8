import type { CommandModule, Options } from 'yargs';
import {
  BACKEND_OPTION,
  jsonOf,
  type ModelArguments,
  modelOptions,
  modelsOf,
  THREADS_OPTION,
  wholeNumber,
} from '../../cli/index.ts';
import {
  EXIT,
  interruptible,
  messageOf,
  PragauraError,
  plainLine,
  progress,
  quoted,
  say,
  toLine,
} from '../../common/index.ts';
import type { GraphKept } from '../build-options.ts';
import { DECLARED_EXAMPLE, declaredLine } from '../identifiers/declared-text.ts';
import type { BuildOptions, IndexProgress, IndexReport, KeepGraph } from '../index.ts';
import { clip } from '../readers/offsets.ts';

/** Handed to the command, whose room knows no queue: the options that say where one is, and who has documents indexed through it. */
export interface IndexingByWorkers {
  options: Record<string, Options>;
  open(
    args: { redis?: string | undefined; queue?: string | undefined },
    index: { out: string; backend: string; say: (message: string) => void },
  ): Promise<{ elsewhere: NonNullable<BuildOptions['elsewhere']>; tidy(): Promise<void> }>;
}

interface IndexArguments extends ModelArguments {
  workers: boolean;
  redis?: string | undefined;
  queue?: string | undefined;
  paths: string[];
  out: string;
  'max-tokens': number | undefined;
  'keep-missing': boolean;
  remove: string[] | undefined;
  identifiers: string | undefined;
  'keep-generations': number | undefined;
  unreviewed: boolean;
  wait: boolean;
  threads: number | undefined;
  backend: string | undefined;
  json: boolean;
}

const FAILURES_SHOWN = 20;
const LEFT_OUT_SHOWN = 5;

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function listed(what: string, items: readonly { name: string; reason: string }[], shown: number): string[] {
  if (items.length === 0) return [];
  const lines = items.slice(0, shown).map(({ name, reason }) => `  ${name}: ${reason}`);
  const more = items.length > shown ? [`  … and ${items.length - shown} more; --json lists all`] : [];
  return [`${what}: ${items.length}`, ...lines, ...more];
}

function hiddenLine({ name, count, first: { kind, text, position } }: IndexReport['hidden'][number]) {
  const more = count > 1 ? `, and ${count - 1} more` : '';
  return { name, reason: `${kind} at ${position}: ${quoted(clip(text, 80))}${more}` };
}

/** Two digits are enough for a rate. */
function rate(perSecond: number): string {
  return `${perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1)} a second`;
}

function timeLeft(ms: number): string {
  const whole = Math.ceil(ms / 1000);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/**
 * How fast it goes and how long it will still take: passages embedded since `ms` ago, and the share of the work that is
 * done by now. Empty while there is nothing to go by.
 */
export function paceOf(embedded: number, share: number, ms: number): string {
  if (!(embedded > 0 && share > 0 && ms > 0)) return '';
  return `${rate((1000 * embedded) / ms)}, ${timeLeft((ms * (1 - share)) / share)} left`;
}

/** How long the texts took, how many that is a second, and how much of it only another runtime could save. */
function embeddedIn({ embedded, ms }: IndexReport): string {
  if (embedded === 0 || ms.embed === 0) return `${embedded} texts embedded`;
  const inside =
    ms.inside === null
      ? ''
      : `, ${Math.round((100 * ms.inside) / ms.embed)} % of the time inside ONNX Runtime`;
  return `${embedded} texts embedded in ${seconds(ms.embed)} (${rate((1000 * embedded) / ms.embed)}${inside})`;
}

function graphLine(dir: string, graph: GraphKept): string {
  return 'problem' in graph
    ? `The graph is left out: ${graph.problem} Build it again: pragaura graph --index ${dir}`
    : `Graph: ${graph.edges} statements, ${graph.embedded} of them validated anew.`;
}

/** What was done, for people, one line or a few. */
export function summaryOf(report: IndexReport): string[] {
  const { counts, added, changed, unchanged, removed, reused, pending, failed, skipped, rebuilt, ms } =
    report;
  const { identifiers, leftOut, unknown, graph } = report;
  const lines = [
    `${counts.documents} documents in ${counts.passages} passages: ` +
      `${added} added, ${changed} changed, ${unchanged} unchanged, ${removed} removed.`,
    `Index ${report.hash.slice(0, 12)} in ${report.dir}; ${seconds(ms.total)}, ` +
      `${embeddedIn(report)}, ${reused} passages had their vectors.`,
  ];
  if (pending > 0) {
    lines.push(
      `Searched by words alone: ${pending} passages have no vector yet. The same command without --no-wait makes them.`,
    );
  }
  if (rebuilt !== null) lines.unshift(`Everything was built anew. ${rebuilt}`);
  if (identifiers.length > 0) lines.push(`Declared identifiers: ${declaredLine(identifiers)}.`);
  if (graph !== null) lines.push(graphLine(report.dir, graph));
  if (skipped > 0) lines.push(`${skipped} files of other kinds were passed over.`);
  lines.push(
    ...listed('Left out', leftOut, LEFT_OUT_SHOWN),
    ...listed('Hidden text left out of', report.hidden.map(hiddenLine), LEFT_OUT_SHOWN),
    ...listed('Not indexed', failed, FAILURES_SHOWN),
    ...listed(
      'Not removed',
      unknown.map((name) => ({ name, reason: 'is not in the index' })),
      FAILURES_SHOWN,
    ),
  );
  return lines;
}

/** A listener that draws each stage of a build on a terminal, and says when words can be searched. */
async function drawing(
  say: (message: string) => void,
): Promise<{ onProgress: (state: IndexProgress) => void; end: () => void }> {
  const labels = {
    read: 'reading',
    words: 'writing words',
    embed: 'embedding',
    write: 'writing',
    graph: 'validating the graph',
  };
  const started = performance.now();
  let stage: IndexProgress['stage'] | undefined;
  let began = { at: 0, done: 0 };
  let bar: ReturnType<typeof progress> | undefined;
  return {
    onProgress: (state) => {
      const now = performance.now();
      if (state.stage !== stage) {
        bar?.end();
        stage = state.stage;
        began = { at: now, done: state.done };
        bar = progress(labels[stage], state.total);
      }
      const { share } = state;
      const pace = share === undefined ? '' : paceOf(state.done - began.done, share, now - began.at);
      bar?.update(state.done, pace || state.detail);
      if (stage === 'words' && state.done === state.total) {
        bar?.end();
        say(`Words can be searched now, after ${seconds(now - started)}.`);
      }
    },
    end: () => bar?.end(),
  };
}

export const indexCommand = (
  byWorkers: IndexingByWorkers,
  keepGraph: KeepGraph,
): CommandModule<object, IndexArguments> => ({
  builder: (parser) =>
    modelOptions(parser, ['embed'])
      .positional('paths', {
        type: 'string',
        array: true,
        default: [],
        describe: 'Files and folders: md, txt, html, pdf, docx, csv, tsv, jsonl (BEIR), SQuAD json',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        demandOption: 'Where to? Say --out DIR, a new folder or an index to bring up to date.',
        describe: 'Index folder',
      })
      .option('max-tokens', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('max-tokens', 16, 400),
        describe:
          'Word pieces of a passage at most [default: 220; where documents are kept, as the index has it]',
      })
      .option('keep-missing', {
        type: 'boolean',
        default: false,
        describe: 'Keep documents of the index that are under none of the paths',
      })
      .option('remove', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'Ids of documents to take out of the index; all others stay',
      })
      .option('unreviewed', {
        type: 'boolean',
        default: false,
        describe:
          'Take what the files say also where a reviewed ticket brought another text, or took a document out',
      })
      .option('keep-generations', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('keep-generations', 0, 1_000),
        describe:
          'Generations of the index that are kept beside the new one, to go back to [default: as until now, at first none]',
      })
      .option('identifiers', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'JSON file: families and patterns that are identifiers [default: those of the index]',
      })
      .option('wait', {
        type: 'boolean',
        default: true,
        describe:
          'Wait for the vectors; --no-wait: end once words can be searched, the next run makes the vectors',
      })
      .option('backend', {
        ...BACKEND_OPTION,
        describe:
          'Put the index into an engine too, opensearch=URL?shards=1&replicas=1 or pgvector=postgres://USER@HOST/DATABASE, under the name of its folder',
      })
      .option('workers', {
        type: 'boolean',
        default: false,
        describe:
          'Have documents read, cut and embedded by workers ("pragaura index-worker") of the queue; with --backend',
      })
      .options(byWorkers.options)
      .option('threads', {
        ...THREADS_OPTION,
        describe: 'Inference threads [default: one a core, with --workers one]',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print a report as JSON' })
      .usage('Usage: $0 index PATH… --out DIR')
      .example([
        ['$0 index docs --out my-index', 'Index a folder; again, to bring the index up to date'],
        ['$0 index more --out my-index --keep-missing', 'Add to an index'],
        ['$0 index --out my-index --remove docs/old.md', 'Take a document out'],
        [
          '$0 index docs --out handbook --backend pgvector=postgres://me@db/docs --workers',
          'By way of the queue, with any number of workers',
        ],
        ['$0 index docs --out my-index --identifiers ids.json', `ids.json: ${DECLARED_EXAMPLE}`],
      ])
      .epilogue(
        'Hidden files, node_modules and files of other kinds are passed over; text may be gzipped. Files that\n' +
          'cannot be read are named, the rest is indexed, and the exit code is 65; what the index has of them\n' +
          'stays. Ctrl-C leaves what could be searched; the same command then goes on where it stopped.\n' +
          'Ids start with the name of the folder: docs/guide.md.\n\n' +
          'A new index can be searched by words long before its vectors are made, from another terminal: decisions\n' +
          'say so meanwhile, and what is open then has to be opened again. An index that is brought up to date is\n' +
          'replaced when all is there; with --no-wait at once, by one of words alone.\n\n' +
          'Identifiers are recognised by themselves; --identifiers adds those that are not. A family is what stands\n' +
          'before the number ("BR" of BR-2, "lot" of lot 7). In a pattern # is a digit, @ a letter, + behind either\n' +
          'means one or more, \\ takes the next character as it is, and all else stands for itself.',
      ) as never,
  handler: async (args) => {
    if (args.paths.length === 0 && args.remove === undefined) {
      throw new PragauraError('USAGE', 'What is to be indexed? Name files or folders.', {
        hint: 'pragaura index PATH… --out DIR, or --remove ID… to take documents out.',
      });
    }
    const { backend } = args;
    if (args.workers && (backend === undefined || !args.wait)) {
      throw new PragauraError(
        'USAGE',
        backend === undefined
          ? '--workers put what they make into an engine: which one?'
          : '--no-wait ends before there are vectors, and --workers make them.',
        {
          hint:
            backend === undefined
              ? 'Say --backend opensearch=URL or --backend pgvector=URL.'
              : 'Leave out one of the two.',
        },
      );
    }
    const { checkBackend, indexDocuments, publish } = await import('../index.ts');
    // Before vectors are made for hours that it would not take.
    if (backend !== undefined) await checkBackend(args.out, backend);
    const workers = args.workers
      ? await byWorkers.open(args, { out: args.out, backend: backend!, say })
      : null;
    const { onProgress, end } = await drawing(say);
    const report = await interruptible((signal) =>
      indexDocuments(args.paths, {
        out: args.out,
        keepMissing: args['keep-missing'],
        ...(args.remove && { remove: args.remove }),
        ...(args['keep-generations'] !== undefined && { keepGenerations: args['keep-generations'] }),
        unreviewed: args.unreviewed,
        wait: args.wait,
        ...(args['max-tokens'] && { maxTokens: args['max-tokens'] }),
        ...(args.identifiers !== undefined && {
          identifiers: jsonOf(args.identifiers, 'identifiers', DECLARED_EXAMPLE),
        }),
        ...(workers && { elsewhere: workers.elsewhere }),
        keepGraph,
        models: {
          announce: say,
          ...modelsOf(args),
          ...((args.threads ?? workers) && { threads: args.threads ?? 1 }),
        },
        onProgress,
        signal,
      }),
    ).finally(end);
    for (const line of summaryOf(report)) say(line.replace(/\S.*/s, plainLine));
    if (backend !== undefined) {
      const { out } = args;
      const bar = progress('sent');
      const published = await interruptible((signal) =>
        publish(out, backend, { onPassage: (sent) => bar.update(sent), signal }),
      ).finally(() => bar.end());
      const { index, written, removed } = published;
      const older = removed.length > 0 ? ` Removed: ${removed.join(', ')}.` : '';
      say(`${written ? 'Put into the engine' : 'In the engine already'}: ${index}.${older}`);
      // Of documents that are kept though no path holds them nothing is known to be needed. What stays is in nobody's way.
      const isWhole = !args['keep-missing'] && args.remove === undefined;
      if (isWhole)
        await workers?.tidy().catch((error) => say(`What is staged was not tidied up: ${messageOf(error)}`));
    }
    if (args.json) process.stdout.write(toLine(report));
    if (report.failed.length + report.unknown.length > 0) process.exitCode = EXIT.BAD_LINES;
  },
});
