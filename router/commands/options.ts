import type { Argv, Options } from 'yargs';
import {
  AUDIT_KEY_OPTION,
  AUDIT_OPTION,
  BACKEND_OPTION,
  canonical,
  INDEX_OPTION,
  MEMORY_OPTIONS,
  POLICY_OPTIONS,
  PRINCIPAL_OPTIONS,
  QUERY_LOG_OPTIONS,
  type QueryLogArguments,
  queryLogOf,
  type ScorerArguments,
  scorerOptions,
  scorersOptionsFrom,
  wholeNumber,
} from '../../cli/index.ts';
import { PragauraError } from '../../common/index.ts';
import type { Budget } from '../../profiles/index.ts';
import type { CalibratedThresholds, Policy, Router, RouterOptions } from '../types.ts';
import { type DecisionArguments, decisionOptionsFrom } from './decision-options.ts';

export interface RouterArguments extends ScorerArguments, DecisionArguments {
  index: string;
  profiles: string | undefined;
  asOf: string | undefined;
  /** Of those commands that have it. */
  backend?: string | undefined;
  policy: Policy;
  budget: Partial<Budget> | undefined;
}

const BUDGET = {
  docsScored: 'Passages that the branches may hand over [default: 60]',
  rerankPairs: 'Pairs that the re-ranker may score [default: 36]',
  nliPairs: 'Pairs that the entailment model may score [default: 30]',
  contextTokens: 'Word pieces that the reader may look at [default: 5120]',
  ms: 'Milliseconds that one query may take [default: no limit]',
} as const;

const UNITS = Object.keys(BUDGET) as (keyof typeof BUDGET)[];

function budgetFrom(value: unknown): Partial<Budget> | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) {
    throw new PragauraError('USAGE', `--budget takes a unit, for example --budget.${UNITS[0]} 40.`);
  }
  const budget: Partial<Budget> = {};
  for (const [name, amount] of Object.entries(value)) {
    // yargs hands each over under both spellings, "rerankPairs" and "rerank-pairs".
    const unit = UNITS.find((known) => canonical(known) === canonical(name));
    if (unit === undefined) throw new PragauraError('USAGE', `Unknown argument: budget.${name}`);
    const [least, most] = unit === 'ms' ? [1, 86_400_000] : [0, 100_000];
    const checked = wholeNumber(`budget.${unit}`, least, most)(amount);
    if (checked !== undefined) budget[unit] = checked;
  }
  return budget;
}

/** The options of every command that opens a router. `index`: its option, where it is another one. */
export function routerOptions<T>(parser: Argv<T>, index: Options = INDEX_OPTION) {
  let withBudget = parser
    .option('index', index)
    .option('as-of', {
      type: 'string',
      requiresArg: true,
      describe:
        'Generation of the index that is kept: its name, the beginning of its hash, or the day or moment when it was the index [default: the current one]',
    })
    .option('policy', {
      choices: ['act', 'uniform'] as const,
      default: 'act' as const,
      describe: 'How the budget is divided: by the speech act, or the same for every query',
    })
    .option('profiles', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: "Folder of profiles that replaces the package's own",
    })
    // Strict parsing knows `--budget.ms` by its first part.
    .option('budget', { hidden: true, coerce: budgetFrom });
  for (const [unit, describe] of Object.entries(BUDGET)) {
    withBudget = withBudget.option(`budget.${unit}`, { type: 'number', requiresArg: true, describe });
  }
  return scorerOptions(withBudget);
}

/** The option of commands that can search an index in an engine. */
export function backendOption<T>(parser: Argv<T>) {
  return parser.option('backend', BACKEND_OPTION);
}

/** Reads a calibration artifact. Artifacts are another room's; the front door hands this over. */
export type LoadThresholds = (file: string) => Promise<CalibratedThresholds>;

/** The option of commands that decide by a calibration. */
export function calibrationOption<T>(parser: Argv<T>) {
  return parser.option('calibration', {
    type: 'string',
    requiresArg: true,
    normalize: true,
    describe: 'Thresholds made by "pragaura calibrate"; without it the general rule decides and says so',
  });
}

