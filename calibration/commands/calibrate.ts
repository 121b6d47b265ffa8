import type { CommandModule } from 'yargs';
import { INDEX_OPTION, scorersOptionsFrom, wholeNumber } from '../../cli/index.ts';
import { interruptible, PragauraError, say } from '../../common/index.ts';
import {
  SAMPLER_OPTIONS,
  SAMPLES_OPTION,
  type SamplerArguments,
  withGenerator,
} from '../../generation/commands/generator-options.ts';
import { measuredOptions } from '../../router/commands/decision-options.ts';
import {
  backendOption,
  type RouterArguments,
  routerOptions,
  routerOptionsFrom,
} from '../../router/commands/options.ts';
import { observationsCacheOption } from './options.ts';

interface CalibrateArguments extends Omit<RouterArguments, 'index'>, SamplerArguments {
  index: string | undefined;
  dev: string;
  test: string | undefined;
  shared: 'refuse' | 'drop';
  target: 'coverage' | 'risk' | 'joint' | 'factuality' | undefined;
  scope: 'acts' | 'global';
  exchangeable: 'documents' | 'questions';
  level: string | undefined;
  'ask-level': string | undefined;
  delta: string | undefined;
  score: 'formula' | 'learned' | 'planner' | undefined;
  wrong: string;
  'fit-planner': string | undefined;
  split: string | undefined;
  seed: number;
  cache: string;
  out: string | undefined;
  json: boolean;
  samples: number | undefined;
}

/** Not of every target: see the handler. */
const { demandOption: _, ...NO_INDEX } = INDEX_OPTION;

