import type { CommandModule } from 'yargs';
import { reproCommand } from './repro.ts';

/**
 * The commands of this room, in the order of the help. `overview`: their names are enough; what is within `bench` takes
 * a while to read.
 */
export async function benchCommands(overview: boolean): Promise<CommandModule[]> {
  const bench = {
    command: 'bench',
    describe:
      'Measure indexing, retrieval, decisions, answers on manuals, policies at equal compute, latency, the stream, the queue, scorers, readers and providers',
    ...(!overview && { builder: (await import('./bench.ts')).benchBuilder }),
    handler() {},
  };
  return [bench, reproCommand] as unknown as CommandModule[];
}
