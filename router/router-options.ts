/** Checks on what a router is opened with and asked: JavaScript callers have no compiler to tell them. */
import { PragauraError } from '../common/index.ts';
import { Budget, COUNTED_UNITS } from '../profiles/index.ts';
import { Query } from './contracts.ts';
import { CAUTIOUS, HardGateSettings, Prior } from './decision/index.ts';
import { LayerSettings } from './layers/index.ts';
import type { RouterOptions } from './types.ts';

const OPTIONS: Record<keyof RouterOptions, true> = {
  index: true,
  asOf: true,
  backend: true,
  readable: true,
  thresholds: true,
  profiles: true,
  policy: true,
  budget: true,
  vocabulary: true,
  layers: true,
  defaults: true,
  rule: true,
  cautious: true,
  decider: true,
  planner: true,
  utilities: true,
  prior: true,
  sampler: true,
  hardGate: true,
  threads: true,
  provider: true,
  models: true,
  modelsDir: true,
  scorers: true,
  relabel: true,
  announce: true,
};

export function checkOptions(options: RouterOptions): void {
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    throw new PragauraError('CONFIGURATION', `openRouter has no option "${unknown}".`, {
      hint: `It has: ${Object.keys(OPTIONS).join(', ')}.`,
    });
  }
  if (typeof options?.index !== 'string' || options.index === '') {
    throw new PragauraError('CONFIGURATION', 'openRouter was given no index folder.', {
      hint: "Give it one: openRouter({ index: 'my-index' })",
    });
  }
}

export function checkedQuery(query: Query): Query {
  const parsed = Query.safeParse(query);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? ` ${issue.path.join('.')}` : '';
  throw new PragauraError('INVALID_INPUT', `The query does not fit,${where}: ${issue?.message}`, {
    hint: "A query is at least { id: 'q1', query: 'Who wrote it?' }.",
    cause: parsed.error,
  });
}

export function checkedBudget(budget: Budget): Budget {
  const parsed = Budget.safeParse(budget);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PragauraError('CONFIGURATION', `Budget, ${issue?.path.join('.')}: ${issue?.message}`, {
    hint: 'Every unit of the budget is a whole number of at least 0; ms is a positive number or null.',
    cause: parsed.error,
  });
}

export function checkedLayers(layers: unknown): LayerSettings {
  const parsed = LayerSettings.safeParse(layers);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `, ${issue.path.join('.')}` : '';
  throw new PragauraError('CONFIGURATION', `Layers${where}: ${issue?.message}`, {
    hint: 'Layers are an object such as {"distance": {"on": false}, "coverage": {"known": 0.3}}.',
    cause: parsed.error,
  });
}

/** The prior of a planner; null where none is given. Throws CONFIGURATION for what is none, and where no planner decides. */
export function checkedPrior({ prior, decider }: RouterOptions): NonNullable<RouterOptions['prior']> | null {
  if (prior === undefined) return null;
  if (decider !== 'planner') {
    throw new PragauraError('CONFIGURATION', 'A prior is for a planner, and none decides.', {
      hint: "Add decider: 'planner', or leave it out.",
    });
  }
  if (typeof prior === 'object' && prior !== null && 'decisions' in prior) return prior;
  const parsed = Prior.safeParse(prior);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `, ${issue.path.join('.')}` : '';
  throw new PragauraError('CONFIGURATION', `The prior${where}: ${issue?.message}`, {
    hint: 'It is three shares such as { ANSWER: 0.7, ASK: 0.1, ABSTAIN: 0.2 }.',
    cause: parsed.error,
  });
}

/** The hard gate's thresholds. Throws CONFIGURATION for what is none, and where the gate does not decide. */
export function checkedHardGate({ hardGate, decider }: RouterOptions): HardGateSettings {
  if (hardGate !== undefined && decider !== 'hard-gate') {
    throw new PragauraError('CONFIGURATION', 'hardGate is of a gate that does not decide.', {
      hint: "Add decider: 'hard-gate', or leave it out.",
    });
  }
  const parsed = HardGateSettings.safeParse(hardGate ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PragauraError('CONFIGURATION', `hardGate, ${issue?.path.join('.')}: ${issue?.message}`, {
    hint: 'Thresholds are numbers from 0 to 1: conflict, confidence, coverage, ambiguity.',
    cause: parsed.error,
  });
}

/**
 * How cautious the general rule is; null where another one decides. Throws CONFIGURATION for what is no number in [0, 1],
 * and where it would change nothing.
 */
export function cautiousOf({ cautious, thresholds, rule, decider }: RouterOptions): number | null {
  const general =
    thresholds === undefined && rule !== 'provisional' && (decider === undefined || decider === 'thresholds');
  if (cautious === undefined) return general ? CAUTIOUS : null;
  if (!general) {
    throw new PragauraError(
      'CONFIGURATION',
      'What is more or less cautious is the general rule, and another decides.',
      {
        hint: 'Leave out cautious, or leave out the calibration, the decider or the rule that is named.',
      },
    );
  }
  if (typeof cautious === 'number' && cautious >= 0 && cautious <= 1) return cautious;
  throw new PragauraError('CONFIGURATION', `cautious is ${cautious}, which is not between 0 and 1.`);
}

/**
 * What one routing of a query may divide where there may be several: a default may have it routed once more, and each
 * of several questions is routed by itself. Together they never spend more than the budget. The time is one for all.
 */
export function shareOf(budget: Budget, routings: number): Budget {
  const shares = COUNTED_UNITS.map((unit) => [unit, Math.floor(budget[unit] / routings)]);
  return { ...budget, ...Object.fromEntries(shares) };
}
