import type { CommandModule } from 'yargs';
import { benchCommand } from './bench.ts';
import { reproCommand } from './repro.ts';

/** The commands of this room, in the order of the help. */
export const benchCommands = [benchCommand, reproCommand] as unknown as CommandModule[];
