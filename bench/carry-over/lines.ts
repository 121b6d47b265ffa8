/** What was measured of every set, as JSON lines without its texts: a header, then one query a line. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import { ACTIONS, PLANNING_FEATURES, type PlannerFeatures } from '../../router/index.ts';
import type { Facts } from '../decisions/observation/facts.ts';
import type { MeasuredSet } from '../decisions/planners.ts';
import type { DecisionQuery } from '../decisions/types.ts';

const SCHEMA = 'pragaura.bench-carry-over/1';

const Header = z.strictObject({
  schema: z.literal(SCHEMA),
  machine: z.string(),
  /** Of the router that was measured. */
  models: z.record(z.string(), z.string()),
  sets: z.array(z.strictObject({ name: z.string(), about: z.string() })),
});
export type Header = Omit<z.infer<typeof Header>, 'schema' | 'sets'>;

const action = z.enum(ACTIONS);
const value = z.number().nullable();
const Line = z.object({
  set: z.string(),
  query: z.object({
    id: z.string(),
    action,
    also: action.optional(),
    group: z.string(),
    half: z.enum(['tune', 'report']).optional(),
    source: z.string(),
    fits: z.boolean(),
  }),
  facts: z.object({
    id: z.string(),
    error: z.string().nullable(),
    final: action.nullable(),
    thresholds: action.nullable(),
    bare: action.nullable(),
    general: action.nullable(),
    relevance: action.nullable(),
    reach: z.strictObject({ span: z.boolean(), passage: z.boolean() }),
    declined: action.nullable(),
    hardGate: action.nullable(),
    answerable: z.boolean(),
    planning: z.record(z.string(), value).nullable(),
  }),
});

export function linesOf({ machine, models }: Header, sets: readonly MeasuredSet[]): string {
  const header = { schema: SCHEMA, machine, models, sets: sets.map(({ name, about }) => ({ name, about })) };
  const lines = sets.flatMap(({ name, queries, facts }) =>
    queries.map((query, place) => Line.parse({ set: name, query, facts: facts[place]! })),
  );
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Throws NOT_FOUND, and UNREADABLE_DOCUMENT for what `linesOf` of this version did not write. */
export async function readLines(file: string): Promise<{ header: Header; sets: MeasuredSet[] }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read.`, {
      hint: 'Name the carry-over.ndjson that an earlier run wrote into its --out.',
      cause: error,
    });
  }
  try {
    const [head, ...rows] = text.split('\n').filter((line) => line !== '');
    const { schema: _, sets: named, ...header } = Header.parse(JSON.parse(head ?? ''));
    const sets = new Map(
      named.map((set) => [set.name, { ...set, queries: [] as DecisionQuery[], facts: [] as Facts[] }]),
    );
    for (const row of rows) {
      const { set, query, facts } = Line.parse(JSON.parse(row));
      const own = sets.get(set);
      if (own === undefined) throw new RangeError(`set ${set} is not in its header`);
      const { also, half, ...asked } = query;
      own.queries.push({ ...asked, ...(also && { also }), ...(half && { half }), query: '' });
      own.facts.push({ ...UNREAD, ...facts, planning: featuresOf(facts.planning) });
    }
    return { header, sets: [...sets.values()] };
  } catch (error) {
    throw new PragauraError(
      'UNREADABLE_DOCUMENT',
      `${file} is no result of "bench carry-over" of this version.`,
      { hint: 'Measure again: leave --measured out.', cause: error },
    );
  }
}

/** Of what no contender looks at. */
const UNREAD = { alone: {}, layers: null, numbersGate: null, candidate: null, defined: null };

function featuresOf(planning: Record<string, number | null> | null): PlannerFeatures | null {
  if (planning === null) return null;
  const missing = PLANNING_FEATURES.find((name) => planning[name] === undefined);
  if (missing !== undefined) throw new RangeError(`feature ${missing} is not there`);
  return planning as PlannerFeatures;
}
