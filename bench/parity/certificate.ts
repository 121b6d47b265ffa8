/** Whether two runs spent the same, from their ledgers and nothing else. Pure. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { clopperPearson, contrastOfMeans } from '../../calibration/index.ts';
import { canonicalJson, PragauraError } from '../../common/index.ts';
import { ACTS, Budget, COUNTED_UNITS, type CountedUnit } from '../../profiles/index.ts';
import {
  eachSamplerUnit,
  type Receipt,
  SAMPLER_UNITS,
  type SampledOpinion,
  type Sampler,
  SamplerSettings,
  type SamplerUnit,
} from '../../router/index.ts';

const count = z.number().int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** Of a decision, and of the language model that is asked beside it; these are 0 without one. */
export const CERTIFIED_UNITS = [...COUNTED_UNITS, ...SAMPLER_UNITS] as const;
export type CertifiedUnit = CountedUnit | SamplerUnit;

/** What a query cost, by unit; milliseconds are measured and not granted. */
export function spentOf(
  { spent: { ms: _, ...spent } }: Pick<Receipt, 'spent'>,
  opinion: SampledOpinion | undefined,
): Record<CertifiedUnit, number> {
  return { ...spent, ...eachSamplerUnit((unit) => opinion?.budget[unit].spent ?? 0) };
}

/** What every query may cost. */
export function grantedBy(
  { budget: { ms: _, ...granted } }: Pick<Receipt, 'budget'>,
  sampler: Pick<Sampler, 'granted'> | undefined,
): Record<CertifiedUnit, number> {
  return { ...granted, ...eachSamplerUnit((unit) => sampler?.granted[unit] ?? 0) };
}

const perUnit = <T extends z.ZodType>(inner: T) =>
  z.strictObject(
    Object.fromEntries(CERTIFIED_UNITS.map((unit) => [unit, inner])) as Record<CertifiedUnit, T>,
  );

/**
 * What one ledger granted and spent on one query; null where the query failed and there is no receipt. `group`: queries of
 * one text, which are no independent draws. `ms`: of processor time, all threads together, with no score from memory; null
 * where it was not timed.
 */
export const LedgerLine = z.strictObject({
  arm: z.string(),
  id: z.string(),
  group: z.string(),
  act: z.enum(ACTS).nullable(),
  ms: z.number().min(0).nullable(),
  granted: perUnit(count).nullable(),
  spent: perUnit(count).nullable(),
});
export type LedgerLine = z.infer<typeof LedgerLine>;

/** Over the queries of an arm; `most` is the largest of any query. */
const Total = z.strictObject({ total: count, most: count, mean: z.number().min(0) });

/** Milliseconds are compared over a mix as well, beside what is counted. */
const COMPARED = [...CERTIFIED_UNITS, 'ms'] as const;
type ComparedUnit = (typeof COMPARED)[number];

const Refusal = z.strictObject({
  /**
   * `queries`: not the same ones were measured. `overspent`: a query spent more than it was granted. `unsure`: means whose
   * interval reaches further than they may lie apart. `untimed`: milliseconds of too few queries are known.
   */
  what: z.enum(['granted', 'spent', 'queries', 'overspent', 'unsure', 'untimed']),
  unit: z.enum(COMPARED).nullable(),
  a: z.number().min(0),
  b: z.number().min(0),
  /** |a - b| as a share of the larger one, for `unsure` at the far end of the interval; null where it is no difference in amounts. */
  apart: z.number().nullable(),
});
export type Refusal = z.infer<typeof Refusal>;

const share = z.number().min(0).max(1);

/** What two arms are expected to spend on a query of the mix that was measured. */
const Expected = z.strictObject({
  /** Acts of the queries, as the first arm took them, with what each cost; `low` and `high`: Clopper-Pearson, 95 %. */
  mix: z.array(
    z.strictObject({
      act: z.enum(ACTS),
      n: count,
      share,
      low: share,
      high: share,
      a: perUnit(z.number().min(0)),
      b: perUnit(z.number().min(0)),
    }),
  ),
  /**
   * Means over the mix: the sum over acts of share times mean. `low` and `high`: of a - b, 95 % by bootstrap over groups;
   * null with fewer than two groups. For `ms` over the queries that were timed.
   */
  spent: z.array(
    z.strictObject({
      unit: z.enum(COMPARED),
      n: count,
      a: z.number().min(0),
      b: z.number().min(0),
      difference: z.number(),
      low: z.number().nullable(),
      high: z.number().nullable(),
    }),
  ),
});
export type Expected = z.infer<typeof Expected>;

