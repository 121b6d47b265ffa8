/** What decides, and what it goes by: on the command line, in the configuration file, in the environment. */
import type { Argv } from 'yargs';
import { FIRST_DEFAULT_OPTION, jsonOf, wholeNumber } from '../../cli/index.ts';
import { PragauraError } from '../../common/index.ts';
import type { Utilities } from '../contracts.ts';
import type { HardGateSettings } from '../decision/index.ts';
import { DECIDERS, type Decider, type RouterOptions } from '../types.ts';
import { DEFAULTS } from '../vocabulary/defaults.ts';
import type { VocabularyOptions } from '../vocabulary/index.ts';

/** As `LayerSettings` has it, whose parser the help must not load. */
const MOST_SOURCES = 20;

/** All may be missing: not every command that opens a router has them. */
export interface DecisionArguments {
  vocabulary?: string[] | undefined;
  'vocabulary-language'?: string[] | undefined;
  'vocabulary-max-concepts'?: number | undefined;
  'vocabulary-max-bytes'?: number | undefined;
  layers?: string | undefined;
  'min-sources'?: number | undefined;
  decider?: Decider | undefined;
  planner?: string | undefined;
  utilities?: string | undefined;
  prior?: string | undefined;
  'hard-gate'?: string | undefined;
  cautious?: number | undefined;
  defaults?: string | undefined;
  tenant?: string | undefined;
  'first-default'?: number | undefined;
}

const COSTS = ['wrong', 'question', 'silence'] as const;
const UTILITIES_EXAMPLE = 'For example --utilities wrong=2,question=1,silence=1';
const GATES = ['conflict', 'confidence', 'coverage', 'ambiguity'] as const;
const GATES_EXAMPLE = `For example --hard-gate conflict=.7,ambiguity=.45; there are ${GATES.join(', ')}`;

/** The options of commands that decide. */
export function decisionOptions<T>(parser: Argv<T>) {
  return measuredOptions(parser)
    .option('decider', {
      choices: DECIDERS,
      describe:
        "What has the last word: U against tau, a planner, the paper's gate, or relevance alone [default: thresholds]",
    })
    .option('utilities', {
      type: 'string',
      requiresArg: true,
      describe: "Costs that the planner weighs, wrong=2,question=1,silence=1 [default: its file's]",
    })
    .option('prior', {
      type: 'string',
      requiresArg: true,
      describe:
        "How often each action is right among the planner's queries, answer=.7,ask=.1,abstain=.2, or a file of its decisions to estimate that from [default: its file's]",
    })
    .option('hard-gate', {
      type: 'string',
      requiresArg: true,
      describe:
        "Thresholds of the paper's gate, those that are to be others [default: conflict=.7,confidence=.35,coverage=.3,ambiguity=.45]",
    })
    .option('cautious', {
      requiresArg: true,
      coerce: cautiousFrom,
      describe:
        'Without a calibration: what a wrong answer costs, from 0 (nothing) over .5 (what a right one is worth) to 1 (four times that) [default: 0.45]',
    });
}

/** A number from 0 to 1. Throws USAGE. */
function cautiousFrom(value: unknown): number {
  const cautious = String(value).trim() === '' ? Number.NaN : Number(value);
  if (cautious >= 0 && cautious <= 1) return cautious;
  throw new PragauraError('USAGE', `--cautious takes a number from 0 to 1, not "${String(value)}".`);
}

