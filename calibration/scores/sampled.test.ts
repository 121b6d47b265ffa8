import { describe, expect, it } from 'vitest';
import type { Random } from '../../common/index.ts';
import type { Features } from '../../router/index.ts';
import { fitLearned } from './learned.ts';
import { fitSampled, withoutSamples } from './sampled.ts';
import { world } from './testing/items.ts';

const NONE = { semanticEntropy: null, sampleAgreement: null, sampleSupport: null };
const drawn = (random: Random): Partial<Features> => ({
  margin: 8 * random() - 4,
  semanticEntropy: random(),
  sampleAgreement: random(),
  sampleSupport: random(),
});

describe('what samples are worth', () => {
  it('is seen where they tell right from wrong, and the score then looks at them', () => {
    const items = world(600, drawn, ({ margin, sampleSupport }) => 0.3 * margin! + 6 * sampleSupport! - 3);
    const { score, worth } = fitSampled(items);
    expect(worth).toMatchObject({ used: true });
    expect(worth!.logLoss.with).toBeLessThan(worth!.logLoss.without - 3 * worth!.standardError);
    expect(score.inputs.map(({ feature }) => feature)).toContain('sampleSupport');
  });

  it('is nothing where they are noise: one score in six looks at them by chance, at most', () => {
    const worlds = Array.from({ length: 60 }, (_, seed) =>
      world(200, drawn, ({ margin }) => 0.8 * margin!, seed + 1),
    );
    const fits = worlds.map((items) => ({ items, fit: fitSampled(items) }));
    const fooled = fits.filter(({ fit }) => fit.worth!.used);
    // A standard error and more above nothing comes by chance in .16 of the worlds, and less where noise costs loss.
    expect(fooled.length).toBeLessThanOrEqual(10);
    const { items, fit } = fits.find(({ fit }) => !fit.worth!.used)!;
    expect(fit.score).toEqual(fitLearned(items.map(withoutSamples)).score);
  });

  it('is not asked where there are none', () => {
    const items = world(
      200,
      (random) => ({ margin: random(), ...NONE }),
      ({ margin }) => margin!,
    );
    expect(fitSampled(items).worth).toBeNull();
  });

  it('has the standard error of a mean by groups', () => {
    // Within a group all gains are alike, so that groups and not items are what was drawn.
    const items = world(400, drawn, ({ sampleSupport }) => 4 * sampleSupport! - 2);
    const byGroup = fitSampled(items).worth!.standardError;
    const alone = fitSampled(items.map((item, i) => ({ ...item, group: `own${i}` }))).worth!.standardError;
    expect(byGroup / alone).toBeGreaterThan(0.5);
    expect(byGroup / alone).toBeLessThan(2);
  });
});
