import type { CommandModule } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import { interruptible, PragauraError, say } from '../../common/index.ts';
import type { MonitorStreamOptions } from './monitor-stream.ts';

interface MonitorArguments
  extends Omit<MonitorStreamOptions, 'failOnAlarm' | 'input' | 'output' | 'say' | 'signal'> {
  'fail-on-alarm': boolean;
}

function slackFrom(value: unknown): number {
  const slack = Number(value);
  if (typeof value !== 'object' && value !== '' && slack >= 0 && slack < 1) return slack;
  throw new PragauraError('USAGE', '--slack takes one number from 0 to below 1, for example 0.02.');
}

export const monitorCommand: CommandModule<object, MonitorArguments> = {
  builder: (parser) =>
    parser
      .option('calibration', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        demandOption: 'Drift from what? Say --calibration FILE.',
        describe: 'The calibration that the decisions were made under',
      })
      .option('labels', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'File or named pipe of labels [default: they come in the same stream]',
      })
      .option('state', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'File to go on from, and to keep the state in',
      })
      .option('alpha', {
        type: 'string',
        default: '0.01',
        requiresArg: true,
        describe: 'Most probability that there is ever a false alarm, as a decimal',
      })
      .option('least', {
        type: 'number',
        default: 30,
        requiresArg: true,
        coerce: wholeNumber('least', 1, 1_000_000),
        describe: 'Test examples that an act must have to be watched by itself',
      })
      .option('slack', {
        type: 'string',
        default: 0,
        requiresArg: true,
        coerce: slackFrom,
        describe: 'Drift that is no matter, as a share',
      })
      .option('remember', {
        type: 'number',
        default: 50_000,
        requiresArg: true,
        coerce: wholeNumber('remember', 1, 10_000_000),
        describe: 'Decisions that are kept until their label comes, at most',
      })
      .option('every', {
        type: 'number',
        default: 1_000,
        requiresArg: true,
        coerce: wholeNumber('every', 0, 1_000_000_000),
        describe: 'A status, and the state kept, after so many decisions; 0: at the end only',
      })
      .option('text', { type: 'boolean', default: false, describe: 'Words instead of NDJSON' })
      .option('fail-on-alarm', {
        type: 'boolean',
        default: false,
        describe: 'Exit with 1 when there is an alarm, of this run or of an earlier one of the state',
      })
      .usage('Usage: $0 monitor --calibration FILE < decisions.ndjson > alarms.ndjson')
      .example([
        [
          '$0 route --index my-index --calibration c.json < queries.ndjson | tee decisions.ndjson | $0 monitor --calibration c.json',
          'Watch coverage as decisions are made',
        ],
        [
          '$0 monitor --calibration c.json --state c.monitor.json --labels labels.ndjson --fail-on-alarm < today.ndjson',
          'From cron: the new decisions and labels of the day',
        ],
      ])
      .epilogue(
        'Input: the decisions of "pragaura route", and labels {"id", "correct": true|false} or {"id", "answers": […]},\n' +
          'in one stream or two, in any order. Output: an alarm when coverage or risk is no longer what the test split of\n' +
          'the calibration showed, and a status now and then. You may look as often and as long as you like: the test\n' +
          'counts that in. Two things are up to you: which answers get a label must have nothing to do with whether they\n' +
          'are right, and no decision may be fed twice once it is forgotten (--remember). Queries of the stream count as\n' +
          'independent: where bunches of them are about one document the promise on alarms does not hold, and --slack makes\n' +
          'room. Of a calibration by documents the bounds count the documents of its test split, so that with few of them\n' +
          'only large drifts are found; what it promises by document is not watched, only what its test split showed.\n' +
          'Queries with a history, filters, a deadline or an applied default, which no test split has, are counted and not\n' +
          'looked at. Decisions of another calibration, or of none, are not either; then, or when lines are bad, the exit\n' +
          'code is 65.',
      ) as never,
  handler: async (args) => {
    const { runMonitor } = await import('./monitor-stream.ts');
    await interruptible(async (signal) => {
      process.exitCode = await runMonitor({
        ...args,
        failOnAlarm: args['fail-on-alarm'],
        input: process.stdin,
        output: process.stdout,
        say,
        signal,
      });
    });
  },
};
