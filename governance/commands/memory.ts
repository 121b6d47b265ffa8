import type { Argv, CommandModule } from 'yargs';
import {
  AUDIT_KEY_OPTION,
  AUDIT_OPTION,
  MEMORY_OPTIONS,
  POLICY_OPTIONS,
  PRINCIPAL_OPTIONS,
  QUERY_LOG_OPTION,
  wholeNumber,
} from '../../cli/index.ts';
import type { MemoryArguments, RememberArguments } from './memory-run.ts';

const options = (parser: Argv) =>
  parser
    .options({
      ...MEMORY_OPTIONS,
      memory: { ...MEMORY_OPTIONS.memory, demandOption: 'Where is it? Say --memory DIR.' },
    })
    .options(PRINCIPAL_OPTIONS)
    .option('of', {
      type: 'string',
      requiresArg: true,
      describe:
        'Another person, by the subject of his token, where the policy permits "memory" [default: who asks]',
    })
    .options(POLICY_OPTIONS)
    .option('query-log', {
      ...QUERY_LOG_OPTION,
      describe: 'Query log that "erase" also takes the person off',
    })
    .option('audit', AUDIT_OPTION)
    .option('audit-key', AUDIT_KEY_OPTION);

type Verb = 'consent' | 'list' | 'remember' | 'correct' | 'forget' | 'export' | 'erase';

function command<T extends MemoryArguments>(
  verb: Verb,
  positionals: string,
  describe: string,
  builder: (parser: Argv) => unknown = (parser) => parser,
): CommandModule<object, T> {
  return {
    command: `${verb}${positionals}`,
    describe,
    builder: builder as never,
    handler: async (args) => {
      const { runMemory } = await import('./memory-run.ts');
      process.stdout.write(await runMemory(verb, args));
    },
  };
}

const id = (parser: Argv) =>
  parser.positional('id', { type: 'string', demandOption: true, describe: 'As "memory list" has it' });

const COMMANDS = [
  command('consent', '', 'Agree to being remembered'),
  command('list', '', 'What is remembered'),
  command<RememberArguments>('remember', ' <name> <value>', 'Remember something', (parser) =>
    parser
      .positional('name', {
        type: 'string',
        demandOption: true,
        describe: 'What "my NAME" is to mean, or a preference',
      })
      .positional('value', { type: 'string', demandOption: true, describe: 'Its value' })
      .option('type', {
        choices: ['fact', 'preference'] as const,
        default: 'fact' as const,
        describe: 'What it is; the preference there is: length, short or full',
      })
      .option('days', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('days', 1, 36_500),
        describe: 'Days after which it is forgotten [default: a fact after 365, a preference never]',
      })
      .example([
        [
          '$0 memory remember programme "MSc Physics" --memory memory --trust-local',
          'What "my programme" means',
        ],
        ['$0 memory remember length short --type preference --memory memory --trust-local', 'Answers alone'],
      ]),
  ),
  command('correct', ' <id> <value>', 'Another value for something that is remembered', (parser) =>
    id(parser).positional('value', { type: 'string', demandOption: true, describe: 'Its value' }),
  ),
  command('forget', ' <id>', 'Forget one thing', id),
  command('export', '', 'All of it as JSON, to take along'),
  command('erase', '', 'Forget everything, and that anything was remembered'),
];

export const memoryCommand: CommandModule = {
  builder: (parser) => {
    const all = COMMANDS.reduce<Argv>(
      (chain, each) => chain.command(each as unknown as CommandModule),
      options(parser),
    );
    return all
      .usage('Usage: $0 memory COMMAND --memory DIR')
      .epilogue(
        'Nothing is remembered of who has not agreed, and nothing of "public". What is remembered changes how an answer looks\n' +
          'and what "my …" means in a question; it is no evidence. With --audit changes are on the log, without their words.',
      )
      .demandCommand(1, `${COMMANDS.map(({ command }) => String(command).split(' ')[0]).join(', ')}?`);
  },
  handler() {},
};
