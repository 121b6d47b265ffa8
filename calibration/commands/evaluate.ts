import type { CommandModule } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import { interruptible, say } from '../../common/index.ts';
import {
  SAMPLER_OPTIONS,
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

interface EvaluateArguments extends RouterArguments, SamplerArguments {
  test: string;
  calibration: string | undefined;
  'set-aside': string | undefined;
  wrong: string | undefined;
  resamples: number;
  cache: string;
  out: string;
}

export const evaluateCommand: CommandModule<object, EvaluateArguments> = {
  builder: (parser) =>
    observationsCacheOption(measuredOptions(backendOption(routerOptions(parser))))
      .option('test', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        demandOption: 'Which labelled queries? Say --test FILE.',
        describe: 'Labelled queries: NDJSON, SQuAD JSON or a BEIR folder',
      })
      .option('calibration', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'Thresholds made by "pragaura calibrate"; without it the provisional rule is evaluated',
      })
      .options(SAMPLER_OPTIONS)
      .option('set-aside', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'Queries that thresholds were fitted on: what is tied to them is left out of the test',
      })
      .option('wrong', {
        type: 'string',
        requiresArg: true,
        describe: 'When an answer is wrong: "em" or "f1:0.5" [default: as the calibration says, else "em"]',
      })
      .option('resamples', {
        type: 'number',
        default: 1_000,
        requiresArg: true,
        coerce: wholeNumber('resamples', 100, 100_000),
        describe: 'Draws of the bootstrap by group',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        demandOption: 'Where to? Say --out DIR.',
        describe: 'Folder for the report; files of an earlier one are replaced',
      })
      .usage('Usage: $0 evaluate --index DIR --test FILE [--calibration FILE] --out DIR')
      .example([
        [
          '$0 evaluate --index my-index --test test.ndjson --calibration c.json --out report',
          'What was promised, and what came of it',
        ],
        [
          '$0 evaluate --index my-index --test dev.ndjson --set-aside dev.ndjson --calibration c.json --out report',
          'Only the part of dev.ndjson that calibrate did not fit on',
        ],
        ['$0 compare report-a report-b --out compared', 'Two evaluations of one test, side by side'],
      ])
      .epilogue(
        'A labelled query: {"id", "query", "history"?, "filters"?, "conditions"?, "answers"?, "patterns"?, "steps"?,\n' +
          '"verdict"?, "passages"?, "answerable"?, "action"?, "group"?}. What a label does not say is unscored: never right,\n' +
          'never wrong, and counted. The text is printed, report.html holds the same with figures, metrics.json every number,\n' +
          '*.csv the tables, observations.ndjson what was measured.\n' +
          'Ctrl-C keeps what was measured in --cache; the same command goes on from there.',
      ) as never,
  handler: async (args) => {
    const [{ runEvaluate }, { ruleFrom }] = await Promise.all([
      import('./evaluate-run.ts'),
      import('./calibrate-settings.ts'),
    ]);
    const { test, calibration = null, wrong, resamples, cache, out } = args;
    const rule = wrong === undefined ? null : ruleFrom(wrong);
    const router = routerOptionsFrom(args, say);
    const setAside = args['set-aside'] ?? null;
    await withGenerator(args, say, (generator) =>
      interruptible(async (signal) => {
        const text = await runEvaluate(
          { test, calibration, setAside, rule, resamples, cache, out, router, generator },
          { say, signal },
        );
        process.stdout.write(text);
      }),
    );
  },
};
