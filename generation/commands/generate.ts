import type { CommandModule } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import { interruptible, say } from '../../common/index.ts';
import { decisionOptions, defaultsOptions } from '../../router/commands/decision-options.ts';
import {
  backendOption,
  calibratedOptionsFrom,
  calibrationOption,
  type GovernanceArguments,
  governanceOptions,
  governingFrom,
  type LoadThresholds,
  type OpenGovernance,
  type RouterArguments,
  routerOptions,
} from '../../router/commands/options.ts';
import {
  FACTUALITY_OPTION,
  GENERATOR_OPTIONS,
  type GeneratorArguments,
  generatorFrom,
  type LoadFactuality,
} from './generator-options.ts';

interface GenerateArguments extends RouterArguments, GeneratorArguments, GovernanceArguments {
  generator: string;
  calibration: string | undefined;
  factuality: string | undefined;
  samples: number;
  window: number;
}

export const generateCommand = (
  load: LoadThresholds,
  loadFactuality: LoadFactuality,
  openGovernance: OpenGovernance,
): CommandModule<object, GenerateArguments> => ({
  builder: (parser) =>
    governanceOptions(
      defaultsOptions(decisionOptions(calibrationOption(backendOption(routerOptions(parser))))),
    )
      .options({
        ...GENERATOR_OPTIONS,
        generator: {
          ...GENERATOR_OPTIONS.generator,
          demandOption: 'Which language model? Say --generator URL --model NAME, or --generator FILE.gguf.',
        },
      })
      .option('factuality', FACTUALITY_OPTION)
      .option('samples', {
        type: 'number',
        default: 0,
        requiresArg: true,
        coerce: wholeNumber('samples', 0, 100),
        describe:
          'Further answers drawn to each prompt, at that much more cost; records say how much they agree',
      })
      .option('window', {
        type: 'number',
        default: 4,
        requiresArg: true,
        coerce: wholeNumber('window', 1, 4096),
        describe: 'Queries in flight at most',
      })
      .usage(
        'Usage: $0 generate --index DIR --generator URL --model NAME < queries.ndjson > answers.ndjson\n' +
          '       $0 generate --index DIR --generator FILE.gguf < queries.ndjson > answers.ndjson',
      )
      .example([
        [
          `echo '{"query":"Who wrote it?"}' | $0 generate --index my-index --generator http://localhost:8080/v1 --model m`,
          'The decision, and the answer in sentences that its quotes bear out',
        ],
        [
          '$0 generate --index my-index --generator model.gguf --generator-cache answers < queries.ndjson',
          'By a model on this machine ("npm install node-llama-cpp" first); the same prompt is worded once',
        ],
      ])
      .epilogue(
        'Input as for "pragaura route". Output: {"decision", "generation"}; "generation" is null unless the decision is\n' +
          'ANSWER, and nothing is sent to the endpoint then. Sent are the quotes of the answer, numbered, and the\n' +
          'question. Every sentence is verified before it is taken; where none is left, or the endpoint fails, the\n' +
          'answer is the quotes, and "reason" and "failure" say why.',
      ) as never,
  handler: async (args) => {
    const { runGenerate } = await import('./generate-stream.ts');
    const { openScorers } = await import('../../scorers/index.ts');
    const { checkFactuality } = await import('../factuality.ts');
    const { openRouter } = await import('../../router/index.ts');
    const { samplerFor } = await import('../samples.ts');
    const prices =
      args.prices === undefined ? undefined : await (await import('../prices.ts')).loadPrices(args.prices);
    const generator = await generatorFrom(args, say);
    const factuality = args.factuality === undefined ? undefined : await loadFactuality(args.factuality);
    await interruptible(async (signal) => {
      const governing = await governingFrom(args, openGovernance);
      const { readable } = governing;
      const options = await calibratedOptionsFrom(args, load, say);
      const scorers = await openScorers(options);
      try {
        if (factuality !== undefined) checkFactuality(factuality, scorers.info, generator.model);
        const sampler = samplerFor(options.thresholds, generator, scorers);
        const router = await openRouter({
          ...{ ...options, scorers },
          ...(sampler && { sampler }),
          ...(readable && { readable }),
        });
        try {
          process.exitCode = await runGenerate(governing.audited(router), {
            generator,
            scorers,
            factuality,
            prices,
            samples: args.samples,
            lowBand: args.lowBand,
            budget: { promptTokens: args.promptTokens, generatedTokens: args.generatedTokens },
            input: process.stdin,
            output: process.stdout,
            errors: say,
            window: args.window,
            signal,
          });
        } finally {
          await router.close();
        }
      } finally {
        await scorers.close();
        await governing.close();
      }
    }).finally(() => generator.close());
  },
});