export const calibrateCommand: CommandModule<object, CalibrateArguments> = {
  builder: (parser) =>
    observationsCacheOption(measuredOptions(backendOption(routerOptions(parser, NO_INDEX))))
      .option('dev', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        demandOption: 'Which labelled queries? Say --dev FILE.',
        describe:
          'Labelled queries: NDJSON, SQuAD JSON or a BEIR folder; for factuality labelled answers: NDJSON',
      })
      .option('test', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'Labelled queries of other documents to count on [default: a part of --dev]',
      })
      .option('shared', {
        choices: ['refuse', 'drop'] as const,
        default: 'refuse' as const,
        describe: 'What to do with --test queries that share a group, document or question with --dev',
      })
      .option('target', {
        choices: ['coverage', 'risk', 'joint', 'factuality'] as const,
        describe:
          'Promise how many are answered, how few answers are wrong, that and little silence, or how seldom a sentence that ' +
          '"verify" and "generate" keep is not borne out',
      })
      .option('level', {
        type: 'string',
        requiresArg: true,
        describe: 'Least coverage, or most risk (of answers, of a kept sentence), as a decimal',
      })
      .option('ask-level', {
        type: 'string',
        requiresArg: true,
        describe: 'Joint: most answerable queries that may end in silence, as a decimal',
      })
      .option('delta', {
        type: 'string',
        requiresArg: true,
        describe: 'Risk and joint: chance that the promise fails [default: 0.1]',
      })
      .option('scope', {
        choices: ['acts', 'global'] as const,
        default: 'acts' as const,
        describe: 'A threshold for each speech act where examples suffice, or one for all',
      })
      .option('exchangeable', {
        choices: ['documents', 'questions'] as const,
        default: 'documents' as const,
        describe:
          'Promise for questions of new documents (groups), or of those calibrated on, in like shares',
      })
      .option('score', {
        choices: ['formula', 'learned', 'planner'] as const,
        describe:
          'U: the weighted sum of D, C and 1-E, a regression over all signals, or 1 - P(ANSWER) of --planner ' +
          '[default: formula, with --fit-planner planner]',
      })
      .option('fit-planner', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'Fit a planner on the first part, hold it to the last, write it to this file',
      })
      .option('utilities', {
        type: 'string',
        requiresArg: true,
        describe: 'What that planner weighs, for its file [default: wrong=2,question=1,silence=1]',
      })
      .options(SAMPLER_OPTIONS)
      .option('samples', SAMPLES_OPTION)
      .option('wrong', {
        type: 'string',
        default: 'em',
        requiresArg: true,
        describe: 'When an answer is wrong: "em" (no exact match) or "f1:0.5" (F1 below .5)',
      })
      .option('split', {
        type: 'string',
        requiresArg: true,
        describe:
          'Parts to tune, calibrate and test on [default: 40/40/20, with --test 50/50/0]; factuality tunes nothing: 70/30, 100/0',
      })
      .option('seed', {
        type: 'number',
        default: 1,
        requiresArg: true,
        coerce: wholeNumber('seed', 0, 2 ** 31 - 1),
        describe: 'Seed of the split',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'File for the calibration; one that is there is replaced',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print a summary as JSON' })
      .usage(
        'Usage: $0 calibrate --index DIR --dev FILE [--target coverage|risk|joint --level L [--ask-level L] --out FILE] ' +
          '[--fit-planner FILE]\n       $0 calibrate --target factuality --dev FILE --level L --out FILE',
      )
      .example([
        [
          '$0 calibrate --index my-index --dev labelled.ndjson --target risk --level 0.1 --out my.calibration.json',
          'At most 10 % of the answers wrong, with 90 % confidence',
        ],
        [
          '$0 calibrate --index my-index --dev labelled.ndjson --target coverage --level .8 --score learned --out c.json',
          'At least 80 % answered, by the best score',
        ],
        [
          '$0 calibrate --index my-index --dev labelled.ndjson --target risk --level .1 --score learned --generator m.gguf --out c.json',
          'By what a language model says too, where that pays; "generate" and "serve" then ask it',
        ],
        ['$0 route --index my-index --calibration my.calibration.json < queries.ndjson', 'Use it'],
        [
          '$0 calibrate --index my-index --dev labelled.ndjson --fit-planner planner.json',
          'A planner of your own, for --decider planner --planner planner.json',
        ],
        [
          '$0 calibrate --index my-index --dev labelled.ndjson --fit-planner planner.json --target risk --level 0.1 --out c.json',
          'The same, and thresholds on it with a promise, for --planner planner.json --calibration c.json',
        ],
        [
          '$0 calibrate --target factuality --dev labelled-answers.ndjson --level 0.1 --out my.factuality.json',
          'For "verify" and "generate": with 90 % probability all that is kept of an answer is borne out',
        ],
      ])
      .epilogue(
        'A labelled query: {"id", "query", "history"?, "filters"?, "conditions"?, "answers"?, "patterns"?, "steps"?,\n' +
          '"verdict"?, "passages"?, "answerable"?, "action"?, "group"?} ("pragaura label" makes them). Answers are compared\n' +
          'with the span, by --wrong; patterns, steps and verdict with what would be shown, passages with what it quotes.\n' +
          'Queries of one group or document are never split, and groups that share a document or\n' +
          '(nearly) a question count as one document. Promises are for new documents, so that each query needs "group" or\n' +
          '"passages", or say --exchangeable questions; one with a history or filters helps to fit the score and sets no\n' +
          'threshold. What the models measure is kept in --cache: Ctrl-C keeps it too, the same command goes on from\n' +
          'there, and other targets, levels and scores then take seconds. An act with too few examples borrows the\n' +
          'threshold of its parent act or of all queries, and says so; where no threshold reaches the level, nothing is\n' +
          'answered, and the calibration says how many examples it would need.\n\n' +
          'With --generator each query that gets so far is answered some times anew, in few words, by a language model; how\n' +
          'much these answers agree among themselves and with the candidate are signals beside the others, which the learned\n' +
          'score looks at only if that lowers its loss on groups left out. Whoever uses the calibration then needs that model.\n\n' +
          'A planner is fitted on what is right for each query: "action" (ANSWER, ASK, ABSTAIN); without it "answers",\n' +
          '"passages" or "answerable": true mean ANSWER, "answerable": false ABSTAIN, and a line that says none of these is\n' +
          'refused. Label queries as they come, because how often each action is right is learned too: at least 20 of 5\n' +
          'documents for each that occurs, in the first part; some hundred to be good.\n\n' +
          'A labelled answer: {"id"?, "answer", "unsupported": [{"start", "end"}…], "passages", "question"?, "act"?, "model"?,\n' +
          '"group"}: which stretches of it (UTF-16 offsets) its passages do not bear out, none: []; or "claims": [{"text",\n' +
          '"supported"}…] in the place of the first two. No index is needed. Nothing is kept when it is interrupted.',
      ) as never,
  handler: async (args) => {
    if (args.target === 'factuality') {
      const [{ factualitySettingsFrom }, { runFactuality }] = await Promise.all([
        import('./calibrate-settings.ts'),
        import('./factuality-run.ts'),
      ]);
      const settings = factualitySettingsFrom(args);
      const scorers = scorersOptionsFrom(args, say);
      await interruptible(async (signal) => {
        process.stdout.write(await runFactuality(settings, { scorers, say, signal }));
      });
      return;
    }
    const { index, target } = args;
    if (index === undefined) throw new PragauraError('USAGE', INDEX_OPTION.demandOption);
    const [{ settingsFrom }, { runCalibrate }] = await Promise.all([
      import('./calibrate-settings.ts'),
      import('./calibrate-run.ts'),
    ]);
    const settings = settingsFrom({ ...args, target });
    // What a fitted planner weighs stands in its file, and nothing here decides by it.
    const router = routerOptionsFrom({ ...args, index, utilities: undefined }, say);
    await withGenerator(args, say, (generator) =>
      interruptible(async (signal) => {
        const sampling = generator && { generator, count: args.samples ?? 5 };
        const text = await runCalibrate({ ...settings, router, sampling }, { say, signal });
        process.stdout.write(text);
      }),
    );
  },
};