export interface GovernanceArguments extends QueryLogArguments {
  audit: string | undefined;
  auditKey: string | undefined;
  principalToken: string | undefined;
  principals: string | undefined;
  trustLocal: boolean;
  documentLabels: string | undefined;
  reviewedBy: string | undefined;
  everybody: boolean;
  memory: string | undefined;
  memoryKey: string | undefined;
  firstDefault?: number | undefined;
  tenant?: string | undefined;
}

/** What gives decisions out: a router, or one that records them first. */
export type Decider = Pick<Router, 'route' | 'explain'>;

/** What whoever asks may read, and the record of what they are told. */
export interface Governing {
  /** Whether whoever asks wants answers without what stands around them. */
  short?: boolean;
  /** Absent: every document. */
  readable?: NonNullable<RouterOptions['readable']>;
  audited(router: Decider): Decider;
  close(): Promise<void>;
}

/** Policies and audit logs are another room's; the front door hands this over. */
export type OpenGovernance = (args: GovernanceArguments) => Promise<Governing>;

/** The options of commands that go by who asks. */
export function governanceOptions<T>(parser: Argv<T>) {
  return parser
    .option('audit', AUDIT_OPTION)
    .option('audit-key', AUDIT_KEY_OPTION)
    .options(PRINCIPAL_OPTIONS)
    .options(MEMORY_OPTIONS)
    .options(QUERY_LOG_OPTIONS)
    .options({
      ...POLICY_OPTIONS,
      'policy-file': {
        ...POLICY_OPTIONS['policy-file'],
        describe: `${POLICY_OPTIONS['policy-file'].describe}; what whoever asks may not read does not exist for them`,
      },
    });
}

/**
 * The log of `--audit`, the policy of `--policy-file` and what `--memory` holds; without any decisions are recorded nowhere, all may be read, and
 * who asks is of no consequence. Throws USAGE, and as log and policy do.
 */
export async function governingFrom(args: GovernanceArguments, open: OpenGovernance): Promise<Governing> {
  const { audit, policyFile, memory } = args;
  const queries = queryLogOf(args);
  if (policyFile !== undefined && args.defaults !== undefined) {
    throw new PragauraError(
      'USAGE',
      'Learned defaults may show what others may read: --defaults or --policy-file.',
    );
  }
  if (audit === undefined && args.auditKey !== undefined) {
    throw new PragauraError('USAGE', 'There is a key and no log: say --audit FILE.');
  }
  if (memory === undefined && args.memoryKey !== undefined) {
    throw new PragauraError('USAGE', 'There is a key and nothing that is remembered: say --memory DIR.');
  }
  const ruling = policyFile ?? args.documentLabels ?? args.reviewedBy ?? (args.everybody || undefined);
  if ((audit ?? memory ?? queries ?? ruling) !== undefined) return open(args);
  if (args.principalToken !== undefined || args.trustLocal) {
    throw new PragauraError('USAGE', 'There is a principal and nothing that goes by who asks.', {
      hint: 'Say --policy-file FILE for what may be read, --memory DIR for what is remembered, --query-log FILE for what was asked, or --audit FILE for a record.',
    });
  }
  return { audited: (router) => router, close: async () => {} };
}

/** The options of a router under what governs it. */
export function governedOptions(options: RouterOptions, { readable }: Governing): RouterOptions {
  return { ...options, ...(readable && { readable }) };
}

/** `routerOptionsFrom` with the thresholds of `--calibration`, where one is named. */
export async function calibratedOptionsFrom(
  args: RouterArguments & { calibration: string | undefined },
  load: LoadThresholds,
  announce: (message: string) => void,
): Promise<RouterOptions> {
  const options = routerOptionsFrom(args, announce);
  return args.calibration === undefined ? options : { ...options, thresholds: await load(args.calibration) };
}

/**
 * What `openRouter` gets from the arguments. Throws USAGE, NOT_FOUND and CONFIGURATION for what they name that cannot
 * be used.
 */
export function routerOptionsFrom(args: RouterArguments, announce: (message: string) => void): RouterOptions {
  return {
    index: args.index,
    ...(args.asOf === undefined ? {} : { asOf: args.asOf }),
    ...(args.backend === undefined ? {} : { backend: args.backend }),
    policy: args.policy,
    ...(args.budget === undefined ? {} : { budget: args.budget }),
    ...(args.profiles === undefined ? {} : { profiles: args.profiles }),
    ...scorersOptionsFrom(args, announce),
    ...decisionOptionsFrom(args),
  };
}
