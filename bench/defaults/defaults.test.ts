import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cellOf } from './figures.ts';
import { alwaysMajority, learned, neverLearn, type Policy, paper } from './policies.ts';
import { benchDefaults } from './run.ts';
import { type Played, play } from './simulate.ts';
import { WORLD, worldOf } from './world.ts';

const settings = { ...WORLD, requests: 60 };
const worlds = [2001, 2002].map((seed) => worldOf(seed, settings));

const shareOf = (policy: Policy, key: 'asked' | 'wrong', fits: (one: Played) => boolean = () => true) => {
  const played = worlds.flatMap((world, i) => play(world, policy, i)).filter(fits);
  return played.filter((one) => one[key]).length / played.length;
};

describe('a world', () => {
  it('is the same for the same seed, another for another, and in order of time', () => {
    expect(worldOf(2001, settings)).toEqual(worlds[0]);
    expect(worlds[1]).not.toEqual(worlds[0]);
    const times = worlds[0]!.map((request) => request.at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(worlds[0]).toHaveLength(4 * 6 * 60);
  });

  it('has the preferences that its settings promise', () => {
    const open = worlds.flat().filter((request) => request.kind === 'open');
    const plain = worldOf(5, { ...settings, drift: 0, slip: 0, agreement: 1 });
    for (const tenant of new Set(plain.map((request) => request.tenant))) {
      const wanted = plain.filter((request) => request.tenant === tenant && request.field === 'field 1');
      expect(new Set(wanted.map((request) => request.wanted)).size).toBe(1);
    }
    expect(plain.every((request) => request.said === request.wanted)).toBe(true);
    const usual = new Map<string, number>();
    for (const { tenant, wanted } of open.slice(0, open.length / 2)) {
      usual.set(`${tenant} ${wanted}`, (usual.get(`${tenant} ${wanted}`) ?? 0) + 1);
    }
    expect(usual.size).toBeGreaterThan(8);
  });
});

describe('policies', () => {
  it('at the ends: never to learn asks every time, always to follow the majority asks first and errs most', () => {
    expect(shareOf(neverLearn, 'asked')).toBe(1);
    expect(shareOf(neverLearn, 'wrong')).toBe(0);
    expect(shareOf(alwaysMajority, 'wrong')).toBeGreaterThan(4 * shareOf(learned('ours'), 'wrong'));
  });

  it('ask less with every answer, where most users want the same', () => {
    const asked = (low: number, high: number) =>
      shareOf(
        learned('ours'),
        'asked',
        ({ request }) =>
          request.kind === 'one' && request.sinceDrift === null && request.nth >= low && request.nth <= high,
      );
    expect(asked(1, 4)).toBe(1);
    expect(asked(41, 60)).toBeLessThan(0.35);
  });

  it('keep asking where users want different things', () => {
    expect(shareOf(learned('ours'), 'asked', ({ request }) => request.kind === 'open')).toBeGreaterThan(0.9);
  });

  it("lose confidence in what nobody objects to, by the paper's update", () => {
    const request = worlds[0]![0]!;
    const inUse = paper.begin(1);
    inUse.learn(request, 'explicit_yes', 'a');
    expect(inUse.choose(request)).toEqual({ do: 'apply', value: 'a' });
    for (let n = 0; n < 60; n++) inUse.learn(request, 'implicit_ok', 'a');
    // 31 votes of 61 signals.
    expect(inUse.choose(request)).toEqual({ do: 'ask', proposed: 'a' });
  });
});

describe('figures', () => {
  it('count shares over all worlds', () => {
    const one = (asked: boolean, wrong: boolean): Played => ({
      request: worlds[0]![0]!,
      asked,
      applied: !asked,
      wrong,
      wentOut: wrong,
    });
    const played = [
      [one(true, false), one(false, true)],
      [one(false, false), one(false, false)],
    ];
    expect(cellOf(played, () => true)).toMatchObject({
      n: 4,
      asked: 0.25,
      wrong: 0.25,
      wentOut: 0.25,
      wrongOfApplied: 1 / 3,
    });
    expect(cellOf(played, () => false)).toBeNull();
  });

  it('are printed and written, the same each time', async () => {
    const out = mkdtempSync(join(tmpdir(), 'pragaura-bench-defaults-'));
    try {
      const run = () => benchDefaults({ out, worlds: 2, seed: 2001, requests: 12 }, () => {});
      const text = await run();
      const written = readFileSync(join(out, 'defaults.json'), 'utf8');
      expect(await run()).toBe(text);
      expect(readFileSync(join(out, 'defaults.json'), 'utf8')).toBe(written);
      expect(text).toContain('always majority');
      expect(JSON.parse(written)).toMatchObject({ schema: 'pragaura.bench-defaults/1', seeds: [2001, 2002] });
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});
