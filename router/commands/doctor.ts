import type { CommandModule } from 'yargs';
import { type ModelArguments, modelOptions, modelsOf } from '../../cli/index.ts';
import { type Colours, colours, plainLine, toLine } from '../../common/index.ts';
import { type DecisionArguments, decisionOptions, defaultsOptions } from './decision-options.ts';
import type { Finding } from './doctor-decisions.ts';
import { backendOption } from './options.ts';

interface DoctorArguments extends ModelArguments, DecisionArguments {
  index: string | undefined;
  backend: string | undefined;
  profiles: string | undefined;
  json: boolean;
}

export const doctorCommand: CommandModule<object, DoctorArguments> = {
  builder: (parser) =>
    backendOption(defaultsOptions(decisionOptions(modelOptions(parser))))
      .option('index', { type: 'string', requiresArg: true, describe: 'Check this index too' })
      .option('profiles', {
        type: 'string',
        requiresArg: true,
        describe: "Check these profiles, not the package's own",
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
      .usage('Usage: $0 doctor [--index DIR]')
      .example([
        ['$0 doctor', 'Is this installation in order?'],
        ['$0 doctor --index my-index --json', 'Can this index be used here? For a program'],
        [
          '$0 doctor --index handbook --backend opensearch=http://localhost:9200',
          'And the engine that holds it?',
        ],
        [
          '$0 doctor --vocabulary terms.ttl --layers layers.json --defaults defaults.db',
          'Are these files sound?',
        ],
      ])
      .epilogue(
        'Exit code 0 when nothing FAILs, else that of the first failure; a warning does not count.',
      ) as never,
  handler: async (args) => {
    const { examine, exitCodeOf } = await import('./doctor-checks.ts');
    const c = colours();
    const findings = [];
    for await (const finding of examine({
      index: args.index,
      backend: args.backend,
      profiles: args.profiles,
      models: modelsOf(args),
      decisions: args,
    })) {
      findings.push(finding);
      if (!args.json) process.stdout.write(renderFinding(finding, c));
    }
    const exitCode = exitCodeOf(findings);
    if (args.json) {
      const checks = findings.map(({ exitCode: _, ...finding }) => finding);
      process.stdout.write(toLine({ schema: 'pragaura.doctor/1', ok: exitCode === 0, checks }));
    }
    process.exitCode = exitCode;
  },
};

/** One line: ok, warn or FAIL, what was looked at, what was found, what mends it. */
function renderFinding(finding: Finding, c: Colours): string {
  const label = {
    ok: c.green('ok  '),
    warn: c.yellow('warn'),
    fail: c.red('FAIL'),
  }[finding.status];
  const fix = finding.fix === undefined ? '' : ` -> ${plainLine(finding.fix)}`;
  return `${label}  ${finding.check.padEnd(12)}  ${plainLine(finding.detail)}${fix}\n`;
}
