/** The commands of this room. The front door hands over what reads a calibration artifact. */
import type { CommandModule } from 'yargs';
import type { LoadThresholds } from '../../router/commands/options.ts';
import { queueCommand } from './queue.ts';
import { resultsCommand } from './results.ts';
import { submitCommand } from './submit.ts';
import { workerCommand } from './worker.ts';

export const workerCommands = (load: LoadThresholds): readonly CommandModule[] => [
  workerCommand(load) as unknown as CommandModule,
  submitCommand as unknown as CommandModule,
  resultsCommand as unknown as CommandModule,
  queueCommand as unknown as CommandModule,
];