/**
 * `each`: every query was granted the same, and totals are the same. `expected`: a query of the mix is expected to cost the
 * same, each under its own cap.
 */
export type Parity = (typeof PARITIES)[number];
const PARITIES = ['each', 'expected'] as const;

const Described = z.strictObject({
  name: z.string(),
  about: z.string(),
  policy: z.enum(['act', 'uniform']),
  /** Hash of the profiles. */
  profiles: z.string(),
  budget: Budget,
  /** Share of labels that were changed, and the seed; null for none. */
  noise: z.strictObject({ share: z.number(), seed: z.number().int() }).nullable(),
});

const Verdict = z.strictObject({
  a: z.string(),
  b: z.string(),
  parity: z.enum(PARITIES),
  /** Null under the parity `each`. */
  expected: Expected.nullable(),
  comparable: z.boolean(),
  refusals: z.array(Refusal),
});
export type Verdict = z.infer<typeof Verdict>;

/**
 * Two arms are comparable when the same queries were measured under both, no query spent more than its grant, the totals
 * spent of every unit lie within `tolerance.spent` of each other, as a share of the larger one, and: under the parity
 * `each`, every query was granted the same (to within `tolerance.granted`, a share) in every unit; under `expected`, the
 * interval of the difference of the means reaches nowhere beyond `tolerance.interval`, in every unit and in milliseconds.
 * Less is refused like more.
 */
export const Certificate = z.strictObject({
  schema: z.literal('pragaura.parity-certificate/3'),
  set: z.string(),
  queries: z.strictObject({ n: count, sha256: hash }),
  versions: z.strictObject({ index: z.string(), models: z.record(z.string(), z.string()), code: z.string() }),
  /** Null without a language model. */
  sampler: SamplerSettings.nullable(),
  tolerance: z.strictObject({ granted: share, spent: share, interval: share }),
  arms: z.array(
    Described.extend({
      unmeasured: count,
      granted: perUnit(Total),
      spent: perUnit(Total),
      /** sha256 of the arm's lines of the ledgers' file. */
      ledgers: hash,
    }),
  ),
  comparisons: z.array(Verdict),
  /** sha256 of everything above, as JSON with sorted keys. */
  seal: hash,
});
export type Certificate = z.infer<typeof Certificate>;

export interface CertificateInput extends Pick<Certificate, 'set' | 'versions' | 'sampler' | 'tolerance'> {
  /** In the order of the queries; the same queries for every arm. */
  arms: readonly { described: z.infer<typeof Described>; lines: readonly LedgerLine[] }[];
  comparisons: readonly Pick<Verdict, 'a' | 'b' | 'parity'>[];
}

