import path from 'node:path';
import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { PragauraError } from '../../common/index.ts';
import {
  SAMPLER_OPTIONS,
  SAMPLES_OPTION,
  type SamplerArguments,
  withGenerator,
} from '../../generation/commands/generator-options.ts';
import type { Part } from '../parity/arms.ts';
import { countAtLeast, indexOptions, say } from './options.ts';

const builder = (argv: Argv) =>
  indexOptions(argv)
    .option('set', {
      type: 'string',
      default: 'articles-a,new-wiki',
      requiresArg: true,
      describe: 'Data sets, separated by commas; train-44 is there for tuning',
    })
    .option('limit', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Questions of each set, a seeded sample [default: all]',
    })
    .option('parts', {
      type: 'string',
      default: 'policies,paper,budgets',
      requiresArg: true,
      describe: "What to run: policies at one budget, the paper's own settings, a sweep of budgets",
    })
    .option('level', {
      type: 'string',
      default: '0.8',
      requiresArg: true,
      describe: 'Coverage that thresholds aim at, a decimal between 0 and 1',
    })
    .option('tolerance', {
      default: 0.05,
      requiresArg: true,
      coerce: shareOf('tolerance'),
      describe: 'Share by which totals spent may differ in any unit before two runs are not comparable',
    })
    .option('granted-tolerance', {
      default: 0,
      requiresArg: true,
      coerce: shareOf('granted-tolerance'),
      describe: 'The same for what each question was granted',
    })
    .options(SAMPLER_OPTIONS)
    .option('samples', SAMPLES_OPTION)
    .option('verify', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'Check a certificate against the ledgers beside it, and run nothing',
    })
    .example('$0 bench parity --set train-44 --limit 100 --parts policies', 'A first look')
    .example(
      '$0 bench parity --parts policies --limit 100 --generator model.gguf',
      'What the answers of a language model add, at equal compute',
    )
    .example('$0 bench parity --verify out/parity-train-44.certificate.json', 'Check what was certified');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const parityCommand: CommandModule<object, Arguments> = {
  command: 'parity',
  describe: 'Policies at equal compute, with a certificate from the ledgers and paired tests',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    if (argv.verify !== undefined) {
      const { verifyCertificate } = await import('../parity/certificate-file.ts');
      process.stdout.write(`${await verifyCertificate(argv.verify)}\n`);
      return;
    }
    const [{ benchParity }, { PARTS }, { parseDatasetNames }] = await Promise.all([
      import('../parity/run.ts'),
      import('../parity/arms.ts'),
      import('../datasets/index.ts'),
    ]);
    const { generatorCache = path.join(argv.out, 'answers'), ...args } = argv as typeof argv &
      SamplerArguments;
    const text = await withGenerator({ ...args, generatorCache }, say, (generator) =>
      benchParity(
        {
          ...argv,
          sampling: generator && { generator, count: argv.samples ?? 5 },
          sets: parseDatasetNames(argv.set),
          parts: argv.parts.split(',').map((name) => partNamed(name.trim(), PARTS)),
          // Every query is granted the same here, so that no interval is asked for.
          tolerance: { granted: argv.grantedTolerance, spent: argv.tolerance, interval: 0 },
        },
        say,
      ),
    );
    process.stdout.write(`${text}\n`);
  },
};

function partNamed(name: string, parts: readonly Part[]): Part {
  const part = parts.find((known) => known === name);
  if (part !== undefined) return part;
  throw new PragauraError('USAGE', `"${name}" is no part of the comparison.`, {
    hint: `There are ${parts.join(', ')}.`,
  });
}

/** A `coerce` for a share. Throws USAGE for anything that is no number from 0 to 1. */
function shareOf(option: string): (value: unknown) => number {
  return (value) => {
    const share = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    if (share >= 0 && share <= 1) return share;
    throw new PragauraError('USAGE', `--${option} takes a number from 0 to 1, not "${String(value)}".`);
  };
}
