import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';

const builder = (argv: Argv) =>
  argv
    .option('half', {
      choices: ['open', 'held'] as const,
      default: 'held' as const,
      describe: 'Half of the pairs; whoever makes rules or data for them looks at the open one alone',
    })
    .option('pairs', {
      type: 'string',
      default: 'bench/entailment',
      requiresArg: true,
      normalize: true,
      describe: 'Folder of pairs.open.ndjson and pairs.held.ndjson',
    })
    .option('json', { type: 'boolean', default: false, describe: 'One JSON object instead of a table' })
    .option('each', {
      type: 'boolean',
      default: false,
      describe: 'Also the pairs that are judged otherwise than labelled; of the open half',
    })
    .example([['$0 bench entailment --half open --each', 'What the model makes of the open pairs']]);

type Arguments = ReturnType<typeof builder> extends Argv<infer A> ? A : never;

export const entailmentCommand: CommandModule<object, Arguments> = {
  command: 'entailment',
  describe:
    'Numbers, ranges, dates, negation, quantifiers, order, roles, conditions: what the model makes of them',
  builder: builder as never,
  async handler({ half, pairs, json, each }: ArgumentsCamelCase<Arguments>) {
    const { benchEntailment, renderEntailment } = await import('../entailment/run.ts');
    const { report, judged } = await benchEntailment(half, pairs);
    process.stdout.write(`${json ? JSON.stringify(report) : renderEntailment(report)}\n`);
    if (!each || half !== 'open') return;
    for (const { id, kind, label, said, quote, claim } of judged) {
      if (said !== label)
        process.stdout.write(`${id} ${kind}: ${label}, judged ${said}\n  ${quote}\n  ${claim}\n`);
    }
  },
};
