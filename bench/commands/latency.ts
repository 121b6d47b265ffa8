import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { PragauraError } from '../../common/index.ts';
import { countAtLeast, countOption, indexOptions, say, setOption } from './options.ts';

const builder = (argv: Argv) =>
  setOption(indexOptions(argv))
    .option('n', countOption(200, 2, 'Different queries, a seeded sample; arrivals are drawn from them'))
    .option('seconds', countOption(60, 1, 'How long each rate is kept up; at least 60 queries'))
    .option('window', countOption(16, 1, 'Queries taken up at a time at most, as in route'))
    .option('threads', {
      requiresArg: true,
      coerce: countAtLeast(1),
      describe: 'Inference threads [default: as many as cores]',
    })
    .option('rates', {
      type: 'string',
      requiresArg: true,
      coerce: ratesOf,
      describe:
        'Queries a second to try, ascending, such as 1,2.5,4 [default: shares of the capacity, until the knee]',
    })
    .example([
      ['$0 bench latency', 'Constant and Poisson arrivals, rates raised until the knee'],
      ['$0 bench latency --rates 2 --seconds 600', 'Ten minutes at two queries a second'],
    ]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const latencyCommand: CommandModule<object, Arguments> = {
  command: 'latency',
  describe: 'Latency in an open loop: response and service times by act and stage, up to the knee',
  builder: builder as never,
  async handler(argv: ArgumentsCamelCase<Arguments>) {
    const [{ benchLatency }, { datasetNamed }] = await Promise.all([
      import('../latency/run-latency.ts'),
      import('../datasets/index.ts'),
    ]);
    process.stdout.write(`${await benchLatency({ ...argv, set: datasetNamed(argv.set) }, say)}\n`);
  },
};

function ratesOf(value: string | undefined): number[] | undefined {
  if (value === undefined) return undefined;
  const rates = value.split(',').map(Number);
  const ascending = rates.every((rate, place) => rate > (rates[place - 1] ?? 0) && Number.isFinite(rate));
  if (ascending) return rates;
  throw new PragauraError('USAGE', `"${value}" is no ascending list of queries a second.`, {
    hint: 'For example --rates 1,2.5,4',
  });
}
