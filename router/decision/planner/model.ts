/** A planner as a file: readable JSON that says what it looks at, how it was fitted, and whether anybody changed it. */
import { z } from 'zod';
import { canonicalHash, PragauraError } from '../../../common/index.ts';
import { MadeWith, Utilities } from '../../contracts.ts';
import { PLANNING_FEATURES, type PlanningFeature } from './names.ts';

const PLANNER_SCHEMA = 'pragaura.planner/1';
const MOST_TREES = 3_000;
const DEEPEST = 6;

const feature = z.enum(PLANNING_FEATURES as [PlanningFeature, ...PlanningFeature[]]);
const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** One number for each action. */
const PerAction = z.strictObject({ ANSWER: z.number(), ASK: z.number(), ABSTAIN: z.number() });
export type PerAction = z.infer<typeof PerAction>;

/**
 * A leaf has a number for each action, to be added to its logit. A split sends what is smaller than `at` one way, the
 * rest the other, and what was not measured a third way of its own.
 */
export type PlannerNode =
  | PerAction
  | { feature: PlanningFeature; at: number; less: PlannerNode; more: PlannerNode; missing: PlannerNode };

/** To a fixed depth, so that no file can make the reader run out of stack. */
function nodeOf(depth: number): z.ZodType<PlannerNode> {
  if (depth === 0) return PerAction;
  const inner = nodeOf(depth - 1);
  const split = z.strictObject({ feature, at: z.number(), less: inner, more: inner, missing: inner });
  return z.union([PerAction, split]);
}
const Node = nodeOf(DEEPEST);

/** What a planner was fitted on, so that nobody holds it to account on the same, or wonders where it is from. */
const FittedOn = MadeWith.extend({
  /** Hash over the program that measured. */
  program: z.string(),
  /** How the labelled queries were divided; it was fitted on the tune part. */
  seed: z.number().int(),
  shares: z.strictObject({ tune: z.number(), calibrate: z.number(), test: z.number() }),
  /** Short hashes of the groups, documents and questions of that part, sorted, in a row. */
  ties: z.string().regex(/^[0-9a-f]*$/),
});

const Quality = z.strictObject({ logLoss: z.number().min(0), accuracy: share, macroF1: share });

/**
 * P(a | features) = softmax over actions of z / temperature, with z = base + linear part + sum of the trees. A linear
 * input adds `weight * (value - mean) / scale`, or `missing` where it was not measured. Either part may be empty.
 */
export const PlannerModel = z.strictObject({
  schema: z.literal(PLANNER_SCHEMA),
  /** What the program knew to look at when this was fitted; it may use fewer. */
  features: z.array(z.string()),
  temperature: z.number().positive(),
  base: PerAction,
  linear: z.array(
    z.strictObject({
      feature,
      mean: z.number(),
      scale: z.number().positive(),
      weights: PerAction,
      missing: PerAction,
    }),
  ),
  trees: z.array(Node).max(MOST_TREES),
  /** What mistakes cost, unless the caller says otherwise. */
  utilities: Utilities,
  fitted: z.strictObject({
    kind: z.enum(['prior', 'linear', 'trees', 'both']),
    rows: count,
    groups: count,
    actions: z.strictObject({ ANSWER: count, ASK: count, ABSTAIN: count }),
    /** Their shares, rows as weighed. Absent of planners fitted before it was kept. */
    prior: z.strictObject({ ANSWER: share, ASK: share, ABSTAIN: share }).optional(),
    /** On groups left out; null where there were too few to leave any out. */
    quality: Quality.nullable(),
    /** Absent where nobody said, as in the shipped file. */
    on: FittedOn.optional(),
  }),
  /** SHA-256 over the canonical JSON of everything else. */
  hash: z.string(),
});
export type PlannerModel = z.infer<typeof PlannerModel>;

/** The model with its hash. */
export function sealed(model: Omit<PlannerModel, 'schema' | 'features' | 'hash'>): PlannerModel {
  const whole: Omit<PlannerModel, 'hash'> = {
    schema: PLANNER_SCHEMA,
    features: [...PLANNING_FEATURES],
    ...model,
  };
  return { ...whole, hash: hashOf(whole) };
}

/** What `hash` of a planner must be. */
function hashOf(model: object): string {
  const { hash: _, ...rest } = model as { hash?: unknown };
  return canonicalHash(rest);
}

const AGAIN =
  'Fit it anew with "pragaura calibrate --fit-planner FILE", or leave --planner out to take the one that is shipped.';

/**
 * A planner from the text of its file; `name` is what messages call it. Pure. Throws PLANNER_UNUSABLE when it is no
 * planner of this schema, was changed after it was written, or looks at other features than this program measures; the
 * message says which.
 */
export function readPlanner(text: string, name: string): PlannerModel {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unusable(name, 'it is no JSON.', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unusable(name, 'it is no planner.');
  const { schema, features, hash } = value as Record<string, unknown>;
  if (schema !== PLANNER_SCHEMA) {
    const is = typeof schema === 'string' ? `of schema "${schema.slice(0, 80)}"` : 'no planner';
    throw unusable(name, `it is ${is}, and this version reads ${PLANNER_SCHEMA}.`);
  }
  let own: string;
  try {
    own = hashOf(value);
  } catch (cause) {
    throw unusable(name, 'it is nested too deeply.', cause);
  }
  if (hash !== own) {
    throw unusable(
      name,
      `it was changed after it was written: its hash says ${shown(hash)}, its content ${shown(own)}.`,
    );
  }
  const differing = differences(Array.isArray(features) ? features : []);
  if (differing !== '') throw unusable(name, `it was fitted on other features: ${differing}.`);
  const model = PlannerModel.safeParse(value);
  if (!model.success) {
    const [issue] = model.error.issues;
    throw unusable(name, `${issue?.path.join('.')}: ${issue?.message}`, model.error);
  }
  return model.data;
}

function shown(hash: unknown): string {
  return typeof hash === 'string' ? hash.slice(0, 12) : 'nothing';
}

/** In words; empty when the lists are the same. */
function differences(features: readonly unknown[]): string {
  const theirs = features.map(String);
  const unknown = theirs.filter((name) => !(PLANNING_FEATURES as readonly string[]).includes(name));
  const missing = PLANNING_FEATURES.filter((name) => !theirs.includes(name));
  const parts = [
    ...(unknown.length > 0 ? [`${listed(unknown)} that this program does not measure`] : []),
    ...(missing.length > 0 ? [`without ${listed(missing)}`] : []),
  ];
  if (parts.length === 0 && theirs.join() !== PLANNING_FEATURES.join()) return 'the same in another order';
  return parts.join(' and ');
}

function listed(names: readonly string[]): string {
  const some = names.slice(0, 5).map((name) => name.slice(0, 40));
  return names.length > 5 ? `${some.join(', ')} and ${names.length - 5} more` : some.join(', ');
}

function unusable(name: string, why: string, cause?: unknown): PragauraError {
  return new PragauraError('PLANNER_UNUSABLE', `The planner ${name} cannot be used: ${why}`, {
    hint: AGAIN,
    cause,
  });
}
