import type { CommandModule } from 'yargs';
import { wholeNumber } from '../../cli/index.ts';
import { interruptible, say } from '../../common/index.ts';
import type { Job } from '../../scorers/index.ts';
import type { RunUnit, Stage } from '../retrieval/index.ts';
import { backendOption, type RouterArguments, routerOptions } from './options.ts';

interface RetrieveArguments extends RouterArguments {
  branch: Stage;
  k: number;
  unit: RunUnit;
  tag: string | undefined;
  window: number;
}

/** Written out, because the help should not load what knows them. */
export const STAGES = [
  'lexical',
  'dense',
  'definition',
  'quantity',
  'procedure',
  'cause',
  'fused',
  'reranked',
] as const satisfies readonly Stage[];

function jobsOf(stage: Stage): Job[] {
  if (stage === 'reranked') return ['embed', 'rerank'];
  return stage === 'dense' || stage === 'fused' ? ['embed'] : [];
}

export const retrieveCommand: CommandModule<object, RetrieveArguments> = {
  builder: (parser) =>
    backendOption(routerOptions(parser))
      .option('branch', {
        choices: STAGES,
        requiresArg: true,
        demandOption: `Which branch? Say --branch with one of ${STAGES.join(', ')}.`,
        describe: 'One branch alone, all of them fused, or the fused ones re-ranked',
      })
      .option('k', {
        type: 'number',
        default: 100,
        requiresArg: true,
        coerce: wholeNumber('k', 1, 100_000),
        describe: 'Passages of a query at most; fused and reranked have no more than the budget gives',
      })
      .option('unit', {
        choices: ['document', 'passage'] as const,
        default: 'document' as const,
        requiresArg: true,
        describe: 'What a line is about: a document at the place of its best passage, or each passage',
      })
      .option('tag', {
        type: 'string',
        requiresArg: true,
        describe: 'Name of the run in its last column [default: pragaura- and the branch]',
      })
      .option('window', {
        type: 'number',
        default: 16,
        requiresArg: true,
        coerce: wholeNumber('window', 1, 4096),
        describe: 'Queries in flight at most',
      })
      .usage('Usage: $0 retrieve --index DIR --branch BRANCH < queries.ndjson > run.trec')
      .example([
        ['$0 retrieve --index my-index --branch fused < queries.ndjson > run.trec', 'A run of every query'],
      ])
      .epilogue(
        'Input: one JSON object a line, {"id", "query", "filters"?}. Output: "qid Q0 id rank score tag"; white\n' +
          'space in ids is written as %20. A bad line is told on standard error, leaves no line, and the exit code\n' +
          'is 65.',
      ) as never,
  handler: async (args) => {
    const { openStage, runRetrieve } = await import('./retrieve-stream.ts');
    await interruptible(async (signal) => {
      const stage = await openStage(args, jobsOf(args.branch), say);
      try {
        process.exitCode = await runRetrieve({
          input: process.stdin,
          output: process.stdout,
          say,
          rank: (query, signal) => stage.rank(args.branch, query, args.k, signal),
          unit: args.unit,
          tag: args.tag ?? `pragaura-${args.branch}`,
          window: args.window,
          signal,
        });
      } finally {
        await stage.close();
      }
    });
  },
};
