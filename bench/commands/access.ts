import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { interruptible } from '../../common/index.ts';
import { countOption, say } from './options.ts';

const builder = (argv: Argv) =>
  argv
    .option('documents', {
      type: 'string',
      default: 'router/demo/documents',
      requiresArg: true,
      normalize: true,
      describe: 'Folder of documents, some of which are hidden, file by file',
    })
    .option('questions', {
      type: 'string',
      default: 'router/demo/queries.ndjson',
      requiresArg: true,
      normalize: true,
      describe: 'Questions that anybody asks of them: NDJSON with "query"',
    })
    .option('cases', countOption(5_000, 1, 'Questions asked, of all kinds'))
    .option('each', countOption(25, 1, 'Questions for one draw of hidden files'))
    .option('seed', countOption(1, 0, 'What is hidden and asked'))
    .option('queue', {
      type: 'boolean',
      default: false,
      describe: 'Ask by way of a queue too (a redis-server is started: Debian, apt-get install redis-server)',
    })
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of tables' })
    .example('$0 bench access --cases 200', 'A first look')
    .example('$0 bench access --cases 1000 --queue', 'The same, and by way of a queue')
    .epilogue(
      'A case: one question to a router that may not read some files, and to one over an index that was made without them.\n' +
        'Nine of ten questions are made of the hidden files: their identifiers, sentences, titles, titles misspelt. With\n' +
        '--queue each is asked once more, and once by a job that was changed so that it would show everything. Exit code 1: two\n' +
        'decisions differed in something else than clocks, or a changed job was decided.',
    );

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const accessCommand: CommandModule<object, Arguments> = {
  command: 'access',
  describe: 'Whether what one may not read shows in anything that one is told',
  builder: builder as never,
  async handler({ json, ...argv }: ArgumentsCamelCase<Arguments>) {
    const { benchAccess, renderAccess } = await import('../access/run.ts');
    const { cases, each, seed } = argv as unknown as { cases: number; each: number; seed: number };
    const report = await interruptible((signal) =>
      benchAccess({ ...argv, cases, each, seed }, { say, signal }),
    );
    process.stdout.write(`${json ? JSON.stringify(report) : renderAccess(report)}\n`);
    const { queue } = report;
    const leaks = report.differences.length + (queue === null ? 0 : queue.differences + queue.deceived);
    if (leaks > 0) process.exitCode = 1;
  },
};
