import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeParts } from '../../calibration/index.ts';
import {
  type Certificate,
  type CertificateInput,
  certify,
  faultsOf,
  inWords,
  type LedgerLine,
  type Parity,
} from './certificate.ts';
import { certificateParts, verifyCertificate } from './certificate-file.ts';
import { BUDGET } from './testing/observations.ts';

const NONE = { promptTokens: 0, generatedTokens: 0, requests: 0, samplePairs: 0 };
const granted = { docsScored: 60, rerankPairs: 20, nliPairs: 24, contextTokens: 4096, ...NONE };
const spent = { docsScored: 60, rerankPairs: 20, nliPairs: 20, contextTokens: 4000, ...NONE };

function ledgers(arm: string, change: Partial<LedgerLine> = {}, n = 10): LedgerLine[] {
  return Array.from({ length: n }, (_, i) => ({
    arm,
    id: `q${i}`,
    group: `g${i}`,
    act: 'FACT',
    ms: null,
    granted,
    spent,
    ...change,
  }));
}

const TOLERANCE = { granted: 0, spent: 0.05, interval: 0.1 };

function certificate(
  a: LedgerLine[],
  b: LedgerLine[],
  tolerance: Partial<typeof TOLERANCE> = {},
  parity: Parity = 'each',
): Certificate {
  const arm = (name: string, lines: LedgerLine[]): CertificateInput['arms'][number] => ({
    described: { name, about: name, policy: 'act', profiles: 'p', budget: BUDGET, noise: null },
    lines,
  });
  return certify({
    set: 'test',
    versions: { index: 'i', models: { read: 'r@1' }, code: 'c' },
    sampler: null,
    tolerance: { ...TOLERANCE, ...tolerance },
    arms: [arm('a', a), arm('b', b)],
    comparisons: [{ a: 'a', b: 'b', parity }],
  });
}

