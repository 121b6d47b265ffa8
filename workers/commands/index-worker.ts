import type { CommandModule } from 'yargs';
import {
  BACKEND_OPTION,
  type ModelArguments,
  modelOptions,
  modelsOf,
  THREADS_OPTION,
  wholeNumber,
} from '../../cli/index.ts';
import { abortOf, EXIT, installSignals, say } from '../../common/index.ts';
import { type QueueArguments, queueOptions, REDIS_HELP, redisOf } from './options.ts';

interface IndexWorkerArguments extends ModelArguments, QueueArguments {
  backend: string;
  threads: number | undefined;
  concurrency: number;
  lock: number;
  drainTimeout: number;
}

export const indexWorkerCommand: CommandModule<object, IndexWorkerArguments> = {
  builder: (parser) =>
    queueOptions(modelOptions(parser, ['embed']))
      .option('backend', {
        ...BACKEND_OPTION,
        demandOption:
          'Where to? Say --backend opensearch=URL or --backend pgvector=URL, as "index --workers" has it.',
        describe:
          'Engine that the index is put into, opensearch=URL or pgvector=URL, by a user who may write there',
      })
      .option('threads', { ...THREADS_OPTION, describe: 'Inference threads [default: one a core]' })
      .option('concurrency', {
        type: 'number',
        default: 2,
        requiresArg: true,
        coerce: wholeNumber('concurrency', 1, 64),
        describe: 'Jobs in work at the same time, so that one is read while another is embedded',
      })
      .option('lock', {
        type: 'number',
        default: 60,
        requiresArg: true,
        coerce: wholeNumber('lock', 1, 86_400),
        describe:
          'Seconds without a sign of life after which the jobs of a worker go to another; more than reading the largest document takes',
      })
      .option('drain-timeout', {
        type: 'number',
        default: 10,
        requiresArg: true,
        coerce: wholeNumber('drain-timeout', 0, 86_400),
        describe: 'Seconds after SIGTERM in which jobs are finished; the rest is handed back',
      })
      .usage('Usage: $0 index-worker --backend URL [--redis URL] [--queue NAME]')
      .example([
        [
          '$0 index-worker --backend pgvector=postgres://me@db/docs',
          'Work for "pragaura index docs --out handbook --workers" with the same --backend',
        ],
      ])
      .epilogue(
        'Reads documents, cuts them into passages, embeds these, and puts what comes of it into the engine, where\n' +
          '"pragaura index --workers" takes it from. It has to see the documents under the same paths. It takes jobs of its\n' +
          'own version, embedder and engine only. While the engine takes nothing (away, overloaded, a disk over its watermark)\n' +
          'it waits and says so. SIGTERM or Ctrl-C: finishes what it has and hands back the rest.\n' +
          REDIS_HELP,
      ) as never,
  handler: async (args) => {
    const [{ openScorers }, { openIndexWorker }] = await Promise.all([
      import('../../scorers/index.ts'),
      import('../indexing/index.ts'),
    ]);
    const signals = installSignals();
    const scorers = await openScorers({
      ...modelsOf(args),
      ...(args.threads && { threads: args.threads }),
      jobs: ['embed'],
      announce: say,
    });
    try {
      const [probe] = await scorers.embed(['dimension']);
      const worker = await openIndexWorker({
        redis: redisOf(args),
        queue: args.queue,
        backend: args.backend,
        embed: (texts, call) => scorers.embed(texts, call),
        embedder: { ...scorers.info.models.embed!, dimension: probe!.length },
        countTokens: (text) => scorers.countTokens(text),
        concurrency: args.concurrency,
        lockMs: args.lock * 1_000,
        say,
      });
      say(`${worker.id} takes jobs.`);
      try {
        await Promise.race([ended(signals.signal), worker.broken]);
      } finally {
        const { signal } = signals;
        await worker.close(args.drainTimeout * 1_000, abortOf(signal));
        say(`${worker.id} ends; it made ${worker.staged} pieces.`);
      }
      if (abortOf(signals.signal)?.aborted) process.exitCode = EXIT.INTERRUPTED;
    } finally {
      await scorers.close();
      signals.dispose();
    }
  },
};

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
