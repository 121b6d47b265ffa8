import { describe, expect, it } from 'vitest';
import { calibrationFrom } from '../artifact/fit.ts';
import { settings } from '../artifact/testing/calibration.ts';
import { observations } from '../artifact/testing/observations.ts';
import { notesOf, renderCalibration, summaryOf } from './render-calibration.ts';

/** Ten examples to a group. */
const calibrated = (n: number) =>
  calibrationFrom(
    {
      tune: observations(200, { seed: 1 }),
      calibrate: observations(n, { seed: 2 }),
      test: observations(100, { seed: 3 }),
    },
    settings(),
  );

describe('what is said beside the table', () => {
  it('warns of few groups, and only of few', () => {
    expect(notesOf(calibrated(200)).join('\n')).toContain('Only 20 groups to calibrate on');
    expect(notesOf(calibrated(500)).join('\n')).not.toContain('groups to calibrate on');
  });

  it('reports the surface of the weights: in words, and every point in the summary', () => {
    const calibration = calibrated(200);
    const { surface } = summaryOf(calibration);
    expect(surface).toHaveLength(231);
    const areas = surface!.map(({ augrc }) => augrc);
    const near = areas.filter((area) => area <= 1.01 * Math.min(...areas)).length;
    expect(renderCalibration(calibration)).toContain(
      `Of 231 divisions of the weights ${near} have an AUGRC within 1 % of the least; the largest is ${Math.max(...areas).toFixed(4)}`,
    );
  });
});
