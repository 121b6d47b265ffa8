import type { CommandModule } from 'yargs';
import type { LoadThresholds } from '../../router/commands/options.ts';
import type { ServiceArguments } from './service-from.ts';
import { serviceOptions } from './service-options.ts';

export const mcpCommand = (load: LoadThresholds): CommandModule<object, ServiceArguments> => ({
  builder: (parser) =>
    serviceOptions(parser)
      .usage('Usage: $0 mcp --index DIR [--index NAME=DIR…]')
      .example([
        ['claude mcp add handbook -- pragaura mcp --index /srv/handbook.index', 'For Claude Code'],
        ['$0 mcp --index hr=hr.index --index it=it.index', 'Two collections'],
      ])
      .epilogue(
        'Speaks the Model Context Protocol on standard input and output; log lines go to standard error. Clients start it\n' +
          'themselves: it ends with its input, or at a signal, after what was asked is answered. Over HTTP "pragaura serve"\n' +
          'speaks the same at /mcp.',
      ) as never,
  handler: async (args) => {
    const { runMcp } = await import('./run-mcp.ts');
    process.exitCode = await runMcp(args, load);
  },
});
