import type { CommandModule } from 'yargs';
import { type ScorerArguments, scorerOptions, scorersOptionsFrom, wholeNumber } from '../../cli/index.ts';
import { interruptible, say } from '../../common/index.ts';

interface ScoreArguments extends ScorerArguments {
  job: 'nli' | 'rerank' | 'read';
  window: number;
}

export const scoreCommand: CommandModule<object, ScoreArguments> = {
  builder: (parser) =>
    scorerOptions(parser, ['nli', 'rerank', 'read'])
      .positional('job', {
        choices: ['nli', 'rerank', 'read'] as const,
        demandOption: true,
        describe: 'Entailment, relevance, or the answer in a passage',
      })
      .option('window', {
        type: 'number',
        default: 64,
        requiresArg: true,
        coerce: wholeNumber('window', 1, 4096),
        describe: 'Pairs in flight at most',
      })
      .usage('Usage: $0 score nli|rerank|read < pairs.ndjson > scores.ndjson')
      .example([
        [
          `echo '{"id":"1","premise":"Ada sleeps.","hypothesis":"Ada is awake."}' | $0 score nli`,
          'Entailment, neutral, contradiction: probabilities',
        ],
        [
          `echo '{"id":"1","query":"Who sleeps?","passage":"Ada sleeps."}' | $0 score read`,
          'The answer and where it stands; null where the passage does not say it',
        ],
      ])
      .epilogue(
        'Input, one JSON object a line: nli {"id", "premise", "hypothesis"}; rerank and read {"id", "query",\n' +
          '"passage", "title"?}; a line without an id is called line-N. A model that was not trained on titles leaves\n' +
          'them out. A line that is bad gets an error record in its place, the rest is scored, and the exit code is 65.\n' +
          'Long texts are read in windows; "truncatedTokens" counts what no window covered. "noAnswer" is the\n' +
          'score of "no answer here", "margin" the best candidate\'s score above it: no answer unless it is positive.',
      ) as never,
  handler: async (args) => {
    const { runScore } = await import('./score-stream.ts');
    const { openScorers } = await import('../index.ts');
    const scorers = await openScorers({ ...scorersOptionsFrom(args, say), jobs: [args.job] });
    try {
      process.exitCode = await interruptible((signal) =>
        runScore(args.job, {
          scorers,
          input: process.stdin,
          output: process.stdout,
          errors: say,
          window: args.window,
          signal,
        }),
      );
    } finally {
      await scorers.close();
    }
  },
};
