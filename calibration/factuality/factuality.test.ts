import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isKept } from '../../generation/index.ts';
import { ACTS, type Act } from '../../profiles/index.ts';
import { saveArtifact } from '../artifact/save.ts';
import { parseLevel } from '../levels/level.ts';
import { exampleOfAnswer, loadAnswers, type MeasuredAnswer } from './answers.ts';
import { loadFactuality, verifierHash } from './artifact.ts';
import { factualityArtifact, leastSafeThreshold, realised } from './fit.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-factuality-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const answer = (
  group: string,
  wrong: number | null,
  right: readonly number[] = [0.9],
  act: Act | null = 'FACT',
) =>
  ({
    act,
    group,
    sentences: [
      ...right.map((support) => ({ support, supported: true })),
      ...(wrong === null ? [] : [{ support: wrong, supported: false }]),
    ],
  }) satisfies MeasuredAnswer;

/** Documents whose wrong sentences have .01, .02 and so on. */
const ladder = (count: number, act: Act | null = 'FACT') =>
  Array.from({ length: count }, (_, i) => answer(String(i), (i + 1) / 100, [0.9], act));

const made = async (
  calibrate: readonly MeasuredAnswer[],
  test: readonly MeasuredAnswer[] = [],
  level = '0.1',
) =>
  factualityArtifact({
    level: parseLevel(level),
    scope: 'acts',
    exchangeable: 'documents',
    calibrate,
    test,
    splits: { seed: 1, testFile: false },
    validFor: { nli: 'model@1', arithmetic: 'exact', generators: null },
    program: await verifierHash(),
  });

describe('thresholds', () => {
  it('lie at the rank that split conformal has, over the worst sentence of each answer', async () => {
    expect(leastSafeThreshold(answer('a', 0.4, [0.2, 0.9]))).toBe(0.4);
    expect(leastSafeThreshold(answer('a', null))).toBe(0);
    // Of 60 documents: ceil(61 * .9) = 55, and .95 asks for the 58th.
    expect((await made(ladder(60))).all.threshold).toBe(0.55);
    expect((await made(ladder(60), [], '0.05')).all.threshold).toBe(0.58);
  });

  it('are kept to strictly, because what stood there was not borne out', () => {
    expect([isKept(0.55, 0.55), isKept(0.56, 0.55), isKept(null, 0), isKept(1, null), isKept(0, 0)]).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  it("are an act's own where it has answers enough, else those of all", async () => {
    const { acts } = await made([
      ...ladder(60),
      ...ladder(5, 'PROCEDURE').map((one, i) => ({ ...one, group: `p${i}` })),
    ]);
    const rung = (act: Act) => acts.find((row) => row.act === act)!.rung;
    expect([rung('FACT'), rung('PROCEDURE'), rung('OPINION')]).toEqual(['act', 'global', 'global']);
    expect(acts.find((row) => row.act === 'PROCEDURE')!.sentence).toContain(
      'For answers to queries read as PROCEDURE alone nothing is promised',
    );
  });

  it('keep nothing where no number of answers could have earned the promise', async () => {
    const { all, acts } = await made(ladder(8));
    expect(all).toMatchObject({ threshold: null, rung: 'none', own: { n: 8, needed: 1 } });
    expect(all.sentence).toMatch(
      /^NOT_CALIBRATED: .* 8 answers were labelled, and 1 more answers would be needed for 90 %/,
    );
    expect(acts).toHaveLength(ACTS.length);
  });

  it('say on other documents what they came to', () => {
    const test = [answer('a', 0.6, [0.9, 0.3]), answer('b', 0.4), answer('c', null, [0.5])];
    expect(realised(test, 0.5)).toMatchObject({
      whole: { k: 2, of: 3 },
      kept: { k: 2, of: 4 },
      keptWrong: { k: 1, of: 3 },
      wrong: { k: 2, of: 6 },
    });
    expect(realised(test, null)).toMatchObject({ whole: { k: 3 }, kept: { k: 0 }, keptWrong: { of: 0 } });
  });
});

describe('the file', () => {
  const file = path.join(folder, 'c.json');

  it('says what it promises, and is refused once it was changed', async () => {
    await saveArtifact(file, await made(ladder(60)));
    const thresholds = await loadFactuality(file);
    expect(thresholds.thresholdFor('FACT')).toBe(0.55);
    expect(thresholds.thresholdFor(null)).toBe(0.55);
    expect(thresholds.sentence('FACT')).toMatch(
      /^With probability at least 90 %, on average over calibrations/,
    );
    writeFileSync(file, readFileSync(file, 'utf8').replace('"threshold": 0.55', '"threshold": 0.05'));
    await expect(loadFactuality(file)).rejects.toMatchObject({ code: 'CALIBRATION_UNUSABLE' });
  });

  it('is refused by a program that verifies in another way, and where it is none', async () => {
    const { integrity: _, ...artifact } = await made(ladder(60));
    const { integrityOf } = await import('../artifact/schema.ts');
    const older = { ...artifact, createdBy: { ...artifact.createdBy, program: 'other' } };
    await saveArtifact(file, { ...older, integrity: integrityOf(older) });
    await expect(loadFactuality(file)).rejects.toMatchObject({ code: 'CALIBRATION_MISMATCH' });
    writeFileSync(file, '{"schema":"pragaura.calibration/10"}');
    await expect(loadFactuality(file)).rejects.toThrow('of schema "pragaura.calibration/10"');
    await expect(loadFactuality(path.join(folder, 'none'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('labelled answers', () => {
  const file = path.join(folder, 'answers.ndjson');
  const load = (...lines: unknown[]) => {
    writeFileSync(
      file,
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    );
    return loadAnswers(file);
  };
  const good = {
    answer: 'It is red. It is old.',
    unsupported: [{ start: 11, end: 21 }],
    passages: ['It is red.'],
  };

  it('are an answer with what is not borne out, or claims', async () => {
    const [one, two] = await load(good, {
      claims: [{ text: 'It is red.', supported: true }],
      passages: [],
      group: 'g',
    });
    expect(exampleOfAnswer(one!)).toMatchObject({ id: 'line-1', ungrouped: true });
    expect(exampleOfAnswer(two!)).toMatchObject({ query: 'It is red.', group: 'g' });
  });

  it.each([
    ['both', { ...good, claims: [{ text: 'a', supported: true }] }, 'either "answer"'],
    ['neither', { passages: [] }, 'either "answer"'],
    ['a stretch beyond its end', { ...good, unsupported: [{ start: 5, end: 99 }] }, 'within the answer'],
    ['no JSON', '{', 'line 2: is not JSON'],
    ['an act that is none', { ...good, act: 'SONG' }, 'act'],
  ])('%s are refused by line', async (_, line, message) => {
    await expect(load(good, line)).rejects.toThrow(message);
    await expect(load(good, line)).rejects.toThrow('line 2');
  });

  it('need ids of their own, and one of them at least', async () => {
    await expect(load({ ...good, id: 'a' }, { ...good, id: 'a' })).rejects.toThrow(
      'stands on line 1 already',
    );
    await expect(load('')).rejects.toMatchObject({ code: 'EMPTY_INPUT' });
  });
});