/** Throws INTERNAL when the arms do not hold the same queries in the same order, or a comparison names no arm. */
export function certify({
  set,
  versions,
  sampler,
  tolerance,
  arms,
  comparisons,
}: CertificateInput): Certificate {
  const ids = arms[0]?.lines.map(({ id }) => id) ?? [];
  for (const { described, lines } of arms) {
    if (lines.length === ids.length && lines.every((line, i) => line.id === ids[i])) continue;
    throw new PragauraError('INTERNAL', `Arm ${described.name} was not run on the queries of the others.`);
  }
  const linesOf = (name: string) => {
    const arm = arms.find(({ described }) => described.name === name);
    if (arm !== undefined) return arm.lines;
    throw new PragauraError('INTERNAL', `There is no arm ${name} to compare.`);
  };
  const content: Omit<Certificate, 'seal'> = {
    schema: 'pragaura.parity-certificate/3',
    set,
    queries: { n: ids.length, sha256: sha256(JSON.stringify(ids)) },
    versions,
    sampler,
    tolerance,
    arms: arms.map(({ described, lines }) => ({
      ...described,
      unmeasured: lines.filter(({ spent }) => spent === null).length,
      granted: totals(lines, 'granted'),
      spent: totals(lines, 'spent'),
      ledgers: sha256(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    })),
    comparisons: comparisons.map(({ a, b, parity }) => {
      const [ours, theirs] = [linesOf(a), linesOf(b)];
      const expected = parity === 'expected' ? expectedOf(ours, theirs) : null;
      const refusals = [
        ...refusalsOf(ours, theirs, tolerance, parity),
        ...(expected === null ? [] : unsureOf(expected, tolerance)),
      ];
      return { a, b, parity, expected, comparable: refusals.length === 0, refusals };
    }),
  };
  return { ...content, seal: sha256(canonicalJson(content)) };
}

function totals(lines: readonly LedgerLine[], side: 'granted' | 'spent') {
  const amounts = lines.flatMap((line) => line[side] ?? []);
  return eachUnit((unit) => {
    const values = amounts.map((amount) => amount[unit]);
    const total = values.reduce((sum, value) => sum + value, 0);
    const most = values.reduce((max, value) => Math.max(max, value), 0);
    return { total, most, mean: values.length === 0 ? 0 : total / values.length };
  });
}

function refusalsOf(
  a: readonly LedgerLine[],
  b: readonly LedgerLine[],
  tolerance: Certificate['tolerance'],
  parity: Parity,
): Refusal[] {
  const refusals: Refusal[] = [];
  const measured = (lines: readonly LedgerLine[]) => lines.filter(({ spent }) => spent !== null).length;
  const unlike = a.some((line, i) => (line.spent === null) !== (b[i]!.spent === null));
  if (unlike || measured(a) === 0) {
    refusals.push({ what: 'queries', unit: null, a: measured(a), b: measured(b), apart: null });
  }
  for (const unit of CERTIFIED_UNITS) {
    const grants = a.flatMap((line, i) => {
      const other = b[i]!;
      if (line.granted === null || other.granted === null) return [];
      return [{ a: line.granted[unit], b: other.granted[unit] }];
    });
    const worst = grants.reduce((most, pair) => (apart(pair) > apart(most) ? pair : most), { a: 0, b: 0 });
    if (parity === 'each' && apart(worst) > tolerance.granted) {
      refusals.push({ what: 'granted', unit, ...worst, apart: apart(worst) });
    }
    for (const { granted, spent } of [...a, ...b]) {
      if (granted === null || spent === null || spent[unit] <= granted[unit]) continue;
      refusals.push({ what: 'overspent', unit, a: spent[unit], b: granted[unit], apart: null });
      break;
    }
    const sums = { a: totals(a, 'spent')[unit].total, b: totals(b, 'spent')[unit].total };
    if (apart(sums) > tolerance.spent) refusals.push({ what: 'spent', unit, ...sums, apart: apart(sums) });
  }
  return refusals;
}

/** Resamples for an interval that a verdict hangs on. */
const RESAMPLES = 2_000;
/** Queries that have to be timed. */
const LEAST_TIMED = 10;

function expectedOf(a: readonly LedgerLine[], b: readonly LedgerLine[]): Expected {
  const both = a.flatMap((line, i) =>
    line.spent === null || b[i]!.spent === null ? [] : [[line, b[i]!] as const],
  );
  const mix = ACTS.flatMap((act) => {
    const own = both.filter(([line]) => line.act === act);
    const n = own.length;
    if (n === 0) return [];
    const mean = (side: 0 | 1) =>
      eachUnit((unit) => own.reduce((sum, lines) => sum + lines[side].spent![unit], 0) / n);
    const proportion = { share: n / both.length, ...clopperPearson(n, both.length)! };
    return [{ act, n, ...proportion, a: mean(0), b: mean(1) }];
  });
  const spentBy = (unit: ComparedUnit, { spent, ms }: LedgerLine) => (unit === 'ms' ? ms : spent![unit]);
  const spent = COMPARED.flatMap((unit) => {
    const pairs = both.map(([one, other]) => ({
      group: one.group,
      a: spentBy(unit, one),
      b: spentBy(unit, other),
    }));
    const contrast = contrastOfMeans(pairs, { resamples: RESAMPLES });
    if (contrast.difference === null) return [];
    const { a: ours, b: theirs, difference, interval } = contrast;
    const { low, high } = interval ?? { low: null, high: null };
    return [{ unit, n: contrast.n - contrast.unscored, a: ours!, b: theirs!, difference, low, high }];
  });
  return { mix, spent };
}

function unsureOf({ spent }: Expected, { interval }: Certificate['tolerance']): Refusal[] {
  const timed = spent.find(({ unit }) => unit === 'ms')?.n ?? 0;
  const untimed: Refusal = { what: 'untimed', unit: 'ms', a: timed, b: LEAST_TIMED, apart: null };
  return [
    ...(timed < LEAST_TIMED ? [untimed] : []),
    ...spent.flatMap(({ unit, a, b, low, high }): Refusal[] => {
      const most = Math.max(a, b);
      if (most === 0) return [];
      const farthest = low === null || high === null ? 1 : Math.max(-low, high) / most;
      return farthest > interval ? [{ what: 'unsure', unit, a, b, apart: farthest }] : [];
    }),
  ];
}

function apart({ a, b }: { a: number; b: number }): number {
  return a === b ? 0 : Math.abs(a - b) / Math.max(a, b);
}

function eachUnit<T>(of: (unit: CertifiedUnit) => T): Record<CertifiedUnit, T> {
  return Object.fromEntries(CERTIFIED_UNITS.map((unit) => [unit, of(unit)])) as Record<CertifiedUnit, T>;
}

/**
 * Makes the certificate anew from the ledgers and compares: what is wrong, in words; empty when nothing is. `lines`:
 * those of all arms, in any order of arms.
 */
export function faultsOf(certificate: Certificate, lines: readonly LedgerLine[]): string[] {
  const { seal, ...content } = certificate;
  const faults: string[] = [];
  if (sha256(canonicalJson(content)) !== seal) faults.push('the seal does not fit: it was changed by hand');
  const strange = lines.find(({ arm }) => !certificate.arms.some(({ name }) => name === arm));
  if (strange !== undefined) faults.push(`the ledgers hold an arm "${strange.arm}" that it does not name`);
  let anew: Certificate;
  try {
    anew = certify({
      set: certificate.set,
      versions: certificate.versions,
      sampler: certificate.sampler,
      tolerance: certificate.tolerance,
      comparisons: certificate.comparisons,
      arms: certificate.arms.map(
        ({ unmeasured: _, granted: __, spent: ___, ledgers: ____, ...described }) => ({
          described,
          lines: lines.filter(({ arm }) => arm === described.name),
        }),
      ),
    });
  } catch (error) {
    if (!PragauraError.isInstance(error)) throw error;
    return [...faults, error.message];
  }
  if (canonicalJson(anew.queries) !== canonicalJson(certificate.queries))
    faults.push('the queries of the ledgers are others');
  for (const [i, arm] of anew.arms.entries()) {
    if (canonicalJson(arm) !== canonicalJson(certificate.arms[i]))
      faults.push(`the ledgers of arm ${arm.name} say otherwise`);
  }
  for (const [i, verdict] of anew.comparisons.entries()) {
    if (canonicalJson(verdict) !== canonicalJson(certificate.comparisons[i]))
      faults.push(`by the ledgers, ${verdict.a} against ${verdict.b} comes out otherwise`);
  }
  return faults;
}

/** "docsScored: 40 granted against 55 (27.3 % apart)". */
export function inWords({ what, unit, a, b, apart: share }: Refusal): string {
  const shown = (amount: number) => `${Number(amount.toFixed(1))}`;
  const percent = share === null ? '' : `${(100 * share).toFixed(1)} %`;
  const numbers = `${shown(a)} against ${shown(b)}${share === null ? '' : ` (${percent} apart)`}`;
  if (what === 'untimed') return `ms: ${a} queries were timed, of ${b} that are needed`;
  if (what === 'unsure')
    return `${unit}: ${shown(a)} against ${shown(b)} a query, which may lie ${percent} apart`;
  if (what === 'queries') return `not the same queries were measured: ${numbers}`;
  if (what === 'overspent') return `${unit}: a query spent ${a} and was granted ${b}`;
  return `${unit}: ${what} ${numbers}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
