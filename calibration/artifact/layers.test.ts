import { describe, expect, it } from 'vitest';
import { checkLayers } from './layers.ts';

describe('layers beside a calibration', () => {
  it('may not close by the score that is calibrated', () => {
    expect(() => checkLayers({ bands: { abstain: true } })).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION', hint: expect.stringContaining('bands.abstain off') }),
    );
  });

  it('may be anything else: bands that only note, or that are switched off, and no settings at all', () => {
    checkLayers(undefined);
    checkLayers({ bands: { low: 0.5 }, distance: { on: false } });
    checkLayers({ bands: { on: false, abstain: true } });
  });

  it('leave to the router what are no settings', () => {
    checkLayers({ bands: { abstain: 'yes' } });
  });
});
