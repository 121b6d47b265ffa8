import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom, sigmoid } from '../../common/index.ts';
import { type Case, opennessReport } from './fit.ts';
import { benchOpenness } from './run.ts';

const SETS = ['a', 'b', 'c', 'd'];

/** Questions that are open with the probability that `relevance` and `words` give, of sets that are alike. */
function drawn(n: number): Case[] {
  const random = seededRandom(7);
  const rest = {
    dense: 0.5,
    lexical: 0.5,
    specific: 1,
    generic: 0.5,
    refers: 0,
    marked: 0,
    heading: 0,
    near: 1,
  };
  return Array.from({ length: n }, (_, i) => {
    const relevance = 4 * random() - 2;
    const words = Math.floor(6 * random());
    const open = random() < sigmoid(3 - 6 * relevance - 1.5 * words);
    const features = { ...rest, relevance, words };
    return { set: SETS[i % SETS.length]!, kind: open ? 'open' : 'clear', useful: false, features };
  });
}

describe('the fit of what leaves open what it is about', () => {
  it('finds the weights that the questions were drawn with, and none for what is always the same', () => {
    const { fit } = opennessReport(drawn(20_000));
    expect(fit.weights.relevance).toBeCloseTo(-6, 0);
    expect(fit.weights.words).toBeCloseTo(-1.5, 0);
    expect(fit.intercept).toBeCloseTo(3, 0);
    expect(fit.weights.dense).toBeCloseTo(0, 6);
  });

  it('judges each set by the others: what one set alone would teach says nothing of it', () => {
    const even = drawn(400).map((each, i): Case => {
      const features = { ...each.features, relevance: 0, words: 0, marked: 0 };
      return { ...each, kind: Math.floor(i / SETS.length) % 2 === 0 ? 'open' : 'clear', features };
    });
    const told = even.map((each) =>
      each.set === 'a' && each.kind === 'open'
        ? { ...each, features: { ...each.features, marked: 1 } }
        : each,
    );
    const at = (cases: Case[]) => opennessReport(cases).bars.find(({ bar }) => bar === 0.6)!.open;
    expect(at(even)).toBe(0);
    expect(at(told)).toBe(0);
    expect(opennessReport(told).fit.weights.marked).toBeGreaterThan(1);
  });

  it('takes the lowest bar that asks back little of what is clear', () => {
    const { bars, fit } = opennessReport(drawn(2_000));
    const shipped = bars.find(({ bar }) => bar === fit.bar)!;
    const lower = bars.filter(({ bar }) => bar < fit.bar);
    expect(shipped.clear!).toBeLessThanOrEqual(0.05);
    expect(lower.every(({ clear }) => clear! > 0.05)).toBe(true);
  });
});

describe('bench openness', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'pragaura-openness-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('names what is missing, and what is no result', async () => {
    const options = {
      short: path.join(dir, 'none'),
      ordinary: dir,
      out: path.join(dir, 'out'),
      figures: undefined,
    };
    await expect(benchOpenness(options)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await writeFile(path.join(dir, 'documents-x-open.json'), '{"schema":"else"}');
    await expect(benchOpenness({ ...options, short: dir })).rejects.toMatchObject({ code: 'CONFIGURATION' });
  });
});
