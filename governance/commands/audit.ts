import type { Argv, CommandModule } from 'yargs';
import { AUDIT_KEY_OPTION, AUDIT_OPTION, INDEX_OPTION } from '../../cli/index.ts';
import type { AuditArguments } from './audit-run.ts';

const options = (parser: Argv) =>
  parser
    .option('audit', { ...AUDIT_OPTION, demandOption: 'Which log? Say --audit FILE.' })
    .option('audit-key', AUDIT_KEY_OPTION);

interface VerifyArguments extends AuditArguments {
  publicKey: string | undefined;
  checkpoint: string[] | undefined;
  json: boolean;
}

const verify: CommandModule<object, VerifyArguments> = {
  command: 'verify',
  describe: 'Whether every event is there, unchanged and in order',
  builder: (parser) =>
    parser
      .option('public-key', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'PEM file of the public key, kept elsewhere [default: the key that the log names]',
      })
      .option('checkpoint', {
        type: 'string',
        array: true,
        requiresArg: true,
        normalize: true,
        describe: 'Files with checkpoints, kept elsewhere',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print the report as JSON' })
      .usage('Usage: $0 audit verify --audit FILE')
      .example([
        ['$0 audit verify --audit audit.log', 'Is anything changed, dropped, added or out of order?'],
        [
          '$0 audit verify --audit audit.log --public-key audit.pem --checkpoint monday.json',
          'Also: is it the log of Monday, and has it lost nothing since?',
        ],
      ])
      .epilogue(
        'A log that ends early shows that by no line of its own: only a checkpoint that was kept elsewhere does. Exit\n' +
          'code 1: the log was cut by a crash ("audit recover" mends that) or tampered with.',
      ) as never,
  handler: async (args) => {
    const { runVerify } = await import('./audit-run.ts');
    const { text, exitCode } = await runVerify(args);
    process.stdout.write(text);
    process.exitCode = exitCode;
  },
};

interface ExportArguments extends AuditArguments {
  kind: string | undefined;
  since: string | undefined;
}

const exportCommand: CommandModule<object, ExportArguments> = {
  command: 'export',
  describe: 'The events of a log that verifies: NDJSON out',
  builder: (parser) =>
    parser
      .option('kind', { type: 'string', requiresArg: true, describe: 'Only events of this kind' })
      .option('since', {
        type: 'string',
        requiresArg: true,
        describe: 'Only events from this moment on, for example 2026-11-01 or 2026-11-01T08:00:00Z',
      })
      .usage('Usage: $0 audit export --audit FILE > events.ndjson')
      .example([['$0 audit export --audit audit.log --kind decision.made', 'Every decision']])
      .epilogue('That it was exported, by whom, is on the log before anything is printed.') as never,
  handler: async (args) => {
    const { exported } = await import('./audit-run.ts');
    await print(exported(args));
  },
};

const trace: CommandModule<object, AuditArguments & { decision: string | undefined }> = {
  command: 'trace [decision]',
  describe: 'What the log says of one decision, and of the tickets that brought what it quotes',
  builder: (parser) =>
    parser
      .positional('decision', {
        type: 'string',
        describe: 'Id of the decision; without one the decision itself is read from standard input',
      })
      .usage('Usage: $0 audit trace ID --audit FILE')
      .example([
        ['$0 audit trace q1 --audit audit.log', 'By its id'],
        ['$0 audit trace --audit audit.log < decision.json', 'Was exactly this given out?'],
      ])
      .epilogue(
        'That it was looked up, by whom, is on the log. Exit code 1: the log knows no such decision.',
      ) as never,
  handler: async (args) => {
    const { traced } = await import('./audit-run.ts');
    const lines = await traced(args, process.stdin);
    process.stdout.write(lines.join(''));
    if (lines.length === 0) process.exitCode = 1;
  },
};

const checkpoint: CommandModule<object, AuditArguments> = {
  command: 'checkpoint',
  describe: 'Print the last seal, to be kept elsewhere',
  builder: (parser) =>
    parser
      .usage('Usage: $0 audit checkpoint --audit FILE > monday.json')
      .example([['$0 audit checkpoint --audit audit.log > monday.json', 'For "audit verify --checkpoint"']])
      .epilogue(
        'Keep it where whoever can write the log cannot: it is what shows that a log was shortened.',
      ) as never,
  handler: async (args) => {
    const { runCheckpoint } = await import('./audit-run.ts');
    process.stdout.write(await runCheckpoint(args));
  },
};

const keys: CommandModule<object, AuditArguments> = {
  command: 'keys',
  describe: 'Print the public key, to be kept elsewhere; makes the pair where there is none',
  builder: (parser) =>
    parser
      .usage('Usage: $0 audit keys --audit FILE > audit.pem')
      .example([['$0 audit keys --audit audit.log > audit.pem', 'For "audit verify --public-key"']]) as never,
  handler: async (args) => {
    const { runKeys } = await import('./audit-run.ts');
    process.stdout.write(runKeys(args, process.stderr));
  },
};

const recover: CommandModule<object, AuditArguments> = {
  command: 'recover',
  describe: 'Mend a log that a crash cut in the middle of a line',
  builder: (parser) =>
    parser
      .usage('Usage: $0 audit recover --audit FILE')
      .example([['$0 audit recover --audit audit.log', 'Go on behind the last seal']])
      .epilogue(
        'Only what has no seal is taken off, of which nobody was told that it was recorded. It is kept in a file beside\n' +
          'the log, and the log says so. A log that was tampered with is left alone.',
      ) as never,
  handler: async (args) => {
    const { runRecover } = await import('./audit-run.ts');
    process.stdout.write(await runRecover(args));
  },
};

const replay: CommandModule<object, AuditArguments & { index: string; json: boolean }> = {
  command: 'replay',
  describe: 'Whether an index is what the log says became of it',
  builder: (parser) =>
    parser
      .option('index', INDEX_OPTION)
      .option('json', { type: 'boolean', default: false, describe: 'The report as JSON' })
      .usage('Usage: $0 audit replay --index DIR --audit FILE')
      .example([
        [
          '$0 audit replay --index my-index --audit my-index/pragaura-knowledge/audit.log',
          'Of what tickets did',
        ],
      ])
      .epilogue(
        'Tickets, rollbacks and documents that a server takes are on the log. Exit code 1: the index, or a document of a ticket,\n' +
          'is another one than the last event says, as after "pragaura index".',
      ) as never,
  handler: async (args) => {
    const { runReplay } = await import('./audit-run.ts');
    const { text, exitCode } = await runReplay(args);
    process.stdout.write(text);
    process.exitCode = exitCode;
  },
};

async function print(lines: AsyncIterable<string>): Promise<void> {
  const { Readable } = await import('node:stream');
  const { pipeline } = await import('node:stream/promises');
  try {
    await pipeline(Readable.from(lines), process.stdout, { end: false });
  } catch (error) {
    // Whoever read it has seen enough.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}

export const auditCommand: CommandModule = {
  builder: (parser) =>
    options(parser)
      .command(verify as unknown as CommandModule)
      .command(exportCommand as unknown as CommandModule)
      .command(trace as unknown as CommandModule)
      .command(replay as unknown as CommandModule)
      .command(checkpoint as unknown as CommandModule)
      .command(keys as unknown as CommandModule)
      .command(recover as unknown as CommandModule)
      .demandCommand(1, 'verify, export, trace, replay, checkpoint, keys or recover?'),
  handler() {},
};