describe('certify', () => {
  it('adds the ledgers up and calls equal ones comparable', () => {
    const { arms, comparisons, queries } = certificate(ledgers('a'), ledgers('b'));
    expect(queries.n).toBe(10);
    expect(arms[0]!.spent.nliPairs).toEqual({ total: 200, most: 20, mean: 20 });
    expect(arms[0]!.granted.docsScored).toEqual({ total: 600, most: 60, mean: 60 });
    expect(comparisons).toEqual([
      { a: 'a', b: 'b', parity: 'each', expected: null, comparable: true, refusals: [] },
    ]);
  });

  it('refuses budgets that differ for a single question, naming unit and numbers', () => {
    const larger = ledgers('b');
    larger[3] = { ...larger[3]!, granted: { ...granted, docsScored: 61 } };
    const [verdict] = certificate(ledgers('a'), larger).comparisons;
    expect(verdict).toMatchObject({ comparable: false });
    expect(verdict!.refusals).toEqual([{ what: 'granted', unit: 'docsScored', a: 60, b: 61, apart: 1 / 61 }]);
    expect(inWords(verdict!.refusals[0]!)).toBe('docsScored: granted 60 against 61 (1.6 % apart)');
  });

  it('counts what a language model costs like any other unit', () => {
    const allowed = { ...granted, promptTokens: 5_000, generatedTokens: 120, requests: 15, samplePairs: 30 };
    const drawn = { ...spent, promptTokens: 2_000, generatedTokens: 40, requests: 5, samplePairs: 12 };
    const asked = (arm: string, promptTokens = 2_000) =>
      ledgers(arm, { granted: allowed, spent: { ...drawn, promptTokens } });
    expect(certificate(asked('a'), asked('b')).comparisons[0]).toMatchObject({ comparable: true });
    const [longer] = certificate(asked('a'), asked('b', 2_400)).comparisons;
    expect(longer!.refusals).toMatchObject([{ what: 'spent', unit: 'promptTokens', a: 20_000, b: 24_000 }]);
    const [alone] = certificate(asked('a'), ledgers('b')).comparisons;
    expect(alone!.refusals.map(({ what, unit }) => `${what} ${unit}`)).toContain('granted requests');
    const [beyond] = certificate(asked('a'), asked('b', 6_000)).comparisons;
    expect(beyond!.refusals).toContainEqual(
      expect.objectContaining({ what: 'overspent', unit: 'promptTokens', a: 6_000, b: 5_000 }),
    );
  });

  it("refuses the paper's own settings", () => {
    const baseline = ledgers('a', {
      granted: { ...granted, docsScored: 40, rerankPairs: 40 },
      spent: { ...spent, docsScored: 40, rerankPairs: 40 },
    });
    const method = ledgers('b', {
      granted: { ...granted, docsScored: 55, rerankPairs: 50 },
      spent: { ...spent, docsScored: 55, rerankPairs: 50 },
    });
    const words = certificate(baseline, method).comparisons[0]!.refusals.map(inWords);
    expect(words).toContain('docsScored: granted 40 against 55 (27.3 % apart)');
    expect(words).toContain('rerankPairs: spent 400 against 500 (20.0 % apart)');
  });

  it('holds what was spent to the tolerance that is stated, less like more', () => {
    const less = (nliPairs: number) => ledgers('b', { spent: { ...spent, nliPairs } });
    const comparable = (nliPairs: number, tolerance: number) =>
      certificate(ledgers('a'), less(nliPairs), { granted: 0, spent: tolerance }).comparisons[0]!.comparable;
    expect(comparable(19, 0.05)).toBe(true);
    expect(comparable(18, 0.05)).toBe(false);
    expect(comparable(22, 0.05)).toBe(false);
    expect(comparable(20, 0)).toBe(true);
    expect(comparable(19, 0)).toBe(false);
    expect(comparable(0, 1)).toBe(true);
  });

  it('refuses arms that did not measure the same questions, or nothing', () => {
    const failed = ledgers('b');
    failed[0] = { ...failed[0]!, granted: null, spent: null };
    expect(certificate(ledgers('a'), failed).comparisons[0]!.refusals[0]).toEqual({
      what: 'queries',
      unit: null,
      a: 10,
      b: 9,
      apart: null,
    });
    const nothing = { granted: null, spent: null };
    const empty = certificate(ledgers('a', nothing), ledgers('b', nothing));
    expect(empty.comparisons[0]!.comparable).toBe(false);
    expect(empty.arms[0]).toMatchObject({ unmeasured: 10, spent: { nliPairs: { total: 0, mean: 0 } } });
  });

  it('refuses a ledger that spent more than it was granted', () => {
    const over = ledgers('b', { spent: { ...spent, rerankPairs: 21 } });
    const { refusals } = certificate(ledgers('a'), over, { granted: 0, spent: 1 }).comparisons[0]!;
    expect(refusals.map(inWords)).toEqual(['rerankPairs: a query spent 21 and was granted 20']);
  });

  it('will not put arms over other questions side by side', () => {
    expect(() => certificate(ledgers('a'), ledgers('b', {}, 9))).toThrow('not run on the queries');
    const shifted = ledgers('b').map((line, i) => ({ ...line, id: `q${i + 1}` }));
    expect(() => certificate(ledgers('a'), shifted)).toThrow('not run on the queries');
  });
});

