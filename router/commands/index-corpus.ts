import type { CommandModule } from 'yargs';
import { DECLARED_EXAMPLE } from '../corpus/identifiers/example.ts';
import type { IndexProgress, IndexReport } from '../corpus/index.ts';
import { jsonOf } from './decision-options.ts';
import { declaredLine } from './declared-line.ts';
import { type ModelArguments, modelOptions, modelsOf } from './model-options.ts';
import { THREADS_OPTION, wholeNumber } from './options.ts';

interface IndexArguments extends ModelArguments {
  paths: string[];
  out: string;
  'max-tokens': number | undefined;
  'keep-missing': boolean;
  identifiers: string | undefined;
  threads: number | undefined;
  json: boolean;
}

const FAILURES_SHOWN = 20;
const LEFT_OUT_SHOWN = 5;

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function listed(what: string, items: readonly { name: string; reason: string }[], shown: number): string[] {
  if (items.length === 0) return [];
  const lines = items.slice(0, shown).map(({ name, reason }) => `  ${name}: ${reason}`);
  const more = items.length > shown ? [`  … and ${items.length - shown} more; --json lists all`] : [];
  return [`${what}: ${items.length}`, ...lines, ...more];
}

/** What was done, for people, one line or a few. */
export function summaryOf(report: IndexReport): string[] {
  const { counts, added, changed, unchanged, removed, embedded, reused, failed, skipped, rebuilt, ms } =
    report;
  const { identifiers, leftOut } = report;
  const lines = [
    `${counts.documents} documents in ${counts.passages} passages: ` +
      `${added} added, ${changed} changed, ${unchanged} unchanged, ${removed} removed.`,
    `Index ${report.hash.slice(0, 12)} in ${report.dir}; ${seconds(ms.total)}, ` +
      `${embedded} texts embedded in ${seconds(ms.embed)}, ${reused} passages had their vectors.`,
  ];
  if (rebuilt !== null) lines.unshift(`Everything was built anew. ${rebuilt}`);
  if (identifiers.length > 0) lines.push(`Declared identifiers: ${declaredLine(identifiers)}.`);
  if (skipped > 0) lines.push(`${skipped} files of other kinds were passed over.`);
  lines.push(
    ...listed('Left out', leftOut, LEFT_OUT_SHOWN),
    ...listed('Not indexed', failed, FAILURES_SHOWN),
  );
  return lines;
}

/** A listener that draws each stage of a build on a terminal. */
async function drawing(): Promise<{ onProgress: (state: IndexProgress) => void; end: () => void }> {
  const { progress } = await import('../streams/terminal.ts');
  const labels = { read: 'reading', embed: 'embedding', write: 'writing' };
  let stage: IndexProgress['stage'] | undefined;
  let bar: ReturnType<typeof progress> | undefined;
  return {
    onProgress: (state) => {
      if (state.stage !== stage) {
        bar?.end();
        stage = state.stage;
        bar = progress(labels[stage], state.total);
      }
      bar?.update(state.done, state.detail);
    },
    end: () => bar?.end(),
  };
}

export const indexCommand: CommandModule<object, IndexArguments> = {
  command: 'index <paths..>',
  describe: 'Index files and folders, or bring an index up to date',
  builder: (parser) =>
    modelOptions(parser, ['embed'])
      .positional('paths', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Files and folders: md, txt, html, pdf, docx, csv, tsv, jsonl (BEIR), SQuAD json',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        demandOption: 'Where to? Say --out DIR, a new folder or an index to bring up to date.',
        describe: 'Index folder',
      })
      .option('max-tokens', {
        type: 'number',
        requiresArg: true,
        coerce: wholeNumber('max-tokens', 16, 400),
        describe: 'Word pieces of a passage at most [default: 220]',
      })
      .option('keep-missing', {
        type: 'boolean',
        default: false,
        describe: 'Keep documents of the index that are under none of the paths',
      })
      .option('identifiers', {
        type: 'string',
        requiresArg: true,
        normalize: true,
        describe: 'JSON file: families and patterns that are identifiers [default: those of the index]',
      })
      .option('threads', THREADS_OPTION)
      .option('json', { type: 'boolean', default: false, describe: 'Print a report as JSON' })
      .usage('Usage: $0 index PATH… --out DIR')
      .example([
        ['$0 index docs --out my-index', 'Index a folder; again, to bring the index up to date'],
        ['$0 index more --out my-index --keep-missing', 'Add to an index'],
        ['$0 index docs --out my-index --identifiers ids.json', `ids.json: ${DECLARED_EXAMPLE}`],
      ])
      .epilogue(
        'Hidden files, node_modules and files of other kinds are passed over; text may be gzipped. Files that\n' +
          'cannot be read are named, the rest is indexed, and the exit code is 65; what the index has of them\n' +
          'stays. Ctrl-C leaves the old index as it was; the same command then goes on where it stopped.\n' +
          'Ids start with the name of the folder: docs/guide.md.\n\n' +
          'Identifiers are recognised by themselves; --identifiers adds those that are not. A family is what stands\n' +
          'before the number ("BR" of BR-2, "lot" of lot 7). In a pattern # is a digit, @ a letter, + behind either\n' +
          'means one or more, \\ takes the next character as it is, and all else stands for itself.',
      ) as never,
  handler: async (args) => {
    const { EXIT } = await import('../../errors.ts');
    const { installSignals, toLine } = await import('../streams/ndjson.ts');
    const { plainLine } = await import('../streams/terminal.ts');
    const { indexDocuments } = await import('../index-documents.ts');
    const say = (message: string) => process.stderr.write(`${message}\n`);
    const signals = installSignals(say);
    const { onProgress, end } = await drawing();
    try {
      const report = await indexDocuments(args.paths, {
        out: args.out,
        keepMissing: args['keep-missing'],
        ...(args['max-tokens'] && { maxTokens: args['max-tokens'] }),
        ...(args.identifiers !== undefined && {
          identifiers: jsonOf(args.identifiers, 'identifiers', DECLARED_EXAMPLE),
        }),
        models: { announce: say, ...modelsOf(args), ...(args.threads && { threads: args.threads }) },
        onProgress,
        signal: signals.signal,
      });
      end();
      for (const line of summaryOf(report)) say(line.replace(/\S.*/s, plainLine));
      if (args.json) process.stdout.write(toLine(report));
      if (report.failed.length > 0) process.exitCode = EXIT.BAD_LINES;
    } finally {
      end();
      signals.dispose();
    }
  },
};
