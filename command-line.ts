/** A command line: understood, run, and what went wrong said in words. */
import type { Argv, CommandModule } from 'yargs';
import { checkGivenOnce, configured, inWords, isOptionOfAny, nameOf, optionsOf, yargs } from './cli/index.ts';
import { isLeftOut, listCommands, loadCommands } from './commands.ts';
import { EXIT, messageOf, PragauraError, packageVersion, plainLine } from './common/index.ts';

export interface CommandLine {
  /** Runs its command, which sets the exit code of the process where nothing is thrown. */
  run(): Promise<void>;
  /** Says what went wrong in words and gives the exit code. Stacks are for PRAGAURA_DEBUG=1. */
  report(error: unknown): number;
}

/** The command line of these arguments, which are those after the name of the program. Nothing is run yet. */
export async function commandLine(args: readonly string[]): Promise<CommandLine> {
  const overview = args.every((arg) => ['--help', '-h', '--version'].includes(arg));
  const commands: readonly CommandModule[] = overview ? listCommands() : await loadCommands();
  const debug = /^(1|true|yes|on)$/i.test(process.env.PRAGAURA_DEBUG ?? '');

  /** True once the command line has been understood: until then, what is thrown is about the command line. */
  let parsed = false;

  function parser(): Argv {
    let root = yargs([...args])
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
          'index or store, 69 model, hub, Redis, output or lock unavailable, 70 internal, 77 not permitted,\n' +
          '78 configuration, 130 interrupted.',
      );
    const isOption = (name: string) => isOptionOfAny(commands, name);
    for (const command of commands) root = root.command(configured(command, isOption, args));
    return root;
  }

  return {
    async run() {
      if (isLeftOut(args[0] ?? '')) {
        throw new PragauraError('USAGE', `"pragaura ${args[0]}" is not part of the installed package.`, {
          hint: 'Benchmarks come with the repository: run them in a clone of it, after npm ci && npm run build.',
        });
      }
      await parser().parseAsync();
    },
    report(error) {
      if (debug) console.error(error);
      if (PragauraError.isInstance(error)) {
        say(`pragaura: ${plainLine(error.message)}`);
        if (error.hint !== undefined) say(`  ${plainLine(error.hint)}`);
        if (error.exitCode === EXIT.INTERNAL) say('  This is a defect; PRAGAURA_DEBUG=1 shows where.');
        return error.exitCode;
      }
      if (!parsed) {
        const command = args
          .map((arg) => commands.find((c) => nameOf(c) === arg))
          .find((c) => c !== undefined);
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
    },
  };
}

function say(message: string): void {
  process.stderr.write(`${message}\n`);
}
