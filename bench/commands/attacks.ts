import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { PragauraError } from '../../common/index.ts';
import { cacheOption, countAtLeast, countOption, DATA_OPTION, say } from './options.ts';

/** What looks at passages alone; everything else is asked end to end. */
const DETECTOR = 'detector';

const builder = (argv: Argv) =>
  modelOptions(cacheOption(argv))
    .option('data', DATA_OPTION)
    .option('rows', {
      type: 'string',
      default: DETECTOR,
      requiresArg: true,
      describe:
        'What is measured: detector (what of texts that talk to a machine is noticed), or attacks end to end: all, or some of planted, orders, hidden, tokens, homoglyphs, jamming, needless, citations',
    })
    .option('questions', {
      choices: ['squad', 'open', 'held'] as const,
      default: 'squad' as const,
      describe:
        'Questions of attacks end to end: drawn from SQuAD, or the open or held half of those written for this, with passages that only look like a conflict; what is held is not looked at while building',
    })
    .option('n', countOption(50, 1, 'Questions a row, drawn from SQuAD'))
    .option('documents', countOption(400, 1, 'Paragraphs that the attacks are planted beside'))
    .option(
      'seed',
      countOption(7, 0, 'What is drawn by; the same seed gives the same table but for the times'),
    )
    .option('min-sources', countOption(1, 1, 'Independent sources that an answer needs'))
    .option('threads', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Inference threads [default: as many as cores]',
    })
    .option('fit', {
      type: 'boolean',
      default: false,
      describe:
        'Train the detector anew on the wordings of the repository and public passages, then measure it',
    })
    .option('model', {
      type: 'string',
      default: 'router/poison/model',
      requiresArg: true,
      normalize: true,
      describe: 'Folder of the detector; --fit writes it there',
    })
    .option('index', {
      type: 'string',
      array: true,
      default: [] as string[],
      requiresArg: true,
      normalize: true,
      describe: 'Look at the passages of these indexes too',
    })
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of a table' })
    .example([
      ['$0 bench attacks', 'What the detector notices, and what it takes for an attack'],
      [
        '$0 bench attacks --rows all',
        'All attacks end to end, 50 questions a row: some ten minutes on two cores',
      ],
      [
        '$0 bench attacks --rows planted --min-sources 2',
        'Planted passages where an answer needs two sources',
      ],
      [
        '$0 bench attacks --rows planted --questions open',
        'Planted passages and look-alikes of the written questions',
      ],
      ['$0 bench attacks --rows hidden,jamming --n 10', 'Some of the rows, on few questions'],
    ]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A & ModelArguments : never;

export const attacksCommand: CommandModule<object, Arguments> = {
  command: 'attacks',
  describe: 'Hostile documents: what of them is noticed, and what attacks bring about',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    process.stdout.write(`${await (argv.rows === DETECTOR ? detector(argv) : hostile(argv))}\n`);
  },
};

async function detector({ data, fit, model, index, json }: Arguments): Promise<string> {
  if (fit) await (await import('../attacks/fit.ts')).fitPoison(data, model, say);
  const { benchAttacks, renderAttacks } = await import('../attacks/run.ts');
  const report = await benchAttacks(data, index, model);
  return json ? JSON.stringify(report) : renderAttacks(report);
}

async function hostile({ rows: list, ...argv }: Arguments): Promise<string> {
  if (argv.fit || argv.index.length > 0) {
    throw new PragauraError(
      'USAGE',
      `--fit and --index are for --rows ${DETECTOR}, not for attacks end to end.`,
      {
        hint: 'Leave --rows out, or the other two.',
      },
    );
  }
  const [{ benchHostile, parseGroups, renderHostile }, { GROUPS }] = await Promise.all([
    import('../attacks/hostile.ts'),
    import('../attacks/rows.ts'),
  ]);
  const rows = list === 'all' ? GROUPS : parseGroups(list);
  const report = await benchHostile(
    { ...argv, minSources: argv['min-sources'], models: modelsOf(argv), rows },
    say,
  );
  return argv.json ? JSON.stringify(report) : renderHostile(report);
}
