import type { CommandModule } from 'yargs';

interface CompareArguments {
  evaluations: string[];
  out: string;
}

export const compareCommand: CommandModule<object, CompareArguments> = {
  builder: (parser) =>
    parser
      .positional('evaluations', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Folders that "pragaura evaluate" wrote; figures go by their names',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        demandOption: 'Where to? Say --out DIR.',
        describe: 'Folder for the comparison; files of an earlier one are replaced',
      })
      .usage('Usage: $0 compare DIR… --out DIR')
      .example([
        ['$0 compare budget-20 budget-40 budget-80 --out frontier', 'One policy under three budgets'],
      ])
      .epilogue(
        'All must have been made on the same queries and labels. Intervals are of one evaluation each; "pragaura bench\n' +
          'parity" tests two policies query by query, at equal compute.',
      ) as never,
  handler: async (args) => {
    const [{ checkComparable, comparedHeadline, comparedSections, comparisonFiles, readEvaluation }, report] =
      await Promise.all([import('../report/compare.ts'), import('../report/write-report.ts')]);
    const { textOf } = await import('../report/text.ts');
    const named = await Promise.all(args.evaluations.map(readEvaluation));
    checkComparable(named);
    await report.writeParts(args.out, await comparisonFiles(named));
    process.stderr.write(`Written: ${args.out} (comparison.html, CSV and SVG files)\n`);
    process.stdout.write(textOf(comparedHeadline(named), [], comparedSections(named)));
  },
};
