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
} from './certificate.ts';
import { certificateParts, verifyCertificate } from './certificate-file.ts';
import { BUDGET } from './testing/observations.ts';

const NONE = { promptTokens: 0, generatedTokens: 0, requests: 0, samplePairs: 0 };
const granted = { docsScored: 60, rerankPairs: 20, nliPairs: 24, contextTokens: 4096, ...NONE };
const spent = { docsScored: 60, rerankPairs: 20, nliPairs: 20, contextTokens: 4000, ...NONE };

function ledgers(arm: string, change: Partial<LedgerLine> = {}, n = 10): LedgerLine[] {
  return Array.from({ length: n }, (_, i) => ({ arm, id: `q${i}`, granted, spent, ...change }));
}

function certificate(a: LedgerLine[], b: LedgerLine[], tolerance = { granted: 0, spent: 0.05 }): Certificate {
  const arm = (name: string, lines: LedgerLine[]): CertificateInput['arms'][number] => ({
    described: { name, about: name, policy: 'act', profiles: 'p', budget: BUDGET, noise: null },
    lines,
  });
  return certify({
    set: 'test',
    versions: { index: 'i', models: { read: 'r@1' }, code: 'c' },
    sampler: null,
    tolerance,
    arms: [arm('a', a), arm('b', b)],
    comparisons: [['a', 'b']],
  });
}

describe('certify', () => {
  it('adds the ledgers up and calls equal ones comparable', () => {
    const { arms, comparisons, queries } = certificate(ledgers('a'), ledgers('b'));
    expect(queries.n).toBe(10);
    expect(arms[0]!.spent.nliPairs).toEqual({ total: 200, most: 20, mean: 20 });
    expect(arms[0]!.granted.docsScored).toEqual({ total: 600, most: 60, mean: 60 });
    expect(comparisons).toEqual([{ a: 'a', b: 'b', comparable: true, refusals: [] }]);
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
    await writeFile(file, '{"schema":"pragaura.parity-certificate/2"}');
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
