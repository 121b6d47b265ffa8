import type { CommandModule } from 'yargs';
import { interruptible, say } from '../../common/index.ts';
import type { ResultsOptions } from '../results/index.ts';
import { type QueueArguments, queueOptions, REDIS_HELP, redisOf, shortText } from './options.ts';

type ResultsArguments = QueueArguments &
  Pick<ResultsOptions, 'tenant' | 'follow' | 'ordered' | 'ledger' | 'cursor' | 'out'>;

const file = { type: 'string', requiresArg: true, normalize: true } as const;

export const resultsCommand: CommandModule<object, ResultsArguments> = {
  builder: (parser) =>
    queueOptions(parser)
      .option('tenant', {
        type: 'string',
        requiresArg: true,
        coerce: shortText('tenant', 128),
        describe: 'Only results of this tenant [default: of all]',
      })
      .option('follow', { type: 'boolean', default: false, describe: 'Go on as results come, until stopped' })
      .option('ledger', { ...file, describe: 'Only jobs of this ledger of "submit", until all are there' })
      .option('ordered', {
        type: 'boolean',
        default: false,
        describe: 'In the order in which the ledger was submitted',
      })
      .option('out', {
        ...file,
        describe: 'File to write to; run again, it goes on where it stopped, also after a crash',
      })
      .option('cursor', {
        ...file,
        describe: 'File that remembers what was written [default: beside --out, FILE.cursor; none without]',
      })
      .usage('Usage: $0 results [--follow | --ledger FILE] [--out FILE]')
      .example([
        ['$0 results --ledger today.ledger --ordered --out decisions.ndjson', 'All of a ledger, in order'],
        ['$0 results --follow --cursor my.cursor | consumer', 'For ever, each once'],
        ['$0 results', 'All that are kept'],
      ])
      .epilogue(
        'A line is what "route" would have written: a decision, or an error record. With --out a result is written exactly\n' +
          'once, whoever dies when. On standard output the last lines before a SIGKILL may come again, since nobody knows\n' +
          'whether they were read; any other end loses and repeats nothing, given --cursor. Exit code 65: some were errors.\n' +
          REDIS_HELP,
      ) as never,
  handler: async (args) => {
    const { runResults } = await import('../results/index.ts');
    await interruptible(async (signal) => {
      process.exitCode = await runResults({
        ...args,
        redis: redisOf(args),
        output: process.stdout,
        say,
        signal,
      });
    });
  },
};
