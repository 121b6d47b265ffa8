import type { Argv, CommandModule } from 'yargs';
import { lexicalCommand, lexicalEngineCommand } from './lexical.ts';

/** `pragaura bench …`: every figure that is claimed, each by one command. */
export const benchCommand: CommandModule<object, never> = {
  command: 'bench',
  describe: 'Measure retrieval, answers, latency and the stream',
  builder: ((argv: Argv) =>
    argv
      .command(lexicalCommand)
      .command(lexicalEngineCommand)
      .demandCommand(1, 'Which measurement?')) as never,
  handler() {},
};
