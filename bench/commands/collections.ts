import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { interruptible } from '../../common/index.ts';
import { countOption, figuresOption, indexOptions, say } from './options.ts';

const builder = (argv: Argv) =>
  modelOptions(figuresOption(indexOptions(argv)), ['embed'])
    .option('sets', {
      type: 'string',
      default: 'articles-a,new-wiki,hotpot,cranfield,emanual,nq-qed,trecqa',
      requiresArg: true,
      describe: 'Collections, separated by commas; each is also asked what belongs to the others',
    })
    .option('limit', countOption(300, 20, 'Questions of each, a seeded sample'))
    .example([['$0 bench collections --sets cranfield,emanual', 'Two collections that are unlike']]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A & ModelArguments : never;

export const collectionsCommand: CommandModule<object, Arguments> = {
  command: 'collections',
  describe: 'What a collection gains from a weight of words and a limit of its own, fitted from few labels',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchCollections }, { HELD_OUT, namesIn }] = await Promise.all([
      import('../collections/run.ts'),
      import('../tuning/sets.ts'),
    ]);
    const sets = namesIn(HELD_OUT, argv.sets, 'set');
    await interruptible(async (signal) => {
      const options = { ...argv, sets, models: modelsOf(argv), signal };
      process.stdout.write(`${await benchCollections(options, say)}\n`);
    });
  },
};
