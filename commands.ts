/** Every command, in the order of the help: how it is called, what it is for, and the module that is read when it is run. */
import { existsSync } from 'node:fs';
import type { CommandModule } from 'yargs';
import type { IndexingByWorkers } from './corpus/commands/index-corpus.ts';
import type { KeepGraph } from './corpus/index.ts';
import type { OpenGovernance } from './router/commands/options.ts';

/** A command as the help lists it. `load` brings its options and what it does, which `--help` alone does not need. */
interface Listed {
  command: string;
  describe: string;
  load(): Promise<{ builder?: unknown; handler(args: never): unknown }>;
}

/** Handed to the commands that decide: their rooms may not import the one that calibrates. */
const loadThresholds = async (file: string) => (await import('./calibration/index.ts')).loadCalibration(file);

const loadFactuality = async (file: string) => (await import('./calibration/index.ts')).loadFactuality(file);

const openGovernance: OpenGovernance = async (args) =>
  (await import('./governance/commands/governing.ts')).openGovernance(args);

/** Handed to the one that indexes: its room knows neither graphs nor the queue. */
const keepGraph: KeepGraph = async (generation, call) =>
  (await import('./router/graph/index.ts')).keepGraph(generation, call);

const indexingByWorkers = async (): Promise<IndexingByWorkers> => {
  const { QUEUE_OPTIONS, redisOf } = await import('./workers/commands/options.ts');
  return {
    options: QUEUE_OPTIONS,
    open: async ({ redis, queue }, index) => {
      const { indexingBy } = await import('./workers/indexing/index.ts');
      return indexingBy({ redis: redisOf({ redis, queue: queue! }), queue: queue!, ...index });
    },
  };
};

