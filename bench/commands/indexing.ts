import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { countAtLeast, say } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .positional('pages', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'Files and folders to index, such as the HTML pages of a manual',
    })
    .option('before', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'Folder of another build of this program, measured first in the same run',
    })
    .option('query', {
      type: 'string',
      requiresArg: true,
      default: 'What is the default?',
      describe: 'What is asked by words as soon as there is an index',
    })
    .option('threads', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Inference threads [default: one a core]',
    })
    .example([
      ['$0 bench indexing manual', 'Passages a second, time inside ONNX Runtime, time to the first answer'],
      [
        '$0 bench indexing manual --before ../other',
        'The same beside another build, and whether vectors agree',
      ],
    ]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const indexingCommand: CommandModule<object, Arguments> = {
  command: 'indexing <pages..>',
  describe:
    'How fast pages are indexed, what of it only ONNX Runtime could save, and when words can be searched',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const { benchIndexing } = await import('../indexing/run.ts');
    process.stdout.write(`${await benchIndexing({ ...argv, main: process.argv[1]! }, say)}\n`);
  },
};
