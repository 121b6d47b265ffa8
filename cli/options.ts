/** Options that commands of several rooms share. */
import { readFileSync } from 'node:fs';
import type { Argv } from 'yargs';
import { messageOf, PragauraError } from '../common/index.ts';
import type { Job, Provider, ScorersOptions } from '../scorers/index.ts';
import { type ModelArguments, modelOptions, modelsOf } from './model-options.ts';

export interface ScorerArguments extends ModelArguments {
  threads: number | undefined;
  provider: Provider;
}

/** A `coerce` for a number: whole, within limits, given once. */
export function wholeNumber(name: string, least: number, most: number) {
  return (value: unknown): number | undefined => {
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new PragauraError('USAGE', `--${name} takes one whole number from ${least} to ${most}.`);
  };
}

/** JSON of a file that an option names. Throws NOT_FOUND and CONFIGURATION. */
export function jsonOf(file: string, option: string, example: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${messageOf(error)}`, {
      hint: `Name a file that can be read with --${option}.`,
      cause: error,
    });
  }
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new PragauraError('CONFIGURATION', `${file} is not JSON: ${messageOf(error)}`, {
      hint: `For example ${example}`,
      cause: error,
    });
  }
}

/** The index that a command works on. */
export const INDEX_OPTION = {
  type: 'string',
  requiresArg: true,
  normalize: true,
  demandOption: 'Which index? Say --index DIR; "pragaura index PATH… --out DIR" makes one.',
  describe: 'Index folder made by "pragaura index"',
} as const;

/** The engine that holds an index. */
export const BACKEND_OPTION = {
  type: 'string',
  requiresArg: true,
  describe:
    'Engine that holds the index, opensearch=URL or pgvector=URL; its name there is that of the folder [default: none, the folder is searched]',
} as const;

/** The log that decisions are recorded on. */
export const AUDIT_OPTION = {
  type: 'string',
  requiresArg: true,
  normalize: true,
  describe:
    'Audit log: every decision is on it before it is given out, and is not given out where that fails',
} as const;

export const AUDIT_KEY_OPTION = {
  type: 'string',
  requiresArg: true,
  normalize: true,
  describe:
    'PEM file of the private Ed25519 key that signs the log [default: the log\'s name and ".key", made where there is none]',
} as const;

/** Who asks. */
export const PRINCIPAL_OPTIONS = {
  'principal-token': {
    type: 'string',
    requiresArg: true,
    describe:
      'Signed token (JWT) of whoever asks; better in the environment, where others do not see it [default: none, one is "public"]',
  },
  principals: {
    type: 'string',
    requiresArg: true,
    normalize: true,
    describe: 'JSON file: whose tokens are believed',
  },
  'trust-local': {
    type: 'boolean',
    default: false,
    describe: "Whoever runs the command is its owner: at a machine of one's own",
  },
} as const;

export const POLICY_OPTIONS = {
  'policy-file': {
    type: 'string',
    requiresArg: true,
    normalize: true,
    describe: 'Cedar policies: who may do what',
  },
  'document-labels': {
    type: 'string',
    requiresArg: true,
    normalize: true,
    describe: 'JSON file of collections, tags, clearances and validity of documents',
  },
  'reviewed-by': {
    type: 'string',
    requiresArg: true,
    normalize: true,
    describe:
      'Public key (PEM) of the log that "pragaura policy approve" wrote to: a policy that was not reviewed is refused',
  },
  everybody: {
    type: 'boolean',
    default: false,
    describe: 'A policy that has @everybody("yes") may let everybody in',
  },
} as const;

export const MEMORY_OPTIONS = {
  memory: {
    type: 'string',
    requiresArg: true,
    normalize: true,
    describe: 'Folder of what is remembered of people who have agreed to it',
  },
  'memory-key': {
    type: 'string',
    requiresArg: true,
    normalize: true,
    describe: 'Its master key, best kept elsewhere [default: master.key in that folder]',
  },
} as const;

export const QUERY_LOG_OPTION = {
  type: 'string',
  requiresArg: true,
  normalize: true,
  describe:
    'File of what people asked about, of those who have agreed to it, that defaults are proposed from',
} as const;

export const QUERY_LOG_DAYS_OPTION = {
  type: 'number',
  requiresArg: true,
  coerce: wholeNumber('query-log-days', 1, 3_650),
  describe: 'Days after which a question is taken off the query log [default: 30]',
} as const;

/** Of commands that keep what people ask. */
export const QUERY_LOG_OPTIONS = {
  'query-log': QUERY_LOG_OPTION,
  'query-log-days': QUERY_LOG_DAYS_OPTION,
  'query-log-everybody': {
    type: 'boolean',
    default: false,
    describe: 'Whoever runs this says so for all who ask: nobody is asked whether they agree',
  },
} as const;

export interface QueryLogArguments {
  queryLog: string | undefined;
  queryLogDays: number | undefined;
  queryLogEverybody: boolean;
  defaults?: string | undefined;
  policyFile: string | undefined;
}

/** The query log that they name; undefined: nothing is kept. Throws USAGE where nothing is learned from it, or not all may be read by all. */
export function queryLogOf(args: QueryLogArguments) {
  const { queryLog: file, queryLogDays: days, queryLogEverybody: everybody, defaults } = args;
  if (file === undefined) {
    if (days === undefined && !everybody) return undefined;
    throw new PragauraError('USAGE', 'There are settings of a query log and none: say --query-log FILE.');
  }
  if (defaults === undefined) {
    throw new PragauraError(
      'USAGE',
      'A query log is what defaults are proposed from, and none are learned.',
      {
        hint: 'Add --defaults FILE, or leave --query-log out.',
      },
    );
  }
  if (args.policyFile !== undefined) {
    throw new PragauraError(
      'USAGE',
      'What is proposed may show what others may read: --query-log or --policy-file.',
    );
  }
  const whose = everybody ? ('everybody' as const) : ('consenting' as const);
  return { file, create: true, whose, ...(days !== undefined && { days }) };
}

/** Of commands that show or use learned defaults. */
export const FIRST_DEFAULT_OPTION = {
  type: 'number',
  requiresArg: true,
  coerce: wholeNumber('first-default', 1, 100),
  describe: 'How many users must agree before a default is applied without asking [default: 5]',
} as const;

export const THREADS_OPTION = {
  type: 'number',
  requiresArg: true,
  coerce: wholeNumber('threads', 1, 64),
  describe: 'Inference threads [default: one a core, at most 4]',
} as const;

/** What runs the models of these jobs (all, where none is named), and which models. */
export function scorerOptions<T>(parser: Argv<T>, jobs?: readonly Job[]) {
  return modelOptions(
    parser.option('threads', THREADS_OPTION).option('provider', {
      choices: ['cpu', 'webgpu', 'cuda'] as const,
      default: 'cpu' as const,
      describe: 'What runs the models; falls back to cpu and says so',
    }),
    jobs,
  );
}

/** What `openScorers` gets from the arguments. */
export function scorersOptionsFrom(
  args: ScorerArguments,
  announce: (message: string) => void,
): ScorersOptions {
  return {
    provider: args.provider,
    announce,
    ...(args.threads === undefined ? {} : { threads: args.threads }),
    ...modelsOf(args),
  };
}
