import type { Argv, CommandModule } from 'yargs';
import { PRINCIPAL_OPTIONS, QUERY_LOG_DAYS_OPTION, QUERY_LOG_OPTION } from '../../cli/index.ts';
import type { QueriesArguments, QueriesVerb } from './queries-run.ts';

function command(verb: QueriesVerb, describe: string): CommandModule<object, QueriesArguments> {
  return {
    command: verb,
    describe,
    handler: async (args) => {
      const { runQueries } = await import('./queries-run.ts');
      process.stdout.write(await runQueries(verb, args, Date.now()));
    },
  };
}

const COMMANDS = [
  command('consent', 'Agree to what one asks about being kept for a while'),
  command('list', 'What is kept of oneself'),
  command('erase', 'Take consent back, and off what is kept'),
];

export const queriesCommand: CommandModule = {
  builder: (parser) =>
    COMMANDS.reduce<Argv>(
      (chain, each) => chain.command(each as unknown as CommandModule),
      parser
        .option('query-log', { ...QUERY_LOG_OPTION, demandOption: 'Where is it? Say --query-log FILE.' })
        .option('query-log-days', QUERY_LOG_DAYS_OPTION)
        .options(PRINCIPAL_OPTIONS)
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON, one record a line' }),
    )
      .usage('Usage: $0 queries COMMAND --query-log FILE')
      .example([
        ['$0 queries consent --query-log queries.db --trust-local', 'Agree'],
        ['$0 queries list --query-log queries.db --trust-local', 'See what is kept'],
      ])
      .epilogue(
        'Of a question the things that it names are kept, and when it was asked. Deleted text is overwritten in the file.',
      )
      .demandCommand(1, 'consent, list or erase?'),
  handler() {},
};
