/** What the papers claim, and which of our figures says whether it holds here. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { clopperPearson, type Interval } from '../../calibration/index.ts';
import { isSystemError, PragauraError } from '../../common/index.ts';
import type { FiguresFile } from '../figures/figures-file.ts';
import { parseYaml } from '../measure/yaml-file.ts';
import { Id, type Row, Step } from './matrix.ts';
import type { Result } from './results.ts';
import { valueAt } from './verdict.ts';

const text = z.string().min(1).max(600);

/** One of our figures: a row of a matrix, or a place in the report of a result file (`bench/figures/measured`). */
const FigureRef = z.union([
  z.strictObject({ row: Id }),
  z.strictObject({ measured: Id, at: z.array(Step).min(1) }),
]);
type FigureRef = z.infer<typeof FigureRef>;

/**
 * `near`: no further from the number than the tolerance. `least`, `most`: at least or at most the number, give or take
 * the tolerance. `more`, `less`: surely beyond the number, and by more than the tolerance: where there is an interval, all
 * of it.
 */
const Test = z.strictObject({
  /** What our figure is, in words. */
  ours: text,
  figure: FigureRef,
  /** Taken away from it: the test is about the difference. */
  than: FigureRef.optional(),
  is: z.enum(['near', 'least', 'most', 'more', 'less']),
  /** Left out: the number of the claim. */
  of: z.number().optional(),
  tolerance: z.number().min(0).default(0),
});
export type Test = z.infer<typeof Test>;

const Claim = z
  .strictObject({
    id: Id,
    /** Table, figure or section. */
    where: text,
    /** In our own words. */
    claim: text,
    /** The number that is printed; null where there is none. */
    number: z.number().nullable(),
    test: Test.optional(),
    /** Why nothing here can test it. */
    untestable: text.optional(),
    /** What differs between theirs and ours, or why it comes out so. */
    note: text.optional(),
  })
  .refine(({ test, untestable }) => (test === undefined) !== (untestable === undefined), {
    message: 'either "test" says what tests it or "untestable" why nothing does',
  })
  .refine(({ test, number }) => test === undefined || test.of !== undefined || number !== null, {
    message: 'a test needs a number: of the claim, or "of"',
  });
export type Claim = z.infer<typeof Claim>;

const Paper = z.strictObject({
  schema: z.literal('pragaura.claims/1'),
  /** As the project numbers them. */
  paper: z.string().regex(/^\d{3}$/),
  title: text,
  claims: z.array(Claim).min(1),
});
export type Paper = z.infer<typeof Paper>;

/** The papers of the folder of matrices `dir`, by number; none where there are no claims. Throws CONFIGURATION. */
export async function loadPapers(dir: string): Promise<Paper[]> {
  const folder = path.join(dir, 'claims');
  const papers: Paper[] = [];
  for (const name of await namesIn(folder)) {
    papers.push(parseYaml(await readFile(path.join(folder, name), 'utf8'), `claims/${name}`, Paper));
  }
  const ids = papers.flatMap(({ claims }) => claims.map(({ id }) => id));
  const twice = ids.find((id, place) => ids.indexOf(id) !== place);
  if (twice !== undefined) {
    throw new PragauraError('CONFIGURATION', `The claim ${twice} occurs twice in ${folder}.`);
  }
  return papers;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

/** What was measured, by the names that claims know it by. */
export interface Measured {
  rows: ReadonlyMap<string, { row: Row; result: Result | undefined }>;
  reports: ReadonlyMap<string, FiguresFile>;
}

export const CLAIM_VERDICTS = ['held', 'not held', 'not testable here'] as const;
export type ClaimVerdict = (typeof CLAIM_VERDICTS)[number];

export interface JudgedClaim {
  claim: Claim;
  verdict: ClaimVerdict;
  found: number | null;
  interval: Interval | null;
  /** Of one that could be tested: why its figure is not there. Null: it is, or nothing can test it. */
  gap: string | null;
}

/** Throws CONFIGURATION for a claim that names a row which no matrix has. */
export function judgeClaim(claim: Claim, measured: Measured): JudgedClaim {
  const { test } = claim;
  const none = { claim, found: null, interval: null } as const;
  if (test === undefined) return { ...none, verdict: 'not testable here', gap: null };
  const figure = figureOf(test.figure, claim, measured);
  const than = test.than === undefined ? null : figureOf(test.than, claim, measured);
  const gap = figure.gap ?? than?.gap ?? null;
  if (gap !== null) return { ...none, verdict: 'not testable here', gap };
  const found = figure.value! - (than?.value ?? 0);
  // Of a difference nobody knows the interval: the two figures are of the same queries.
  const interval = than === null ? figure.interval : null;
  return {
    claim,
    found,
    interval,
    verdict: holds(test, test.of ?? claim.number!, found, interval) ? 'held' : 'not held',
    gap: null,
  };
}

/** Decimal fractions are not exact in binary. */
const ROUNDING = 1e-9;

function holds({ is, tolerance }: Test, of: number, found: number, interval: Interval | null): boolean {
  switch (is) {
    case 'near':
      return Math.abs(found - of) <= tolerance + ROUNDING;
    case 'least':
      return found >= of - tolerance - ROUNDING;
    case 'most':
      return found <= of + tolerance + ROUNDING;
    case 'more':
      return (interval?.low ?? found) > of + tolerance;
    case 'less':
      return (interval?.high ?? found) < of - tolerance;
  }
}

interface Figure {
  value: number | null;
  interval: Interval | null;
  gap: string | null;
}

function figureOf(ref: FigureRef, { id }: Claim, { rows, reports }: Measured): Figure {
  if ('row' in ref) {
    const row = rows.get(ref.row);
    if (row === undefined) {
      throw new PragauraError(
        'CONFIGURATION',
        `The claim ${id} names the row ${ref.row}, which no matrix has.`,
      );
    }
    const { found = null, why = 'it was not run' } = row.result ?? {};
    return { value: found, interval: null, gap: found === null ? `${ref.row}: ${why}` : null };
  }
  const report = reports.get(ref.measured);
  if (report === undefined) {
    return { value: null, interval: null, gap: `${ref.measured} was not measured` };
  }
  const figure = estimateOf(valueAt(report.report, ref.at));
  if (figure !== null) return { ...figure, gap: null };
  // Measured by an earlier program, or with a set less.
  return { value: null, interval: null, gap: `${ref.measured} has no figure at ${JSON.stringify(ref.at)}` };
}

const Bounds = z.object({ low: z.number(), high: z.number() });
const Estimates = [
  z.number().transform((value) => ({ value, interval: null })),
  z
    .object({ value: z.number(), interval: Bounds.nullable() })
    .transform(({ value, interval }) => ({ value, interval })),
  z
    .object({ mean: z.number(), interval: Bounds.nullable() })
    .transform(({ mean, interval }) => ({ value: mean, interval })),
  Bounds.extend({ value: z.number() }).transform(({ value, ...interval }) => ({ value, interval })),
  z
    .object({ good: z.number(), of: z.number().positive() })
    .transform(({ good, of }) => ({ value: good / of, interval: clopperPearson(good, of) })),
  z.object({ harmful: z.number(), tried: z.number().positive() }).transform(({ harmful, tried }) => ({
    value: harmful / tried,
    interval: clopperPearson(harmful, tried),
  })),
];

/** A figure in the forms that benches write it in: bare, with an interval, or as a count of a count. */
function estimateOf(value: unknown): Omit<Figure, 'gap'> | null {
  for (const form of Estimates) {
    const parsed = form.safeParse(value);
    if (parsed.success) return parsed.data;
  }
  return null;
}
