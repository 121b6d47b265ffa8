import { describe, expect, it } from 'vitest';
import { calibrationFrom } from '../artifact/fit.ts';
import { settings } from '../artifact/testing/calibration.ts';
import { observations } from '../artifact/testing/observations.ts';
import { notesOf, renderCalibration, summaryOf } from './render-calibration.ts';

/** Ten examples to a group. */
const calibrated = (n: number, exchangeable: 'documents' | 'questions' = 'questions') =>
  calibrationFrom(
    {
      tune: observations(200, { seed: 1 }),
      calibrate: observations(n, { seed: 2 }),
      test: observations(100, { seed: 3 }),
    },
    settings({ exchangeable }),
  );

describe('what is said beside the table', () => {
  it('warns when examples of few documents count as independent, and only then', () => {
    const warning = 'Promises count the 200 examples of 20 groups as independent';
    expect(notesOf(calibrated(200)).join('\n')).toContain(warning);
    expect(notesOf(calibrated(200, 'documents')).join('\n')).not.toContain('independent');
  });

  it('counts documents where they are what is exchangeable', () => {
    const text = renderCalibration(calibrated(250, 'documents'));
    expect(text).toContain('250 in 25');
    expect(text).toContain('on average over documents');
    expect(renderCalibration(calibrated(250))).not.toContain('250 in 25');
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
