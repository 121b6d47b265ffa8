import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { countOption, DATA_OPTION, figuresOption, say } from './options.ts';

const builder = (argv: Argv) =>
  modelOptions(figuresOption(argv))
    .option('data', DATA_OPTION)
    .option('record', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'Score here and write the scores to this file',
    })
    .option('label', { type: 'string', default: 'here', requiresArg: true, describe: 'What to call it' })
    .option('n', countOption(2_000, 16, 'Items a job'))
    .option('widen', {
      type: 'boolean',
      describe: 'Take weights as unsigned, or not (--no-widen) [default: as this processor needs it]',
    })
    .option('softmax', {
      type: 'boolean',
      default: true,
      describe: 'Write a softmax out, or leave it to ONNX Runtime (--no-softmax)',
    })
    .option('compare', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Records to compare; the others are held against the first',
    })
    .example([
      ['$0 bench arithmetic --record here.json --label "this CPU"', 'Score 2,000 items of each job'],
      [
        'npm run masked -- avx2 pragaura bench arithmetic --record avx2.json --label AVX2',
        'The same as on a processor with AVX2 alone',
      ],
      ['$0 bench arithmetic --compare float.json here.json avx2.json', 'Differences and accuracy lost'],
    ])
    .epilogue('The float model: "pragaura models dequantize --out DIR", then --models-dir DIR.');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A & ModelArguments : never;

export const arithmeticCommand: CommandModule<object, Arguments> = {
  command: 'arithmetic',
  describe: 'The same pairs on several kinds of CPU, in int8 and in float: scores, accuracy, speed',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchArithmetic } = await import('../arithmetic/run.ts');
    const text = await benchArithmetic({ ...argv, record: argv.record, models: modelsOf(argv) }, say);
    if (text !== '') process.stdout.write(`${text}\n`);
  },
};
