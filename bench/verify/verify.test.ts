import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { factualityRows } from './factuality.ts';
import { balanced, f1, fitThreshold } from './run.ts';
import { claimsOfSet, type JudgedRow } from './sets.ts';

const row = (supported: boolean, score: number, eligible = true): JudgedRow => ({
  supported,
  score,
  eligible,
  support: eligible ? score : 0,
  group: String(score),
  ms: 1,
});
const ROWS = [row(true, 0.9), row(true, 0.4), row(false, 0.6), row(false, 0.1), row(false, 0.95, false)];
const at =
  (threshold: number) =>
  ({ eligible, score }: JudgedRow) =>
    eligible && score >= threshold;

describe('figures', () => {
  it('are those that can be counted by hand', () => {
    expect(balanced(ROWS, at(0.5))).toBeCloseTo((1 / 2 + 2 / 3) / 2);
    expect(f1(ROWS, at(0.5), true)).toBeCloseTo(2 / 4);
    expect(f1(ROWS, at(0.5), false)).toBeCloseTo(4 / 6);
    expect(f1(ROWS, () => false, true)).toBe(0);
    expect(balanced([row(true, 1)], at(0.5))).toBeNull();
  });

  it('come at the threshold that is best over the sets, each counting once', () => {
    expect(fitThreshold([[row(true, 0.8), row(false, 0.3)]])).toBe(0.31);
    const large = Array.from({ length: 100 }, (_, i) => row(i % 2 === 0, i % 2 === 0 ? 0.2 : 0.05));
    expect(fitThreshold([large, [row(true, 0.8), row(false, 0.1)]])).toBe(0.11);
  });
});

describe('conformal factuality', () => {
  it('sets thresholds on one half and counts on the other', () => {
    // Forty documents with a claim that is borne out (.9) and one that is not, of which every tenth looks as if it were.
    const rows = Array.from({ length: 40 }, (_, i) => [
      { ...row(true, 0.9), group: String(i) },
      { ...row(false, i % 10 === 0 ? 0.95 : i / 100), group: String(i) },
    ]).flat();
    const [strict, , fifth] = factualityRows(new Map([['fever', rows]]));
    // Of twenty documents the largest of all is asked for, which one of the four nearly always is: nothing is kept.
    expect(strict).toMatchObject({
      level: '0.05',
      documents: 40,
      asShipped: { kept: 1 },
      wholeByOtherSets: null,
    });
    expect(strict!.kept).toBeLessThan(0.1);
    // ceil(21 * .8) of 21: at least .81 of new documents.
    expect(fifth!.whole.value).toBeGreaterThan(17 / 21 - 0.03);
    expect(fifth!.whole.value).toBeLessThan(17 / 21 + 0.06);
    expect(fifth!.kept).toBeGreaterThan(0.9);
  });
});

describe('claimsOfSet', () => {
  const data = mkdtempSync(path.join(tmpdir(), 'pragaura-claims-'));
  afterAll(() => rmSync(data, { recursive: true, force: true }));
  const write = (text: string) => {
    mkdirSync(path.join(data, 'nli/fm2'), { recursive: true });
    writeFileSync(path.join(data, 'nli/fm2/fm2_dev.tsv'), text);
  };
  const HEAD = 'label\tpremise\thypothesis\tpage\n';

  it('reads labels, evidence, titles and documents', async () => {
    write(
      `${HEAD}entailment\tIt is red.\tRed it is.\tBridge\ncontradiction\tIt is red.\tIt is blue.\tBridge\nother\ta\tb\tc\n`,
    );
    expect(await claimsOfSet('fm2', data, 10)).toEqual([
      { answer: 'Red it is.', passage: 'It is red.', title: 'Bridge', supported: true, group: 'Bridge' },
      { answer: 'It is blue.', passage: 'It is red.', title: 'Bridge', supported: false, group: 'Bridge' },
    ]);
  });

  it('names what is missing or broken', async () => {
    await expect(claimsOfSet('fever', data, 10)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    write('a\tb\n');
    await expect(claimsOfSet('fm2', data, 10)).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
    write(`${HEAD}entailment\tonly\n`);
    await expect(claimsOfSet('fm2', data, 10)).rejects.toThrow('line 2');
  });
});
