import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { PragauraError } from '../../common/index.ts';
import { countAtLeast, countOption, figuresOption, say } from './options.ts';

const tolerance = (describe: string) => ({
  requiresArg: true,
  coerce: (value: unknown): number | undefined => {
    if (value === undefined) return undefined;
    const number = Number(value);
    if (Number.isFinite(number) && number >= 0) return number;
    throw new PragauraError('USAGE', `"${String(value)}" is no tolerance.`);
  },
  describe,
});

const builder = (argv: Argv) =>
  figuresOption(modelOptions(argv))
    .option('index', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      demandOption: 'Which index? Say --index DIR.',
      describe: 'Index folder made by "pragaura index"',
    })
    .option('queries', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      demandOption: 'Which queries? Say --queries FILE.',
      describe: 'Queries, as "calibrate" reads them (NDJSON, SQuAD JSON, a BEIR folder); labels are not used',
    })
    .option('provider', {
      choices: ['webgpu', 'cuda'] as const,
      demandOption: 'Which provider? Say --provider webgpu or cuda.',
      describe: 'What is compared with the CPU',
    })
    .option('threads', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Inference threads on the CPU',
    })
    .option('n', countOption(100, 1, 'Queries at most'))
    .option('concurrency', countOption(8, 1, 'Queries in flight together where throughput is measured'))
    .option('pairs', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Pairs that a query may have read and checked for entailment, for slow devices',
    })
    .option('tolerance-logit', tolerance('Logits of relevance and reading may differ by so much'))
    .option('tolerance-probability', tolerance('Probabilities of entailment may'))
    .option('tolerance-cosine', tolerance('1 - cosine of two embeddings may'))
    .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
    .example([
      [
        '$0 bench providers --index my.index --queries dev.ndjson --provider cuda',
        'Does the card decide alike, and how fast?',
      ],
    ])
    .epilogue(
      'Exit code 1 when an action flips or a number is further off than its tolerance. A tolerance that is not said is the one\n' +
        'by which a device is taken or left for the CPU when models are loaded.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A & ModelArguments : never;

export const providersCommand: CommandModule<object, Arguments> = {
  command: 'providers',
  describe: 'The same queries on the CPU and on another provider: scores, decisions, time, memory',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchProviders } = await import('../providers/run.ts');
    const { text, report, exitCode } = await benchProviders(
      {
        ...argv,
        models: modelsOf(argv),
        budget: argv.pairs === undefined ? undefined : { rerankPairs: argv.pairs, nliPairs: argv.pairs },
        tolerances: {
          logit: argv.toleranceLogit,
          probability: argv.toleranceProbability,
          cosine: argv.toleranceCosine,
        },
      },
      say,
    );
    process.stdout.write(argv.json ? `${JSON.stringify(report)}\n` : `${text}\n`);
    process.exitCode = exitCode;
  },
};
