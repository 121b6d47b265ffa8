import type { CommandModule } from 'yargs';
import { POLICY_OPTIONS, PRINCIPAL_OPTIONS } from '../../cli/index.ts';
import type { LoadThresholds } from '../../router/commands/options.ts';
import type { McpArguments } from './run-mcp.ts';
import { serviceOptions } from './service-options.ts';

export const mcpCommand = (load: LoadThresholds): CommandModule<object, McpArguments> => ({
  builder: (parser) =>
    serviceOptions(parser)
      .options(PRINCIPAL_OPTIONS)
      .options(POLICY_OPTIONS)
      .usage('Usage: $0 mcp --index DIR [--index NAME=DIR…]')
      .example([
        ['claude mcp add handbook -- pragaura mcp --index /srv/handbook.index', 'For Claude Code'],
        ['$0 mcp --index hr=hr.index --index it=it.index', 'Two collections'],
        [
          'PRAGAURA_PRINCIPAL_TOKEN=eyJ… $0 mcp --index my-index --principals people.json --policy-file policy.cedar',
          'For somebody, over what they may read',
        ],
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
