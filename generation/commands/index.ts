import type { CommandModule } from 'yargs';
import type { LoadThresholds } from '../../router/commands/options.ts';
import { generateCommand } from './generate.ts';
import { verifyCommand } from './verify.ts';

/** The commands of this room, in the order of the help. Their handlers load what they need when they run. */
export const generationCommands = (loadThresholds: LoadThresholds): CommandModule[] =>
  [generateCommand(loadThresholds), verifyCommand] as unknown as CommandModule[];
