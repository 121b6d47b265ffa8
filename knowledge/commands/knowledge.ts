import type { Argv, CommandModule } from 'yargs';
import { INDEX_OPTION } from '../../cli/index.ts';
import { GENERATION_COMMANDS } from './generations.ts';
import { TICKET_COMMANDS } from './tickets.ts';

export const knowledgeCommand: CommandModule = {
  builder: (parser) => {
    const shared = parser
      .option('index', INDEX_OPTION)
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON, one record a line' });
    return [...TICKET_COMMANDS, ...GENERATION_COMMANDS]
      .reduce((all: Argv, each) => all.command(each), shared as Argv)
      .demandCommand(1, 'What about it? propose, list, show, triage, review, apply, rollback…');
  },
  handler() {},
};
