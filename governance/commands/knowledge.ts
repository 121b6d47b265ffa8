import type { Argv, CommandModule } from 'yargs';
import {
  AUDIT_KEY_OPTION,
  AUDIT_OPTION,
  INDEX_OPTION,
  POLICY_OPTIONS,
  PRINCIPAL_OPTIONS,
  wholeNumber,
} from '../../cli/index.ts';
import type { GenerationsArguments, KeepArguments, RollbackArguments } from './knowledge-run.ts';

const options = (parser: Argv) =>
  parser
    .option('index', INDEX_OPTION)
    .option('json', { type: 'boolean', default: false, describe: 'Print JSON, one record a line' });

const generations: CommandModule<object, GenerationsArguments> = {
  command: 'generations',
  describe: 'Generations of an index that are kept, the current one first',
  builder: (parser) =>
    parser
      .usage('Usage: $0 knowledge generations --index DIR')
      .example('$0 knowledge generations --index my-index', 'What one could go back to') as never,
  handler: async (args) => {
    const { runGenerations } = await import('./knowledge-run.ts');
    process.stdout.write(runGenerations(args));
  },
};

const keep: CommandModule<object, KeepArguments> = {
  command: 'keep <count>',
  describe: 'How many generations are kept beside the current one, from now on',
  builder: (parser) =>
    parser
      .positional('count', {
        type: 'number',
        coerce: wholeNumber('count', 0, 1_000),
        demandOption: true,
        describe: 'Generations; 0: none is kept, and those that are there go',
      })
      .usage('Usage: $0 knowledge keep COUNT --index DIR')
      .example('$0 knowledge keep 5 --index my-index', 'The next five updates can be taken back') as never,
  handler: async (args) => {
    const { runKeep } = await import('./knowledge-run.ts');
    process.stdout.write(runKeep(args));
  },
};

const rollback: CommandModule<object, RollbackArguments> = {
  command: 'rollback [generation]',
  describe: 'Make another generation the index, from one moment to the next',
  builder: (parser) =>
    parser
      .positional('generation', {
        type: 'string',
        describe:
          'Its name, the beginning of its hash, or the day or moment when it was the index [default: the one before]',
      })
      .option('audit', AUDIT_OPTION)
      .option('audit-key', AUDIT_KEY_OPTION)
      .options(PRINCIPAL_OPTIONS)
      .options(POLICY_OPTIONS)
      .usage('Usage: $0 knowledge rollback [GENERATION] --index DIR')
      .example([
        ['$0 knowledge rollback --index my-index', 'Take the last update back'],
        [
          '$0 knowledge rollback 2026-11-01 --index my-index --audit audit.log',
          'As it was on that day, on record',
        ],
      ])
      .epilogue(
        'Nothing is lost: the generation that was the index stays one that is kept. Servers take the other one up within a\n' +
          'second. With --policy-file whoever asks has to be allowed to "rollback" every document that differs. With --audit\n' +
          'that it is about to happen is on the log before it does, and that it did after.',
      ) as never,
  handler: async (args) => {
    const { runRollback } = await import('./knowledge-run.ts');
    process.stdout.write(await runRollback(args));
  },
};

export const knowledgeCommand: CommandModule = {
  builder: (parser) =>
    options(parser)
      .command(generations as unknown as CommandModule)
      .command(keep as unknown as CommandModule)
      .command(rollback as unknown as CommandModule)
      .demandCommand(1, 'generations, keep or rollback?'),
  handler() {},
};
