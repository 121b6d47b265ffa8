/** `pragaura models`: which models there are, whether they are in order, and how to get one. */

import type { Argv, CommandModule } from 'yargs';
import { EXIT, interruptible, plainLine } from '../../common/index.ts';

interface ListArguments {
  'models-dir': string | undefined;
  json: boolean;
}

interface NamesArguments extends ListArguments {
  names: string[];
}

interface DequantizeArguments extends ListArguments {
  weights: string;
  out: string;
  model: string | undefined;
}

const ENVIRONMENT =
  'Models of a hub are kept in the cache that all tools of that hub share. HF_ENDPOINT, HF_HOME, HF_HUB_CACHE,\n' +
  'HF_TOKEN, HF_HUB_OFFLINE and HTTPS_PROXY act as they do there.';

/** On the whole command, where the configuration file and the environment reach them. */
const options = (parser: Argv) =>
  parser
    .option('models-dir', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: "Folder with a models.lock.json [default: the package's own]",
    })
    .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' });

/** The command with its subcommands. Its handlers throw what the functions behind them throw. */
export function modelsCommand(): CommandModule {
  const say = (message: string): void => void process.stderr.write(`${plainLine(message)}\n`);

  const list: CommandModule<object, ListArguments> = {
    command: 'list',
    describe: 'Which models there are, what each is for, and where it is found',
    builder: (parser) =>
      parser
        .usage('Usage: $0 models list')
        .example([['$0 models list --json', 'For a program']])
        .epilogue(
          `"shipped": with the package; "cache": pulled; "absent": not here yet.\n${ENVIRONMENT}`,
        ) as never,
    handler: async (args) => {
      const { listModels, renderList } = await import('./list.ts');
      const models = await listModels(args['models-dir'], undefined, say);
      const record = { schema: 'pragaura.model-list/1', models };
      process.stdout.write(args.json ? `${JSON.stringify(record)}\n` : renderList(models));
    },
  };

  const verify: CommandModule<object, NamesArguments> = {
    command: 'verify [names..]',
    describe: 'Check hashes, tensor names, label order and known pairs',
    builder: (parser) =>
      parser
        .positional('names', {
          type: 'string',
          array: true,
          default: [],
          describe: 'Default: every model that is here',
        })
        .usage('Usage: $0 models verify [NAME…]')
        .example([['$0 models verify', 'Is every model here the one that it should be?']])
        .epilogue('Exit code 0 when all is well, 69 when a model cannot be used.') as never,
    handler: async (args) => {
      const { verifyModels } = await import('./verify.ts');
      const checks = [];
      for await (const check of verifyModels(args['models-dir'], args.names, say)) {
        checks.push(check);
        if (!args.json) process.stdout.write(`${check.ok ? 'ok  ' : 'FAIL'}  ${plainLine(lineOf(check))}\n`);
      }
      const ok = checks.every((check) => check.ok);
      if (args.json)
        process.stdout.write(`${JSON.stringify({ schema: 'pragaura.model-checks/1', ok, checks })}\n`);
      if (!ok) process.exitCode = EXIT.UNAVAILABLE;
    },
  };

  const pull: CommandModule<object, NamesArguments> = {
    command: 'pull <names..>',
    describe: 'Get models from the hub into its cache, and check them',
    builder: (parser) =>
      parser
        .positional('names', {
          type: 'string',
          array: true,
          demandOption: true,
          describe: 'NAME or NAME@REVISION',
        })
        .usage('Usage: $0 models pull NAME[@REVISION]…')
        .example([
          [
            '$0 models pull ms-marco-minilm-l6-v2',
            'Then: pragaura ask … --models.rerank ms-marco-minilm-l6-v2',
          ],
          ['HF_ENDPOINT=https://mirror.example $0 models pull bge-small-en-v1.5', 'From a mirror'],
        ])
        .epilogue(
          'Files must have the hashes of the lock file. Where it has none, and for another revision, the first pull\n' +
            'records them, says so, and refuses others later. Ctrl-C or a broken line loses nothing: the same command\n' +
            `goes on where it stopped.\n${ENVIRONMENT}`,
        ) as never,
    handler: async (args) => {
      const { pullModels } = await import('./pull.ts');
      await interruptible(async (signal) => {
        const pulled = await pullModels(args['models-dir'], args.names, {
          say,
          signal,
        });
        if (args.json)
          process.stdout.write(`${JSON.stringify({ schema: 'pragaura.pulled-models/1', models: pulled })}\n`);
      });
    },
  };

  const dequantize: CommandModule<object, DequantizeArguments> = {
    command: 'dequantize [weights]',
    describe:
      'A models folder like this one, its weights in float, for a GPU; or with other weights for a model',
    builder: (parser) =>
      parser
        .positional('weights', {
          type: 'string',
          normalize: true,
          describe:
            'ONNX file with the same inputs and outputs [default: the weights that are there, in float]',
        })
        .option('out', {
          type: 'string',
          requiresArg: true,
          normalize: true,
          demandOption: 'Where to? Say --out DIR.',
          describe: 'Folder to write; then: --models-dir DIR',
        })
        .option('model', {
          type: 'string',
          requiresArg: true,
          describe: 'Which model [default: all that are shipped; with a file the one that reads]',
        })
        .usage('Usage: $0 models dequantize [FILE] --out DIR')
        .example([
          [
            '$0 models dequantize --out float.models',
            'Then: pragaura route … --provider cuda --models-dir float.models',
          ],
        ])
        .epilogue(
          'Weights in int8 score otherwise on a GPU, which is then left for the CPU. In float they are four\n' +
            'times as large and need no training environment: every weight is its step times its scale.\n' +
            'Indexes and calibration artifacts are valid for one of both.',
        ) as never,
    handler: async (args) => {
      const { dequantizeModels } = await import('./dequantize.ts');
      const { weights, out, model, 'models-dir': dir } = args;
      const names = await dequantizeModels({ weights, out, model, dir });
      if (args.json)
        process.stdout.write(
          `${JSON.stringify({ schema: 'pragaura.dequantized-models/3', models: names, modelsDir: out })}\n`,
        );
      else
        say(
          `${out}: as before, with other weights for ${names.join(' and ')}. Check it: models verify --models-dir ${out}`,
        );
    },
  };

  return {
    builder: (parser: Argv) =>
      options(parser)
        .command(list)
        .command(verify)
        .command(pull)
        .command(dequantize)
        .demandCommand(1, 'What about the models? list, verify, pull or dequantize')
        .epilogue(ENVIRONMENT),
    handler() {},
  } as unknown as CommandModule;
}

function lineOf(check: { model: string; check: string; detail: string; fix?: string | undefined }): string {
  return `${check.model}  ${check.check}: ${check.detail}${check.fix === undefined ? '' : ` -> ${check.fix}`}`;
}
