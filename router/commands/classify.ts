import type { ArgumentsCamelCase, CommandModule } from 'yargs';
import { type ScorerArguments, scorerOptions, wholeNumber } from '../../cli/index.ts';
import { say } from '../../common/index.ts';

interface StreamArguments extends ScorerArguments {
  window: number;
  embedding: boolean;
}

interface TrainArguments extends ScorerArguments {
  data: string;
  out: string | undefined;
}

interface EvaluateArguments extends ScorerArguments {
  data: string;
  cv: boolean;
  dates: 'QUANTITY' | 'FACT';
  json: boolean;
}

const data = {
  type: 'string',
  requiresArg: true,
  normalize: true,
  default: '../shared/data',
  describe: 'Folder of the public data sets',
} as const;

const trainCommand: CommandModule<object, TrainArguments> = {
  command: 'train',
  describe: 'Make the weights anew from public data sets',
  builder: (parser) =>
    parser.option('data', data).option('out', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: "Folder to write to [default: the package's own]",
    }) as never,
  handler: async (args) => {
    const { shippedModelDir } = await import('../acts/index.ts');
    const { train } = await import('../acts/training/train.ts');
    await withEmbedder(args, (embedder, embed) =>
      train({ data: args.data, out: args.out ?? shippedModelDir(), embedder, embed, say }),
    );
  },
};

const evaluateCommand: CommandModule<object, EvaluateArguments> = {
  command: 'evaluate',
  describe: 'Print the figures of the classifier: cross-validation and NF-CATS valid',
  builder: (parser) =>
    parser
      .option('data', data)
      .option('cv', {
        type: 'boolean',
        default: true,
        describe: 'Cross-validate too, which trains ten times; --no-cv looks at the shipped weights only',
      })
      .option('dates', {
        choices: ['QUANTITY', 'FACT'] as const,
        default: 'QUANTITY' as const,
        describe: 'Act of questions for a date; FACT prints the cross-validation of that reading only',
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'The main figures as one JSON object; the rest goes to standard error',
      }) as never,
  handler: async (args) => {
    const { loadActClassifier } = await import('../acts/index.ts');
    const { evaluate } = await import('../acts/training/evaluate.ts');
    const classifier = await loadActClassifier();
    await withEmbedder(args, async (_, embed) => {
      const sets = await evaluate({
        data: args.data,
        classifier,
        embed,
        crossValidation: args.cv || args.dates === 'FACT',
        dates: args.dates,
        print: args.json ? say : (line) => process.stdout.write(`${line}\n`),
        say,
      });
      if (args.json)
        process.stdout.write(`${JSON.stringify({ schema: 'pragaura.acts-evaluation/1', sets })}\n`);
    });
  },
};

export const classifyCommand: CommandModule<object, StreamArguments> = {
  builder: (parser) =>
    scorerOptions(parser, ['embed'])
      .command(trainCommand as never)
      .command(evaluateCommand as never)
      .option('window', {
        type: 'number',
        default: 32,
        requiresArg: true,
        coerce: wholeNumber('window', 1, 4096),
        describe: 'Queries in flight at most',
      })
      .option('embedding', {
        type: 'boolean',
        default: true,
        describe: 'Look at the meaning too; --no-embedding looks at the words only and starts at once',
      })
      .usage('Usage: $0 classify < queries.ndjson')
      .example([
        [`echo '{"query":"How long is the warranty?"}' | $0 classify`, 'The act of one query'],
        ['$0 classify --no-embedding < queries.ndjson > acts.ndjson', 'Of many, by their words only'],
      ])
      .epilogue(
        'Input: one JSON object a line, {"id", "query"}. Output: {"schema", "id", "query", "label",\n' +
          '"probabilities", "confident"}.',
      ) as never,
  handler: async (args: ArgumentsCamelCase<StreamArguments>) => {
    const { runClassify } = await import('./classify-stream.ts');
    process.exitCode = await runClassify({ ...args, input: process.stdin, output: process.stdout, say });
  },
};

/** Opens the embedder that the dense branch uses, and nothing else, for as long as `work` runs. */
async function withEmbedder(
  args: ScorerArguments,
  work: (
    embedder: { name: string; sha256: string; dimension: number },
    embed: (texts: readonly string[]) => Promise<Float32Array[]>,
  ) => Promise<void>,
): Promise<void> {
  const { openEmbedder } = await import('./classify-stream.ts');
  const scorers = await openEmbedder(args, say);
  try {
    const [probe] = await scorers.embed(['probe']);
    const dimension = probe!.length;
    await work({ ...scorers.info.models.embed!, dimension }, (texts) => scorers.embed(texts));
  } finally {
    await scorers.close();
  }
}
