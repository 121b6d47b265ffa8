/** The commands of the scoring room. `pragaura models` will join them. */
import type { CommandModule } from 'yargs';
import { scoreCommand } from './score.ts';

export const scorerCommands = [scoreCommand] as unknown as readonly CommandModule[];
