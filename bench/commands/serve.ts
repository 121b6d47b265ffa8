import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { EXIT } from '../../common/index.ts';
import { countAtLeast, countOption, indexOptions, say, setOption } from './options.ts';

const PARTS = ['overhead', 'connections', 'slow', 'drain', 'page', 'malformed'] as const;

const builder = (argv: Argv) =>
  setOption(indexOptions(argv))
    .option('n', countOption(100, 10, 'Queries with the real models, a seeded sample'))
    .option('parts', {
      choices: PARTS,
      array: true,
      default: [...PARTS],
      describe: 'Parts to measure',
    })
    .option('connections', countOption(1_000, 1, 'Connections with server-sent events, open at once'))
    .option('streams', countOption(200, 1, 'Streams of lines, open beside them'))
    .option('seconds', countOption(40, 1, 'How long each rate is kept up, and slow callers are looked at'))
    .option('knee', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Queries a second that route holds, of which half are offered [default: measured]',
    })
    .option('requests', countOption(10_000, 13, 'Malformed requests, about'))
    .option('schemathesis', {
      type: 'string',
      default: 'schemathesis',
      requiresArg: true,
      describe: 'Command of the fuzzer (pip install schemathesis)',
    })
    .example([
      ['$0 bench serve --parts overhead', 'What HTTP costs beside route'],
      [
        '$0 bench serve --parts malformed --schemathesis fuzz/bin/schemathesis',
        'Requests that do not fit, made from the OpenAPI file',
      ],
    ])
    .epilogue('Exit code 70 when a request was lost, was answered with 5xx, or the server ended.');

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const serveBenchCommand: CommandModule<object, Arguments> = {
  command: 'serve',
  describe: 'The server: overhead of HTTP, many and slow connections, its end, its page, malformed requests',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchServe }, { datasetNamed }] = await Promise.all([
      import('../serve/run.ts'),
      import('../datasets/index.ts'),
    ]);
    const { text, held } = await benchServe({ ...argv, set: datasetNamed(argv.set) }, say);
    process.stdout.write(`${text}\n`);
    if (!held) process.exitCode = EXIT.INTERNAL;
  },
};
