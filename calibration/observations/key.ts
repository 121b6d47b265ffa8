import { createHash } from 'node:crypto';
import { canonicalJson, PragauraError } from '../../common/index.ts';
import { DIFFERING, type Query, type Router, type Thresholds, type ValidFor } from '../../router/index.ts';
import { codeHash, ROOMS } from './code-hash.ts';

/** Everything that a measurement depends on but the query: each part is told by name when it differs. */
export interface Context extends Omit<ValidFor, 'decider' | 'planner' | 'utilities'> {
  schema: 'pragaura.observation-context/3';
  limits: Thresholds['limits'];
  /** See `programHash`. */
  program: string;
}

/** Commands, tools and demos decide nothing. */
export const DECIDES_NOTHING = /(?:^|\/)(?:commands|demo|hub|testing|training|models)\//;

/** Of the rooms' own files, those that measure nothing. */
const MEASURES_NOTHING = /^(?:cache|code-hash|concurrently|key|observe|planned|progress)\./;

/** Hash over the code that decides and that makes observations of decisions: what U means hangs on it. */
export function programHash(): Promise<string> {
  const except = new RegExp(`${DECIDES_NOTHING.source}|${MEASURES_NOTHING.source}`);
  return codeHash(undefined, undefined, [...ROOMS, 'calibration/observations'], except);
}

/**
 * The context of a router that was opened without a calibration. Which planner is open makes no difference: what it
 * looks at is measured, and not what it makes of that. Throws USAGE where something else than thresholds decides.
 */
export async function contextOf(
  { validFor: { decider, planner: _, utilities: __, ...rest } }: Pick<Router, 'validFor'>,
  limits: Thresholds['limits'],
): Promise<Context> {
  if (decider !== 'thresholds') {
    throw new PragauraError(
      'USAGE',
      `--decider ${decider} has no thresholds that could be fitted or evaluated.`,
      {
        hint: 'Leave it out here. "--score planner" calibrates a planner; "pragaura bench decisions" compares deciders.',
      },
    );
  }
  return { schema: 'pragaura.observation-context/3', ...rest, limits, program: await programHash() };
}

const { decider: _, planner: __, utilities: ___, ...measured } = DIFFERING;
const PARTS: Record<Exclude<keyof Context, 'schema'>, string> = {
  ...measured,
  limits: 'other limits',
  program: 'another version of the program',
};

/** In words, what differs between two contexts. */
export function differences(one: Context, other: Context): string[] {
  return (Object.keys(PARTS) as (keyof typeof PARTS)[])
    .filter((part) => canonicalJson(one[part]) !== canonicalJson(other[part]))
    .map((part) => PARTS[part]);
}

/** Names what measurements depend on; keys of observations start with it. */
export function idOf(context: object): string {
  return hash(canonicalJson(context)).slice(0, 16);
}

/** The part of a query that decides what is measured. */
export type Asked = Pick<Query, 'query' | 'history' | 'filters' | 'conditions'>;

/** That part of a labelled query, as the router takes it. */
export function askedOf({ query, history, filters, conditions }: Asked): Asked {
  return {
    query,
    ...(history === undefined || history.length === 0 ? {} : { history }),
    ...(filters === undefined ? {} : { filters }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

/** Key of the observation of a query: whatever its labels are. */
export function keyOf(context: string, asked: Asked): string {
  return `${context}-${hash(canonicalJson(askedOf(asked))).slice(0, 32)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
