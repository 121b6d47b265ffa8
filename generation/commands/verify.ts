import type { CommandModule } from 'yargs';
import { type ScorerArguments, scorerOptions, scorersOptionsFrom, wholeNumber } from '../../cli/index.ts';
import { interruptible, say } from '../../common/index.ts';
import { FACTUALITY_OPTION, type LoadFactuality } from './generator-options.ts';

interface VerifyArguments extends ScorerArguments {
  factuality: string | undefined;
  window: number;
}

export const verifyCommand = (load: LoadFactuality): CommandModule<object, VerifyArguments> => ({
  builder: (parser) =>
    scorerOptions(parser, ['nli'])
      .option('factuality', FACTUALITY_OPTION)
      .option('window', {
        type: 'number',
        default: 16,
        requiresArg: true,
        coerce: wholeNumber('window', 1, 4096),
        describe: 'Answers in flight at most',
      })
      .usage('Usage: $0 verify < answers.ndjson > verified.ndjson')
      .example([
        [
          `echo '{"answer":"It opened in 1932 [1].","passages":["The bridge was opened in 1932."]}' | $0 verify`,
          'Each sentence: supported, unsupported, contradicted or unverifiable',
        ],
      ])
      .epilogue(
        'Input, one JSON object a line: {"id"?, "answer", "passages", "question"?, "act"?}; a passage is a text or {"text",\n' +
          '"title"?}; "[1]" in the answer cites the first one. The question is what short answers ("Two years.") are\n' +
          'put into. Output: for each sentence its place in the answer, label, score, quotes (passage, start, end)\n' +
          'and faults. With --factuality a sentence is supported where it has more support than the threshold of "act" (left\n' +
          'out: of all acts), and "guarantee" says what is promised. A line that is bad gets an error record in its place,\n' +
          'the rest is verified, and the exit code is 65. Offsets are UTF-16 units.',
      ) as never,
  handler: async (args) => {
    const { runVerify } = await import('./verify-stream.ts');
    const { openScorers } = await import('../../scorers/index.ts');
    const { checkFactuality } = await import('../factuality.ts');
    await interruptible(async (signal) => {
      const factuality = args.factuality === undefined ? undefined : await load(args.factuality);
      const scorers = await openScorers({ ...scorersOptionsFrom(args, say), jobs: ['nli'] });
      try {
        if (factuality !== undefined) checkFactuality(factuality, scorers.info);
        process.exitCode = await runVerify({
          scorers,
          factuality,
          input: process.stdin,
          output: process.stdout,
          errors: say,
          window: args.window,
          signal,
        });
      } finally {
        await scorers.close();
      }
    });
  },
});
