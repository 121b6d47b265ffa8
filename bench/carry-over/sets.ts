/** What is left out once each: sets of `bench decisions`, and of `bench general` the documents that those have not. */
import { seededRandom } from '../../common/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { oneOf } from '../datasets/one-of.ts';
import { measuredSet } from '../decisions/measured-set.ts';
import { measureFacts } from '../decisions/observation/measure.ts';
import type { MeasuredSet } from '../decisions/planners.ts';
import { SET_NAMES, type SetName } from '../decisions/sets/index.ts';
import type { DecisionQuery } from '../decisions/types.ts';
import { draw } from '../general/draw.ts';
import { indexDrawn } from '../general/measure.ts';
import { loadPoolSet, POOL, type PoolName } from '../general/sets.ts';
import type { PoolQuestion } from '../general/types.ts';

/** Their contracts and articles are asked about by the sets of `bench decisions` already. */
const ASKED_ALREADY: readonly PoolName[] = ['contract-nli', 'squad2-dev'];
const PREFIX = 'pool-';
const OF_POOL = POOL.filter((name) => !ASKED_ALREADY.includes(name));

type CarryName = SetName | `${typeof PREFIX}${PoolName}`;
export const CARRY_NAMES: readonly CarryName[] = [
  ...SET_NAMES,
  ...OF_POOL.map((name) => `${PREFIX}${name}` as const),
];

/** The names in a list such as "mix,pool-emanual"; undefined: all. Throws USAGE for a name that is none. */
export function parseCarryNames(list: string | undefined): CarryName[] {
  if (list === undefined) return [...CARRY_NAMES];
  return [...new Set(list.split(',').map((text) => oneOf(CARRY_NAMES, text.trim(), 'set')))];
}

export interface CarrySetOptions {
  data: string;
  out: string;
  cache: string;
  /** Queries of a set at most; undefined: as many as the set says. */
  limit: number | undefined;
  /** Documents of a set of the pool at most, those that answer its questions among them. */
  documents: number;
}

interface Told {
  say: (line: string) => void;
  signal: AbortSignal;
}

/** Facts of a set, kept in `out` between runs. Throws what loading, indexing and measuring throw, ABORTED among it. */
export async function measureCarrySet(
  name: CarryName,
  options: CarrySetOptions,
  scorers: Scorers,
  told: Told,
): Promise<MeasuredSet> {
  if (isDecisions(name)) {
    const { set } = await measuredSet(name, { ...options, graph: 'plain' }, scorers, told);
    return set;
  }
  return measurePoolSet(name.slice(PREFIX.length) as PoolName, options, scorers, told);
}

function isDecisions(name: CarryName): name is SetName {
  return !name.startsWith(PREFIX);
}

/** Questions of `bench general`, so that the same indexes serve both. */
const COUNTS = { answerable: 55, unanswerable: 25 };
const SEED = 1;

async function measurePoolSet(
  pool: PoolName,
  { data, out, cache, limit, documents }: CarrySetOptions,
  scorers: Scorers,
  { say, signal }: Told,
): Promise<MeasuredSet> {
  const set = await loadPoolSet(pool, { data, cache });
  const drawn = draw(set, { ...COUNTS, documents }, seededRandom(SEED));
  const index = await indexDrawn(set, drawn, { scorers, cache, out, say, signal });
  const name = `${PREFIX}${pool}`;
  // In an order that mixes what is answerable with what is not.
  const queries = drawn.questions.slice(0, limit).map((question) => asDecision(name, question));
  const facts = await measureFacts(queries, { name, index, scorers, out, say, signal });
  return { name, about: set.about, queries, facts };
}

/** Other questions about the same text, and how its documents are named there. */
const SAME_SOURCE: Readonly<Record<string, string>> = { 'pool-hotpot': 'hotpot' };

/** `bench general` takes the tuning half of every set, so that all of it may be fitted on. */
export function asDecision(
  name: string,
  { id, query, history, filters, expect, group }: PoolQuestion,
): DecisionQuery {
  return {
    id: `${name}:${id}`,
    query,
    ...(history && { history }),
    ...(filters?.docId !== undefined && { filters: { docId: [...filters.docId] } }),
    action: expect,
    group,
    half: 'tune',
    source: SAME_SOURCE[name] ?? name,
    fits: true,
  };
}