describe('expected over the mix', () => {
  type Amounts = NonNullable<LedgerLine['spent']>;
  const cost = (rerankPairs: number): Amounts => ({ ...spent, rerankPairs });
  /** Of 100 queries 60 are FACT, 30 QUANTITY and 10 PROCEDURE; each act costs what is said of it. */
  const mixed = (arm: string, pairs: { FACT: number; QUANTITY: number; PROCEDURE: number }, ms = 100) =>
    ledgers(arm, {}, 100).map((line, i): LedgerLine => {
      const act = i % 10 < 6 ? 'FACT' : i % 10 < 9 ? 'QUANTITY' : 'PROCEDURE';
      const granted = { ...line.granted!, rerankPairs: 60 };
      return { ...line, act, granted, spent: cost(pairs[act]), ms: i < 40 ? ms : null };
    });
  const even = { FACT: 20, QUANTITY: 20, PROCEDURE: 20 };
  const verdict = (a: LedgerLine[], b: LedgerLine[], tolerance: Partial<typeof TOLERANCE> = {}) =>
    certificate(a, b, tolerance, 'expected').comparisons[0]!;
  const unit = ({ expected }: ReturnType<typeof verdict>, name: string) =>
    expected!.spent.find((one) => one.unit === name)!;

  it('is the sum over acts of share times mean, by hand', () => {
    // .6 * 18 + .3 * 20 + .1 * 32 = 20.
    const made = verdict(mixed('a', { FACT: 18, QUANTITY: 20, PROCEDURE: 32 }), mixed('b', even));
    expect(made.expected!.mix.map(({ act, n, share }) => [act, n, share])).toEqual([
      ['FACT', 60, 0.6],
      ['QUANTITY', 30, 0.3],
      ['PROCEDURE', 10, 0.1],
    ]);
    const bySum = made.expected!.mix.reduce((sum, { share, a }) => sum + share * a.rerankPairs, 0);
    expect(bySum).toBeCloseTo(20, 12);
    expect(unit(made, 'rerankPairs')).toMatchObject({ a: 20, b: 20, difference: 0, n: 100 });
    expect(unit(made, 'ms')).toMatchObject({ a: 100, b: 100, difference: 0, n: 40 });
    expect(made).toMatchObject({ comparable: true, refusals: [] });
  });

  it('has the interval of the closed form: 1.96 standard errors of the paired differences', () => {
    const made = verdict(mixed('a', { FACT: 18, QUANTITY: 20, PROCEDURE: 32 }), mixed('b', even));
    // Differences -2, 0 and 12 with .6, .3 and .1: variance .6 * 4 + .1 * 144 = 16.8.
    const half = 1.96 * Math.sqrt(16.8 / 100);
    const { low, high } = unit(made, 'rerankPairs');
    expect(Math.abs(high! - half)).toBeLessThan(0.15);
    expect(Math.abs(low! + half)).toBeLessThan(0.15);
    const [fact] = made.expected!.mix;
    // Clopper-Pearson of 60 in 100.
    expect([fact!.low, fact!.high].map((edge) => edge.toFixed(3))).toEqual(['0.497', '0.697']);
  });

  it('refuses means that are apart, and means that may be, naming unit and numbers', () => {
    const dearer = verdict(mixed('a', { FACT: 20, QUANTITY: 20, PROCEDURE: 40 }), mixed('b', even));
    expect(dearer.refusals.map(inWords)).toContain('rerankPairs: spent 2200 against 2000 (9.1 % apart)');
    // Equal means, but a tenth of the queries makes them so.
    const rare = { FACT: 16, QUANTITY: 16, PROCEDURE: 56 };
    const unsure = verdict(mixed('a', rare), mixed('b', even));
    expect(unsure.refusals.map(({ what, unit }) => [what, unit])).toEqual([['unsure', 'rerankPairs']]);
    expect(inWords(unsure.refusals[0]!)).toMatch(
      /^rerankPairs: 20 against 20 a query, which may lie \d+\.\d % apart$/,
    );
    expect(verdict(mixed('a', rare), mixed('b', even), { interval: 0.2 }).comparable).toBe(true);
  });

  it('holds each query to its own cap, whatever the mean', () => {
    const capped = mixed('a', { FACT: 18, QUANTITY: 20, PROCEDURE: 32 }).map((line) => ({
      ...line,
      granted: { ...line.granted!, rerankPairs: 30 },
    }));
    const over = verdict(capped, mixed('b', even));
    expect(over.refusals.map(inWords)).toEqual(['rerankPairs: a query spent 32 and was granted 30']);
    // Caps that differ are no difference in what is expected.
    const lower = mixed('a', even).map((line) => ({ ...line, granted }));
    expect(verdict(lower, mixed('b', even)).comparable).toBe(true);
    expect(certificate(lower, mixed('b', even)).comparisons[0]!.comparable).toBe(false);
  });

  it('counts milliseconds, and asks that enough queries were timed', () => {
    const slower = verdict(mixed('a', even, 130), mixed('b', even));
    expect(slower.refusals.map(({ what, unit }) => [what, unit])).toEqual([['unsure', 'ms']]);
    const untimed = mixed('a', even).map((line, i) => ({ ...line, ms: i < 9 ? 100 : null }));
    expect(verdict(untimed, mixed('b', even)).refusals.map(inWords)).toEqual([
      'ms: 9 queries were timed, of 10 that are needed',
    ]);
  });

  it('is sure of nothing from a single group', () => {
    const one = (arm: string) => mixed(arm, even).map((line) => ({ ...line, group: 'g' }));
    const { comparable, refusals } = verdict(one('a'), one('b'));
    expect(comparable).toBe(false);
    expect(new Set(refusals.map(({ what }) => what))).toEqual(new Set(['unsure']));
  });

  it('follows from the ledgers, and from nothing else', () => {
    const [a, b] = [mixed('a', { FACT: 18, QUANTITY: 20, PROCEDURE: 32 }), mixed('b', even)];
    const made = certificate(a, b, {}, 'expected');
    expect(faultsOf(made, [...a, ...b])).toEqual([]);
    const relabelled = a.map((line): LedgerLine => ({ ...line, act: 'FACT' }));
    expect(faultsOf(made, [...relabelled, ...b])).toContain(
      'by the ledgers, a against b comes out otherwise',
    );
  });
});

