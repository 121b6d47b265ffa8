import type { CommandModule } from 'yargs';
import {
  INDEX_OPTION,
  type ModelArguments,
  modelOptions,
  modelsOf,
  THREADS_OPTION,
  wholeNumber,
} from '../../cli/index.ts';
import { interruptible, progress, say, toLine } from '../../common/index.ts';

interface GraphArguments extends ModelArguments {
  index: string;
  labelled: string | undefined;
  'max-edges': number;
  'min-sem': number;
  threads: number | undefined;
}

export const graphCommand: CommandModule<object, GraphArguments> = {
  builder: (parser) =>
    modelOptions(parser, ['embed'])
      .option('index', INDEX_OPTION)
      .option('labelled', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe:
          'NDJSON of queries whose right action is known; they strengthen and weaken what they rest on',
      })
      .option('max-edges', {
        type: 'number',
        default: 200_000,
        requiresArg: true,
        coerce: wholeNumber('max-edges', 1, 2_000_000),
        describe: 'Edges at most; those that fewest passages say go first',
      })
      .option('min-sem', {
        type: 'number',
        default: 0.5,
        requiresArg: true,
        describe: 'Least similarity of an edge to its passage, from 0 to 1',
      })
      .option('threads', THREADS_OPTION)
      .usage('Usage: $0 graph --index DIR')
      .example([
        ['$0 graph --index my-index', 'Build it; from then on "pragaura index" keeps it up to date'],
        ['$0 graph --index my-index --labelled asked.ndjson', 'Shaped by queries {"query", "action"}'],
      ])
      .epilogue(
        'Labelled queries: one JSON object a line, {"query", "action": "ANSWER"|"ASK"|"ABSTAIN", "passages"?: ids}; files of\n' +
          '"calibrate" with "answerable" will do. "missing", with ASK only, says what such a query lacks, in a few words for\n' +
          'users. Where a query names the same thing, asks the same and does not say it either, it counts as missing: what is\n' +
          'not answered is then asked back, for that where nothing else is a better question. Labels that name nothing of the\n' +
          'graph are counted ("unanchored"). Do not calibrate or evaluate on the same queries: the graph knows their labels.\n' +
          '  {"query": "What does Falcon Post charge?", "action": "ASK", "missing": ["destination country"]}\n' +
          'Triples are found by strict rules for English, about one for six passages,\n' +
          'and about one in six says less or other than its passage: a signal beside others, never evidence.\n' +
          'Prints a report as JSON. Ctrl-C leaves the old graph as it was; the same command then goes on where it\n' +
          'stopped. An index that is brought up to date keeps its graph, with these settings and labels.',
      ) as never,
  handler: async (args) => {
    const { makeGraph } = await import('./graph-run.ts');
    let bar: ReturnType<typeof progress> | undefined;
    const report = await interruptible((signal) =>
      makeGraph({
        index: args.index,
        labelled: args.labelled,
        maxEdges: args['max-edges'],
        minSem: args['min-sem'],
        models: { announce: say, ...modelsOf(args), ...(args.threads && { threads: args.threads }) },
        onProgress: (done, total) => {
          bar ??= progress('validating', total);
          bar.update(done);
        },
        signal,
      }),
    ).finally(() => bar?.end());
    process.stdout.write(toLine(report));
  },
};
