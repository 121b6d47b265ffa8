import type { Argv, CommandModule } from 'yargs';
import { FIRST_DEFAULT_OPTION, wholeNumber } from '../../cli/index.ts';
import { PragauraError } from '../../common/index.ts';

interface StoreArguments {
  store: string;
  tenant: string | undefined;
  json: boolean;
  firstDefault: number | undefined;
}

interface ForgetArguments extends StoreArguments {
  ids: string[] | undefined;
  all: boolean;
  olderThan: number | undefined;
  trail: boolean;
}

/** On the whole command, where the configuration file and the environment reach them. */
const options = (parser: Argv) =>
  parser
    .option('store', {
      // What route, ask and worker call it, so that one configuration file or environment serves all.
      alias: 'defaults',
      type: 'string',
      requiresArg: true,
      normalize: true,
      demandOption: 'Which store? Say --store FILE.',
      describe: 'File of learned defaults',
    })
    .option('tenant', {
      type: 'string',
      requiresArg: true,
      describe: 'Only this tenant [default: all of them; forget needs one]',
    })
    .option('first-default', FIRST_DEFAULT_OPTION)
    .option('json', { type: 'boolean', default: false, describe: 'Print JSON, one record a line' });

const list: CommandModule<object, StoreArguments> = {
  command: 'list',
  describe: 'What was learned, how sure it is, and whether it is applied',
  builder: (parser) =>
    parser
      .usage('Usage: $0 defaults list --store FILE')
      .example([['$0 defaults list --store defaults.db --tenant acme', 'Of one tenant']])
      .epilogue(
        'confidence: lower bound of the share of users who want the value. Below .60 users are asked, up to .85 the\n' +
          'value is proposed to them, above it is applied. A line for each sub-condition that was found to matter.',
      ) as never,
  handler: async (args) => {
    const { runList } = await import('./defaults-run.ts');
    process.stdout.write(await runList(args, Date.now()));
  },
};

const show: CommandModule<object, StoreArguments & { id: string }> = {
  command: 'show <id>',
  describe: 'One default with its votes and when it was used',
  builder: (parser) =>
    parser
      .positional('id', { type: 'string', demandOption: true, describe: 'Id of a default, from "list"' })
      .usage('Usage: $0 defaults show ID --store FILE')
      .example([['$0 defaults show 5f0c… --store defaults.db', 'Why is this taken for granted?']]) as never,
  handler: async (args) => {
    const { runShow } = await import('./defaults-run.ts');
    process.stdout.write(await runShow(args, Date.now()));
  },
};

const forget: CommandModule<object, ForgetArguments> = {
  command: 'forget [ids..]',
  describe: 'Delete the votes behind defaults, so that users are asked again',
  builder: (parser) =>
    parser
      .positional('ids', { type: 'string', array: true, describe: 'Ids of defaults, from "list"' })
      .option('all', { type: 'boolean', default: false, describe: 'Everything of the tenant' })
      .option('older-than', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('older-than', 1, 36_500),
        describe: 'Only votes older than so many days',
      })
      .option('trail', {
        type: 'boolean',
        default: false,
        describe: 'Also what was said when they were used; that they were stays on the trail',
      })
      .usage('Usage: $0 defaults forget ID…|--all --tenant T --store FILE')
      .example([
        ['$0 defaults forget 5f0c… --tenant acme --store defaults.db', 'One default'],
        ['$0 defaults forget --all --older-than 730 --tenant acme --store defaults.db', 'What is old'],
      ])
      .epilogue(
        'Deleted text is overwritten in the file. How many votes were forgotten stays on the audit trail. Exit code 66:\n' +
          'there was nothing to forget.',
      ) as never,
  handler: async (args) => {
    if (args.tenant === undefined) {
      throw new PragauraError('USAGE', 'Whose? Say --tenant T.', { hint: '"defaults list" names them.' });
    }
    if (args.all === (args.ids ?? []).length > 0) {
      throw new PragauraError('USAGE', 'Say which defaults: their ids, or --all.');
    }
    const { runForget } = await import('./defaults-run.ts');
    process.stdout.write(await runForget({ ...args, tenant: args.tenant }, Date.now()));
  },
};

const exportCommand: CommandModule<object, StoreArguments> = {
  command: 'export',
  describe: 'Every vote and the whole audit trail: NDJSON out',
  builder: (parser) =>
    parser
      .usage('Usage: $0 defaults export --store FILE > votes.ndjson')
      .example([
        ['$0 defaults export --store defaults.db --tenant acme', 'What is kept of one tenant'],
      ]) as never,
  handler: async (args) => {
    const { exported } = await import('./defaults-run.ts');
    const { Readable } = await import('node:stream');
    const { pipeline } = await import('node:stream/promises');
    try {
      await pipeline(Readable.from(exported(args)), process.stdout, { end: false });
    } catch (error) {
      // Whoever read it has seen enough.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
  },
};

export const defaultsCommand: CommandModule = {
  builder: (parser) =>
    options(parser)
      .command(list)
      .command(show as unknown as CommandModule)
      .command(forget as unknown as CommandModule)
      .command(exportCommand)
      .demandCommand(1, 'list, show, forget or export?'),
  handler() {},
};
