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

  it('warns when examples name no document, and of a planner that may have seen them', () => {
    const bare = (n: number, seed: number) =>
      observations(n, { seed }).map((each, i) => ({
        ...each,
        planned: { ANSWER: each.features!.E!, ASK: 0, ABSTAIN: 1 - each.features!.E! },
        example:
          i % 4 === 0 ? { ...each.example, group: each.example.id, ungrouped: true as const } : each.example,
      }));
    const sets = { tune: bare(200, 1), calibrate: bare(200, 2), test: [] };
    const planned = calibrationFrom(sets, settings({ kind: 'planner', planner: 'a1b2' }));
    const notes = notesOf(planned).join('\n');
    expect(notes).toContain('50 of the 200 examples to calibrate on name no document');
    expect(notes).toContain(
      'the promise holds only if the planner a1b2 was not fitted on these labelled queries',
    );
    const unseen = calibrationFrom(sets, settings({ kind: 'planner', planner: 'a1b2', unseen: true }));
    expect(notesOf(unseen).join('\n')).not.toContain('Take care');
    expect(unseen.artifact.sentence).not.toContain('only if the planner');
    const formula = notesOf(calibrated(200)).join('\n');
    expect(formula).not.toContain('planner');
    expect(formula).not.toContain('name no document');
  });

  it('says how many examples were left out, because nothing is promised for such', () => {
    const given = {
      tune: observations(200, { seed: 1 }),
      calibrate: observations(200, { seed: 2 }).map((each, i) =>
        i < 30 ? { ...each, example: { ...each.example, filters: { docId: ['d'] } } } : each,
      ),
      test: observations(100, { seed: 3 }),
    };
    const notes = notesOf(calibrationFrom(given, settings()));
    expect(notes[1]).toBe(
      'calibrate: 170 examples of 17 groups, 30 with a history or filters left out, because nothing is promised for such',
    );
    expect(notes[2]).toBe('test: 100 examples of 10 groups');
  });

  it('counts documents where they are what is exchangeable', () => {
    const text = renderCalibration(calibrated(250, 'documents'));
    expect(text).toContain('250 in 25');
    expect(text).toContain('on average over documents');
    expect(renderCalibration(calibrated(250))).not.toContain('250 in 25');
  });

  it('reports the surface of the weights: in words, and every point in the summary', () => {
    const calibration = calibrated(200);
    const { surface, splits } = summaryOf(calibration);
    // Thousands of hashes are for programs.
    expect(splits.tune).not.toHaveProperty('ties');
    expect(surface).toHaveLength(231);
    const areas = surface!.map(({ augrc }) => augrc);
    const near = areas.filter((area) => area <= 1.01 * Math.min(...areas)).length;
    expect(renderCalibration(calibration)).toContain(
      `Of 231 divisions of the weights ${near} have an AUGRC within 1 % of the least; the largest is ${Math.max(...areas).toFixed(4)}`,
    );
  });
});
