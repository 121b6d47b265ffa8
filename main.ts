#!/usr/bin/env node
/** The front door: registers each room's commands and says what went wrong, nothing else. */
import { existsSync } from 'node:fs';
import type { Argv, CommandModule } from 'yargs';
import { calibrationCommands } from './calibration/commands/index.ts';
import {
  checkGivenOnce,
  configured,
  inWords,
  isOptionOfAny,
  nameOf,
  optionsOf,
  settingsCommand,
  yargs,
} from './cli/index.ts';
import { EXIT, messageOf, PragauraError, packageVersion, plainLine } from './common/index.ts';
import { defaultsCommand } from './conversation/commands/defaults.ts';
import { indexCommand } from './corpus/commands/index-corpus.ts';
import { generationCommands } from './generation/commands/index.ts';
import { routerCommands } from './router/commands/index.ts';
import { modelsCommand } from './scorers/commands/models.ts';
import { scoreCommand } from './scorers/commands/score.ts';
import { workerCommands } from './workers/commands/index.ts';

const loadThresholds = async (file: string) => (await import('./calibration/index.ts')).loadCalibration(file);

const args = process.argv.slice(2);

/** The room of the benchmarks is in the repository only: the package leaves it out. */
const BENCHES = ['bench', 'repro'];
const overview = args.every((arg) => ['--help', '-h', '--version'].includes(arg));
const benchCommands = existsSync(new URL('bench', import.meta.url))
  ? await (await import('./bench/commands/index.ts')).benchCommands(overview)
  : [];

const COMMANDS: readonly CommandModule[] = [
  indexCommand as unknown as CommandModule,
  ...routerCommands(loadThresholds),
  defaultsCommand,
  ...workerCommands(loadThresholds),
  ...calibrationCommands,
  ...generationCommands(loadThresholds),
  scoreCommand as unknown as CommandModule,
  modelsCommand(),
  ...benchCommands,
  settingsCommand(() => COMMANDS),
];

const debug = /^(1|true|yes|on)$/i.test(process.env.PRAGAURA_DEBUG ?? '');

/** True once the command line has been understood: until then, what is thrown is about the command line. */
let parsed = false;

function parser(): Argv {
  let root = yargs(args)
    .scriptName('pragaura')
    .usage(
      'Usage: $0 <command> [options]\n\nAnswer, ask or abstain: decisions in front of your own documents.',
    )
    .version(packageVersion())
    .help()
    .alias('help', 'h')
    .strict()
    .strictCommands()
    .demandCommand(1, 'Which command?')
    .recommendCommands()
    // yargs hands its instance over as well, which its types do not say.
    .middleware(((argv: Record<string, unknown>, current: Argv) => {
      parsed = true;
      checkGivenOnce(argv, optionsOf(current).array);
    }) as never)
    .completion('completion', 'Print a script for shell completion')
    .parserConfiguration({ 'parse-positional-numbers': false })
    .fail(false)
    .exitProcess(false)
    .wrap(Math.min(110, process.stdout.columns ?? 110))
    .example([
      ['$0 index docs --out my-index', 'Index a folder of documents'],
      ['$0 ask "How long is the warranty?" --index my-index', 'Ask it something'],
      ['$0 route --index my-index < queries.ndjson', 'Decide a stream of queries'],
    ])
    .epilogue(
      'Every option can also be set in pragaura.config.json or as PRAGAURA_… in the environment.\n' +
        'Exit codes: 0 done, 1 a check failed, 2 usage, 65 some input lines were bad, 66 no input or an unusable\n' +
        'index or store, 69 model, hub, Redis, output or lock unavailable, 70 internal, 78 configuration, 130 interrupted.',
    );
  const isOption = (name: string) => isOptionOfAny(COMMANDS, name);
  for (const command of COMMANDS) root = root.command(configured(command, isOption, args));
  return root;
}

function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** A command says of a full disk what it knows; then nothing is left to say for the stream itself. */
let writeFailureSaid = false;

/** Says what went wrong in words and gives the exit code. Stacks are for PRAGAURA_DEBUG=1. */
function report(error: unknown): number {
  if (debug) console.error(error);
  if (PragauraError.isInstance(error)) {
    writeFailureSaid ||= error.code === 'WRITE_FAILED';
    say(`pragaura: ${plainLine(error.message)}`);
    if (error.hint !== undefined) say(`  ${plainLine(error.hint)}`);
    if (error.exitCode === EXIT.INTERNAL) say('  This is a defect; PRAGAURA_DEBUG=1 shows where.');
    return error.exitCode;
  }
  if (!parsed) {
    const command = args.map((arg) => COMMANDS.find((c) => nameOf(c) === arg)).find((c) => c !== undefined);
    const [message = '', ...hints] = inWords(messageOf(error)).split('\n');
    say(`pragaura: ${plainLine(message)}`);
    for (const hint of hints) say(`  ${plainLine(hint)}`);
    if (command) say(`  Usage: pragaura ${String(command.command)} [options]`);
    say(`  pragaura${command ? ` ${nameOf(command)}` : ''} --help says more.`);
    return EXIT.USAGE;
  }
  say(`pragaura: ${plainLine(messageOf(error))}`);
  say('  This is a defect; PRAGAURA_DEBUG=1 shows where.');
  return EXIT.INTERNAL;
}

/**
 * Ends with this code, whatever a handler sets later, and even where a failure left threads or sockets behind; what
 * was written has ten seconds to go out, and so have models that are still loading: leaving in the middle of that
 * aborts the process.
 */
function leave(code: number): void {
  process.once('exit', () => {
    process.exitCode = code;
  });
  setTimeout(() => process.exit(), 10_000).unref();
}

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => leave(report(error)));
}

// A reader that has gone is no error; a full disk is.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  const failed = new PragauraError('WRITE_FAILED', `The output cannot be written: ${error.message}`, {
    hint: 'Is the disk full?',
  });
  leave(failed.exitCode);
  process.once('exit', () => {
    if (!writeFailureSaid) report(failed);
  });
});
process.stderr.on('error', () => {});

try {
  if (benchCommands.length === 0 && BENCHES.includes(args[0] ?? '')) {
    throw new PragauraError('USAGE', `"pragaura ${args[0]}" is not part of the installed package.`, {
      hint: 'Benchmarks come with the repository: run them in a clone of it, after npm ci && npm run build.',
    });
  }
  await parser().parseAsync();
} catch (error) {
  leave(report(error));
}