/** Those among them of commands that measure for thresholds, beside which nothing else has the last word. */
export function measuredOptions<T>(parser: Argv<T>) {
  return parser
    .option('vocabulary', {
      type: 'string',
      array: true,
      // One at a time: a list of its own would take the question of "ask" for a file.
      nargs: 1,
      requiresArg: true,
      normalize: true,
      describe:
        'File of settled terms, SKOS (.ttl, .rdf, .jsonld) or .csv, consulted first; may be given again',
    })
    .option('vocabulary-language', {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe: `Language of its labels and definitions, may be given again, best first [default: ${DEFAULTS.languages.join(', ')}]`,
    })
    .option('vocabulary-max-concepts', {
      type: 'number',
      requiresArg: true,
      coerce: wholeNumber('vocabulary-max-concepts', 1, 100_000_000),
      describe: `Refuse a vocabulary of more concepts [default: ${DEFAULTS.maxConcepts}]`,
    })
    .option('vocabulary-max-bytes', {
      type: 'number',
      requiresArg: true,
      coerce: wholeNumber('vocabulary-max-bytes', 1, 2 ** 40),
      describe: `Refuse one of its files that is larger, unpacked [default: ${DEFAULTS.maxBytes}]`,
    })
    .option('layers', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: 'JSON file: layers before the decision that are off or have other limits',
    })
    .option('min-sources', {
      type: 'number',
      requiresArg: true,
      coerce: wholeNumber('min-sources', 1, MOST_SOURCES),
      describe:
        'Answer only what this many independent sources say; copies and pages of one document are one [default: 1]',
    })
    .option('planner', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe: "Planner file [default: the package's own]",
    });
}

/** The options of commands that may use what users answered before. `whose`: where --tenant is not given. */
export function defaultsOptions<T>(parser: Argv<T>, whose = 'default') {
  return parser
    .option('defaults', {
      type: 'string',
      requiresArg: true,
      normalize: true,
      describe:
        'File of learned defaults: asks once, then takes what users answered; made where there is none',
    })
    .option('tenant', {
      type: 'string',
      requiresArg: true,
      describe: `Whose defaults [default: ${whose}]`,
    })
    .option('first-default', FIRST_DEFAULT_OPTION);
}

/** "wrong=2,question=1,silence=1" as what it says: all three, each once, a number of at least 0. Throws USAGE. */
export function utilitiesFrom(value: string): Utilities {
  const costs = namedNumbers('utilities', value, COSTS, [0, Number.POSITIVE_INFINITY], UTILITIES_EXAMPLE);
  const missing = COSTS.find((cost) => costs[cost] === undefined);
  if (missing === undefined) return costs as Utilities;
  throw new PragauraError('USAGE', `--utilities does not say "${missing}".`, { hint: UTILITIES_EXAMPLE });
}

const SHARES = ['answer', 'ask', 'abstain'] as const;
const PRIOR_EXAMPLE = 'For example --prior answer=.7,ask=.1,abstain=.2, or --prior decisions.ndjson';

/** "answer=.7,ask=.1,abstain=.2" as what it says, and anything without "=" as a file of decisions. Throws USAGE. */
function priorFrom(value: string): NonNullable<RouterOptions['prior']> {
  if (!value.includes('=')) return { decisions: value };
  const { answer, ask, abstain } = namedNumbers('prior', value, SHARES, [0, 1], PRIOR_EXAMPLE);
  const wrong = (message: string) => new PragauraError('USAGE', message, { hint: PRIOR_EXAMPLE });
  if (answer === undefined || ask === undefined || abstain === undefined)
    throw wrong('--prior says not all of "answer", "ask" and "abstain".');
  if (Math.abs(answer + ask + abstain - 1) > 1e-6)
    throw wrong(`--prior: the three shares sum to ${Number((answer + ask + abstain).toFixed(6))}, not to 1.`);
  return { ANSWER: answer, ASK: ask, ABSTAIN: abstain };
}

/** "conflict=.7,ambiguity=.45" as what it says, each once, in [0, 1]. Throws USAGE. */
function gatesFrom(value: string): Partial<HardGateSettings> {
  return namedNumbers('hard-gate', value, GATES, [0, 1], GATES_EXAMPLE);
}

