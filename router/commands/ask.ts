import type { CommandModule } from 'yargs';
import { jsonOf } from '../../cli/index.ts';
import { interruptible, say } from '../../common/index.ts';
import { decisionOptions, defaultsOptions } from './decision-options.ts';
import {
  backendOption,
  calibratedOptionsFrom,
  calibrationOption,
  type GovernanceArguments,
  governanceOptions,
  governedOptions,
  governingFrom,
  type LoadThresholds,
  type OpenGovernance,
  type RouterArguments,
  routerOptions,
} from './options.ts';

interface AskArguments extends RouterArguments, GovernanceArguments {
  question: string[] | undefined;
  calibration: string | undefined;
  history: string | undefined;
  chat: boolean;
  json: boolean;
  explain: boolean;
}

const HISTORY_EXAMPLE = '[{"role": "user", "text": "Who leads the platform team?"}]';

export const askCommand = (
  load: LoadThresholds,
  openGovernance: OpenGovernance,
): CommandModule<object, AskArguments> => ({
  builder: (parser) =>
    governanceOptions(
      defaultsOptions(
        decisionOptions(
          calibrationOption(
            backendOption(
              routerOptions(
                parser.positional('question', {
                  type: 'string',
                  array: true,
                  describe: 'The question; "-" reads it from standard input, which is also read when a pipe',
                }),
              ),
            ),
          ),
        ),
      ),
    )
      .option('history', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'JSON file of the turns before the question: [{"role": "user" or "assistant", "text"}, …]',
      })
      .option('chat', {
        type: 'boolean',
        default: false,
        describe: 'Go on: every further line of standard input is the next turn of the conversation',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print the decision as JSON' })
      .option('explain', {
        type: 'boolean',
        default: false,
        describe: 'Show act, allocation, branches, signals and receipt too',
      })
      .usage('Usage: $0 ask "question" --index DIR')
      .example([
        ['$0 ask "How long is the warranty?" --index my-index', 'Ask'],
        ['$0 ask --explain --index my-index "Who signed ADR-0012?"', 'See what led to the decision'],
        ['$0 ask --json --index my-index - < question.txt', 'A question from a file, the decision as JSON'],
        ['$0 ask --chat --index my-index', 'A conversation'],
        ['$0 ask "What is a CRP?" --index my-index --vocabulary terms.csv', 'With terms of your own'],
      ])
      .epilogue(
        'On a terminal a question back waits for your answer; Enter leaves.\n' +
          'Exit code 0 whatever the decision was. A question that starts with "-" goes after "--".',
      ) as never,
  handler: async (args) => {
    const quiet = () => {};
    await interruptible(async (signal) => {
      const { runAsk } = await import('./ask-run.ts');
      const governing = await governingFrom(args, openGovernance);
      const { short = false } = governing;
      await runAsk({
        // What stands after "--" is no positional to yargs.
        question: [...(args.question ?? []), ...args._.slice(1).map(String)],
        router: governedOptions(await calibratedOptionsFrom(args, load, say), governing),
        audited: governing.audited,
        short,
        history: args.history === undefined ? undefined : jsonOf(args.history, 'history', HISTORY_EXAMPLE),
        chat: args.chat,
        json: args.json,
        explain: args.explain,
        signal,
        stdin: process.stdin,
        stdout: process.stdout,
      }).finally(governing.close);
    }, quiet);
  },
});
