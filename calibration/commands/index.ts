import type { CommandModule } from 'yargs';
import { calibrateCommand } from './calibrate.ts';
import { compareCommand } from './compare.ts';
import { evaluateCommand } from './evaluate.ts';
import { labelCommand } from './label.ts';
import { monitorCommand } from './monitor.ts';

/** The commands of this room, in the order of the help. Their handlers load what they need when they run. */
export const calibrationCommands = [
  labelCommand,
  calibrateCommand,
  evaluateCommand,
  compareCommand,
  monitorCommand,
] as unknown as CommandModule[];