/** "a=1,b=2": some of the names, each once, with a number in the range. Throws USAGE. */
function namedNumbers<Name extends string>(
  option: string,
  value: string,
  names: readonly Name[],
  [least, most]: readonly [number, number],
  hint: string,
): Partial<Record<Name, number>> {
  const wrong = (message: string) => new PragauraError('USAGE', `--${option}${message}`, { hint });
  const range = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`;
  const found: Partial<Record<Name, number>> = {};
  for (const part of value.split(',')) {
    const [written = '', amount = '', ...rest] = part.split('=').map((piece) => piece.trim());
    const name = names.find((known) => known === written);
    if (name === undefined) throw wrong(` knows no "${written}".`);
    if (found[name] !== undefined) throw wrong(` says "${name}" twice.`);
    const number = Number(amount);
    if (amount === '' || rest.length > 0 || !Number.isFinite(number) || number < least || number > most) {
      throw wrong(`: ${name} is no number ${range}.`);
    }
    found[name] = number;
  }
  return found;
}

export const LAYERS_EXAMPLE = '{"distance": {"on": false}, "coverage": {"known": 0.3}}';

/** The vocabulary that is named, with its limits; undefined where none is. Throws USAGE for limits of none. */
export function vocabularyFrom(args: DecisionArguments): VocabularyOptions | undefined {
  const { vocabulary: files = [] } = args;
  const languages = args['vocabulary-language'];
  const maxConcepts = args['vocabulary-max-concepts'];
  const maxBytes = args['vocabulary-max-bytes'];
  const limits = {
    ...(languages !== undefined && languages.length > 0 && { languages }),
    ...(maxConcepts !== undefined && { maxConcepts }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
  if (files.length > 0) return { files, ...limits };
  if (Object.keys(limits).length === 0) return undefined;
  throw new PragauraError('USAGE', 'No vocabulary is named that its languages and limits could be for.', {
    hint: 'Add --vocabulary FILE, or leave out what begins with --vocabulary-.',
  });
}

/** Settings of the layers: those of the file, with the sources that are demanded. What they say is checked by the router. */
function layersFrom({ layers: file, 'min-sources': sources }: DecisionArguments): object | undefined {
  const given = file === undefined ? undefined : (jsonOf(file, 'layers', LAYERS_EXAMPLE) as object);
  if (sources === undefined) return given;
  const own: { support?: object } = given ?? {};
  return { ...own, support: { ...own.support, on: true, sources } };
}

/** What `openRouter` gets from these options. Throws USAGE, NOT_FOUND and CONFIGURATION. */
export function decisionOptionsFrom(
  args: DecisionArguments,
): Pick<
  RouterOptions,
  | 'vocabulary'
  | 'layers'
  | 'decider'
  | 'planner'
  | 'utilities'
  | 'prior'
  | 'hardGate'
  | 'cautious'
  | 'defaults'
> {
  const { decider, planner, utilities, prior, cautious, defaults, tenant = 'default' } = args;
  const layers = layersFrom(args);
  const gates = args['hard-gate'];
  const vocabulary = vocabularyFrom(args);
  if (utilities !== undefined && decider !== 'planner') {
    throw new PragauraError('USAGE', '--utilities is what a planner weighs, and none decides here.', {
      hint: 'Add --decider planner, or leave --utilities out.',
    });
  }
  if (prior !== undefined && decider !== 'planner') {
    throw new PragauraError('USAGE', '--prior is for a planner, and none decides here.', {
      hint: 'Add --decider planner, or leave --prior out.',
    });
  }
  if (gates !== undefined && decider !== 'hard-gate') {
    throw new PragauraError('USAGE', '--hard-gate are thresholds of a gate that does not decide here.', {
      hint: 'Add --decider hard-gate, or leave --hard-gate out.',
    });
  }
  const firstDefault = args['first-default'];
  if (firstDefault !== undefined && defaults === undefined) {
    throw new PragauraError(
      'USAGE',
      '--first-default is about learned defaults, and none are learned here.',
      {
        hint: 'Add --defaults FILE, or leave --first-default out.',
      },
    );
  }
  if (tenant.trim() === '' || tenant.length > 200) {
    throw new PragauraError('USAGE', '--tenant takes one text of 1 to 200 characters.');
  }
  return {
    ...(vocabulary !== undefined && { vocabulary }),
    ...(layers !== undefined && { layers }),
    ...(decider !== undefined && { decider }),
    ...(planner !== undefined && { planner }),
    ...(utilities !== undefined && { utilities: utilitiesFrom(utilities) }),
    ...(prior !== undefined && { prior: priorFrom(prior) }),
    ...(gates !== undefined && { hardGate: gatesFrom(gates) }),
    ...(cautious !== undefined && { cautious }),
    ...(defaults !== undefined && {
      defaults: {
        store: defaults,
        tenant,
        ...(firstDefault !== undefined && { settings: { firstDefault } }),
      },
    }),
  };
}