const SHIPPED: readonly Listed[] = [
  {
    command: 'index [paths..]',
    describe: 'Index files and folders, or bring an index up to date',
    load: async () =>
      (await import('./corpus/commands/index-corpus.ts')).indexCommand(await indexingByWorkers(), keepGraph),
  },
  {
    command: 'ask [question..]',
    describe: 'Ask one question: an answer with its evidence, a question back, or why not',
    load: async () => (await import('./router/commands/ask.ts')).askCommand(loadThresholds, openGovernance),
  },
  {
    command: 'route',
    describe: 'Decide a stream of queries: NDJSON in, NDJSON out',
    load: async () =>
      (await import('./router/commands/route.ts')).routeCommand(loadThresholds, openGovernance),
  },
  {
    command: 'retrieve',
    describe: 'Rank documents for a stream of queries: NDJSON in, a TREC run out',
    load: async () => (await import('./router/commands/retrieve.ts')).retrieveCommand,
  },
  {
    command: 'classify',
    describe: 'Speech acts only: NDJSON in, NDJSON out',
    load: async () => (await import('./router/commands/classify.ts')).classifyCommand,
  },
  {
    command: 'graph',
    describe: 'Build the graph of what the documents say about named things, into the index folder',
    load: async () => (await import('./router/commands/graph.ts')).graphCommand,
  },
  {
    command: 'doctor',
    describe: 'Check models, providers, index, files of a decision, memory and versions, one line each',
    load: async () => (await import('./router/commands/doctor.ts')).doctorCommand,
  },
  {
    command: 'defaults',
    describe: 'Look at what was learned from answers to questions back, and forget it',
    load: async () => (await import('./conversation/commands/defaults.ts')).defaultsCommand,
  },
  {
    command: 'audit',
    describe: 'Look at the log of decisions, and prove that it is whole',
    load: async () => (await import('./governance/commands/audit.ts')).auditCommand,
  },
  {
    command: 'policy',
    describe: 'Check who may do what, and explain it',
    load: async () => (await import('./governance/commands/policy.ts')).policyCommand,
  },
  {
    command: 'memory',
    describe: 'What is remembered of a person: agree, look, correct, take along, erase',
    load: async () => (await import('./governance/commands/memory.ts')).memoryCommand,
  },
  {
    command: 'queries',
    describe: 'What is kept of what a person asked about: agree, look, erase',
    load: async () => (await import('./governance/commands/queries.ts')).queriesCommand,
  },
  {
    command: 'knowledge',
    describe: 'Reviewed updates of an index, its generations, and the way back to one',
    load: async () => (await import('./knowledge/commands/knowledge.ts')).knowledgeCommand,
  },
  {
    command: 'generate',
    describe: 'Decide a stream of queries, and let a language model word the answers: NDJSON in, NDJSON out',
    load: async () =>
      (await import('./generation/commands/generate.ts')).generateCommand(
        loadThresholds,
        loadFactuality,
        openGovernance,
      ),
  },
  {
    command: 'verify',
    describe: 'Check every sentence of answers against the passages that they lean on: NDJSON in, NDJSON out',
    load: async () => (await import('./generation/commands/verify.ts')).verifyCommand(loadFactuality),
  },
  {
    command: 'serve',
    describe: 'Serve indexes over HTTP: decisions, streams of them, retrieval, scores, verification',
    load: async () => (await import('./server/commands/serve.ts')).serveCommand(loadThresholds),
  },
  {
    command: 'mcp',
    describe: 'Serve indexes to one client of the Model Context Protocol, on standard input and output',
    load: async () => (await import('./server/commands/mcp.ts')).mcpCommand(loadThresholds),
  },
  {
    command: 'keys',
    describe: 'Make, list, revoke and rotate the API keys of a server',
    load: async () => (await import('./server/commands/keys.ts')).keysCommand,
  },
  {
    command: 'worker',
    describe: 'Decide the queries of a queue, as one worker of any number',
    load: async () => (await import('./workers/commands/worker.ts')).workerCommand(loadThresholds),
  },
  {
    command: 'index-worker',
    describe: 'Read, cut and embed documents for "index --workers", as one worker of any number',
    load: async () => (await import('./workers/commands/index-worker.ts')).indexWorkerCommand,
  },
  {
    command: 'submit',
    describe: 'Put a stream of queries into a queue; with --wait, decide it by way of the queue',
    load: async () => (await import('./workers/commands/submit.ts')).submitCommand,
  },
  {
    command: 'results',
    describe: 'Read the decisions of a queue, each once',
    load: async () => (await import('./workers/commands/results.ts')).resultsCommand,
  },
  {
    command: 'queue <action> [jobs..]',
    describe: 'Look at a queue and steer it: status, dead, retry, drop, pause, resume, drain',
    load: async () => (await import('./workers/commands/queue.ts')).queueCommand,
  },
  {
    command: 'label',
    describe: 'Make labelled queries from your own documents: questions are proposed, you accept or edit',
    load: async () => (await import('./calibration/commands/label.ts')).labelCommand,
  },
  {
    command: 'calibrate',
    describe: 'Fit thresholds with a promise, or a planner, from labelled queries',
    load: async () => (await import('./calibration/commands/calibrate.ts')).calibrateCommand,
  },
  {
    command: 'limits',
    describe: 'Fit how far a question may be from each collection, from what people ask and a few labels',
    load: async () => (await import('./calibration/commands/limits.ts')).limitsCommand,
  },
  {
    command: 'evaluate',
    describe: 'Measure how good decisions are on labelled queries: figures, tables, a report',
    load: async () => (await import('./calibration/commands/evaluate.ts')).evaluateCommand,
  },
  {
    command: 'compare <evaluations..>',
    describe: 'Evaluations of one test side by side: curves, areas, quality against budget',
    load: async () => (await import('./calibration/commands/compare.ts')).compareCommand,
  },
  {
    command: 'monitor',
    describe: 'Watch a stream of decisions for drift from a calibration',
    load: async () => (await import('./calibration/commands/monitor.ts')).monitorCommand,
  },
  {
    command: 'score <job>',
    describe: 'Score pairs of texts: NDJSON in, NDJSON out',
    load: async () => (await import('./scorers/commands/score.ts')).scoreCommand,
  },
  {
    command: 'models',
    describe: 'List, check and pull the models that score',
    load: async () => (await import('./scorers/commands/models.ts')).modelsCommand(),
  },
];

/** Of the benchmarks, whose room is in the repository only: the package leaves it out. */
const BENCHES: readonly Listed[] = [
  {
    command: 'bench',
    describe:
      'Measure indexing, retrieval, decisions, answers on manuals, policies at equal compute, latency, the stream, the queue, scorers, readers and providers',
    load: async () => (await import('./bench/commands/bench.ts')).benchCommand,
  },
  {
    command: 'repro',
    describe: 'Reproduce the figures that are claimed: OK, OKish or FAIL',
    load: async () => (await import('./bench/commands/repro.ts')).reproCommand,
  },
];

const SETTINGS: Listed = {
  command: 'settings',
  describe: 'Every setting: its option, environment variable, key, default, and the commands that take it',
  load: async () => (await import('./cli/settings.ts')).settingsCommand(loadCommands),
};

const hasBenches = existsSync(new URL('bench', import.meta.url));

const LISTED = [...SHIPPED, ...(hasBenches ? BENCHES : []), SETTINGS];

/** Commands by name and description, enough for the help: no module of theirs is read, and they do nothing. */
export function listCommands(): CommandModule[] {
  return LISTED.map(({ command, describe }) => ({ command, describe, handler() {} }));
}

/** The commands with their options and what they do. */
export function loadCommands(): Promise<CommandModule[]> {
  return Promise.all(
    LISTED.map(async ({ load, ...listed }) => ({ ...listed, ...(await load()) }) as CommandModule),
  );
}

/** Whether this is a command that only the repository has, and this is the installed package. */
export function isLeftOut(name: string): boolean {
  return !hasBenches && BENCHES.some(({ command }) => command === name);
}
