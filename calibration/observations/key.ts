import { createHash } from 'node:crypto';
import { canonicalJson } from '../../canonical-json.ts';
import type { Router, Thresholds } from '../../router/index.ts';
import { codeHash, ROOMS } from './code-hash.ts';

/** Everything that a measurement depends on but the query: each part is told by name when it differs. */
export interface Context {
  schema: 'pragaura.observation-context/1';
  index: string;
  models: Record<string, string>;
  profiles: string;
  policy: string;
  budget: Router['validFor']['budget'];
  limits: Thresholds['limits'];
  /** See `programHash`. */
  program: string;
}

/** Commands, tools and demos decide nothing. */
export const DECIDES_NOTHING = /(?:^|\/)(?:commands|demo|hub|streams|testing|training|models)\//;

/** Of the rooms' own files, those that measure nothing. */
const MEASURES_NOTHING = /^(?:cache|code-hash|key|lanes|observe|progress)\./;

/** Hash over the code that decides and that makes observations of decisions: what U means hangs on it. */
export function programHash(): Promise<string> {
  const except = new RegExp(`${DECIDES_NOTHING.source}|${MEASURES_NOTHING.source}`);
  return codeHash(undefined, undefined, [...ROOMS, 'calibration/observations'], except);
}

/** The context of a router that was opened without a calibration. */
export async function contextOf(router: Router, limits: Thresholds['limits']): Promise<Context> {
  const { index, models, profiles, policy, budget } = router.validFor;
  const program = await programHash();
  return {
    schema: 'pragaura.observation-context/1',
    index,
    models,
    profiles,
    policy,
    budget,
    limits,
    program,
  };
}

const PARTS: Record<Exclude<keyof Context, 'schema'>, string> = {
  index: 'another index',
  models: 'other models',
  profiles: 'other profiles',
  policy: 'another policy',
  budget: 'another budget',
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

/** Key of the observation of a query: whatever its labels are. */
export function keyOf(context: string, query: string): string {
  return `${context}-${hash(query).slice(0, 32)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
