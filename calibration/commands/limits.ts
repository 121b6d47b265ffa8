import type { CommandModule } from 'yargs';
import { interruptible, say } from '../../common/index.ts';
import { routerOptions } from '../../router/commands/options.ts';
import type { LimitsArguments } from './limits-run.ts';

export const limitsCommand: CommandModule<object, LimitsArguments> = {
  builder: (parser) =>
    routerOptions(parser)
      .option('queries', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        demandOption: 'Which queries? Say --queries FILE.',
        describe:
          'What people ask, NDJSON, most of it without labels; of each collection 20 that it answers, with "passages"',
      })
      .option('layers', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'Settings of layers that the limits are put into [default: none]',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        demandOption: 'Where to? Say --out FILE.',
        describe:
          'Settings of layers with a limit for each collection, for --layers of ask, route and others',
      })
      .usage('Usage: $0 limits --index DIR --queries FILE --out FILE')
      .example([
        [
          '$0 limits --index my-index --queries asked.ndjson --out layers.json',
          'How far is too far, for each folder',
        ],
        [
          '$0 ask "Who won the cup?" --index my-index --layers layers.json',
          'Refused as too distant, beyond it',
        ],
      ])
      .epilogue(
        'A query in "queries" is {"id", "query"}, a labelled one has "passages" or "answers" too. The limit is fitted to the\n' +
          'distances of the queries to the nearest passage of a collection (the folder that was indexed).',
      ) as never,
  async handler(args) {
    const { runLimits } = await import('./limits-run.ts');
    await interruptible(async (signal) => {
      process.stdout.write(await runLimits(args, say, signal));
    });
  },
};
