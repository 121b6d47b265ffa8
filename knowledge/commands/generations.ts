/** Which generations of an index are kept, and the way back to one. */
import type { CommandModule } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import type { GenerationsArguments, KeepArguments, RollbackArguments } from './generations-run.ts';
import { GOVERNED, TICKET_OPTION } from './governed-options.ts';

const generations: CommandModule<object, GenerationsArguments> = {
  command: 'generations',
  describe: 'Generations of an index that are kept, the current one first',
  builder: (parser) =>
    parser
      .usage('Usage: $0 knowledge generations --index DIR')
      .example('$0 knowledge generations --index my-index', 'What one could go back to') as never,
  handler: async (args) => {
    const { runGenerations } = await import('./generations-run.ts');
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
    const { runKeep } = await import('./generations-run.ts');
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
      .option('ticket', TICKET_OPTION)
      .options(GOVERNED)
      .usage('Usage: $0 knowledge rollback [GENERATION] --index DIR')
      .example([
        ['$0 knowledge rollback --index my-index', 'Take the last update back'],
        [
          '$0 knowledge rollback --ticket 7 --index my-index --trust-local',
          'What ticket 7 brought, as long as it is the last update',
        ],
        [
          '$0 knowledge rollback 2026-11-01 --index my-index --audit audit.log',
          'As it was on that day, on record',
        ],
      ])
      .epilogue(
        'Nothing is lost: the generation that was the index stays one that is kept. Servers take the other one up within a\n' +
          'second. With --policy-file whoever asks has to be allowed to "rollback" every document that differs. That it is about to\n' +
          'happen is on the log before it does, and that it did after. Tickets whose text it takes out are ROLLED_BACK.',
      ) as never,
  handler: async (args) => {
    const { runRollback } = await import('./generations-run.ts');
    process.stdout.write(await runRollback(args));
  },
};

export const GENERATION_COMMANDS = [generations, keep, rollback] as unknown as CommandModule[];