describe('faultsOf', () => {
  const [a, b] = [ledgers('a'), ledgers('b')];
  const made = certificate(a, b);

  it('finds none in what was not touched', () => {
    expect(faultsOf(made, [...b, ...a])).toEqual([]);
  });

  it('finds every kind of change', () => {
    const changed = (change: (copy: Certificate) => void) => {
      const copy = structuredClone(made);
      change(copy);
      return faultsOf(copy, [...a, ...b]);
    };
    const seal = 'the seal does not fit: it was changed by hand';
    expect(changed((copy) => (copy.seal = '0'.repeat(64)))).toEqual([seal]);
    expect(changed((copy) => (copy.versions.code = 'other'))).toEqual([seal]);
    expect(changed((copy) => (copy.arms[0]!.spent.nliPairs.total = 199))).toContain(
      'the ledgers of arm a say otherwise',
    );
    expect(changed((copy) => (copy.comparisons[0]!.comparable = false))).toContain(
      'by the ledgers, a against b comes out otherwise',
    );
    expect(changed((copy) => (copy.queries.n = 11))).toContain('the queries of the ledgers are others');
  });

  it('is not fooled by a new seal: the ledgers say otherwise', () => {
    const unequal = ledgers('b', { granted: { ...granted, docsScored: 90 } });
    expect(faultsOf(made, [...a, ...unequal])).toEqual([
      'the ledgers of arm b say otherwise',
      'by the ledgers, a against b comes out otherwise',
    ]);
    expect(faultsOf(made, a)[0]).toContain('Arm b was not run on the queries');
    expect(faultsOf(made, [...a, ...b, ...ledgers('c')])[0]).toContain('an arm "c"');
  });
});

describe('a certificate on disk', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pragaura-certificate-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  const lines = [...ledgers('a'), ...ledgers('b')];
  const write = async () => {
    await writeParts(dir, certificateParts(certificate(ledgers('a'), ledgers('b')), lines));
    return join(dir, 'parity-test.certificate.json');
  };

  it('is verified with what it certifies', async () => {
    const text = await verifyCertificate(await write());
    expect(text).toContain('verified: test, 10 queries, 2 arms');
    expect(text).toContain('a, b: comparable');
  });

  it('is refused when a ledger or the certificate was changed', async () => {
    const file = await write();
    const ledger = join(dir, 'parity-test.ledgers.ndjson');
    const text = await readFile(ledger, 'utf8');
    await writeFile(ledger, text.replace('"docsScored":60', '"docsScored":59'));
    await expect(verifyCertificate(file)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('the ledgers of arm a say otherwise'),
    });
    await writeFile(ledger, text.replace('"arm":"a"', '"arm":"a","x":1'));
    await expect(verifyCertificate(file)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await writeFile(ledger, text);
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('"comparable": true', '"comparable": false'),
    );
    await expect(verifyCertificate(file)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await writeFile(file, '{"schema":"pragaura.parity-certificate/3"}');
    await expect(verifyCertificate(file)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await writeFile(file, 'no JSON');
    await expect(verifyCertificate(file)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('is not taken at its word without its ledgers', async () => {
    const file = await write();
    await rm(join(dir, 'parity-test.ledgers.ndjson'));
    await expect(verifyCertificate(file)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(verifyCertificate(join(dir, 'none.json'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
