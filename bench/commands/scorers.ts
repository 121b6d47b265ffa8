import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { PragauraError } from '../../common/index.ts';
import { commonOptions, countAtLeast, countOption, say, setOption } from './options.ts';

const JOBS = ['embed', 'rerank', 'read', 'nli'] as const;
const PARTS = ['speed', 'fresh', 'variants', 'check'] as const;

/** What the measurement and its fresh processes are both told. */
const shared = <T>(argv: Argv<T>) =>
  modelOptions(argv)
    .option('threads', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Inference threads [default: one a core, at most 4; one for a device]',
    })
    .option('provider', {
      choices: ['cpu', 'webgpu', 'cuda'] as const,
      default: 'cpu' as const,
      describe: 'What the models run on',
    });

const builder = (argv: Argv) =>
  setOption(shared(commonOptions(argv)))
    .default('set', 'new-wiki')
    .option('n', countOption(64, 1, 'Items of each job and length'))
    .option('jobs', {
      type: 'string',
      default: JOBS.join(','),
      requiresArg: true,
      describe: 'Which jobs',
    })
    .option('parts', {
      type: 'string',
      default: 'speed,fresh',
      requiresArg: true,
      describe: `What to measure, of ${PARTS.join(', ')}`,
    })
    .option('repetitions', countOption(5, 1, 'Runs of the product and of the bare runtime, in turns'))
    .option('check', {
      type: 'boolean',
      default: false,
      describe: 'Only: is each score the same whatever else is scored, on whichever thread? (--parts check)',
    })
    .example([
      ['$0 bench scorers', 'Items a second beside ONNX Runtime alone; load and memory'],
      ['$0 bench scorers --check --n 500', 'Thousands of real pairs in other company, bit by bit'],
      [
        '$0 bench scorers --parts variants',
        'Graph optimisation, arena and the like, each in fresh processes',
      ],
    ]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A & ModelArguments : never;

export const scorersCommand: CommandModule<object, Arguments> = {
  command: 'scorers',
  describe:
    'Scores a second against what ONNX Runtime alone can do; load, memory, same scores in any company',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchScorers }, { datasetNamed }] = await Promise.all([
      import('../scorers/run.ts'),
      import('../datasets/index.ts'),
    ]);
    const { text, exitCode } = await benchScorers(
      {
        ...argv,
        set: datasetNamed(argv.set),
        models: modelsOf(argv),
        jobs: listOf('jobs', JOBS, argv.jobs),
        parts: argv.check ? ['check'] : listOf('parts', PARTS, argv.parts),
      },
      say,
    );
    process.stdout.write(`${text}\n`);
    process.exitCode = exitCode;
  },
};

const processBuilder = (argv: Argv) =>
  shared(argv)
    .positional('variant', { type: 'string', demandOption: true })
    .option('items', { type: 'string', requiresArg: true, demandOption: true });

type ProcessArguments = ReturnType<typeof processBuilder> extends Argv<infer A> ? A & ModelArguments : never;

/** What `bench scorers` starts for load and memory. */
export const scorersProcessCommand: CommandModule<object, ProcessArguments> = {
  command: 'scorers-process <variant>',
  describe: false,
  builder: processBuilder as never,
  async handler(argv: ArgumentsCamelCase<ProcessArguments>) {
    const { reportFresh } = await import('../scorers/fresh-process.ts');
    const report = await reportFresh({ ...argv, threads: argv.threads ?? 1, models: modelsOf(argv) });
    process.stdout.write(`${JSON.stringify(report)}\n`);
  },
};

function listOf<T extends string>(name: string, known: readonly T[], value: string): T[] {
  return value.split(',').map((part) => {
    const found = known.find((one) => one === part.trim());
    if (found !== undefined) return found;
    throw new PragauraError('USAGE', `--${name}: "${part}" is none of ${known.join(', ')}.`);
  });
}
