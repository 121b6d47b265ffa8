import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTS } from '../../profiles/index.ts';
import { CAUTIOUS, generalThresholds } from './general.ts';
import { GENERAL } from './general-fit.ts';
import { decide, FEATURES, type Features, PROVISIONAL, scoreOf } from './index.ts';
import { evidence, type Given, input } from './testing/cases.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const features = fc.record(
  Object.fromEntries(FEATURES.map((name) => [name, fc.option(share)])) as Record<
    keyof Features,
    fc.Arbitrary<number | null>
  >,
);

describe('the general rule', () => {
  it('has bars in [0, 1] that never rise with caution', () => {
    fc.assert(
      fc.property(share, share, fc.constantFrom(...ACTS), (one, other, act) => {
        const [bold, shy] = [Math.min(one, other), Math.max(one, other)].map((at) => generalThresholds(at));
        const bars = [shy!.tauFor(act)!, bold!.tauFor(act)!];
        const passageBars = [shy!.passages!.tauFor(act)!, bold!.passages!.tauFor(act)!];
        for (const bar of [...bars, ...passageBars]) {
          expect(bar).toBeGreaterThanOrEqual(0);
          expect(bar).toBeLessThanOrEqual(1);
        }
        expect(bars[0]).toBeLessThanOrEqual(bars[1]!);
        expect(passageBars[0]).toBeLessThanOrEqual(passageBars[1]!);
      }),
    );
  });

  it('shows a passage exactly where it is likelier right than what a wrong answer costs allows', () => {
    fc.assert(
      fc.property(share, features, fc.constantFrom(...ACTS), (cautious, given, act) => {
        const { passages } = generalThresholds(cautious);
        const U = scoreOf(passages!.score, { ...given, answerScore: 0.5 })!;
        const z = GENERAL.passage.inputs.reduce((sum, { feature, mean, scale, weight, missing }) => {
          const value = feature === 'answerScore' ? 0.5 : given[feature];
          return sum + (value === null ? missing : (weight * (value - mean)) / scale);
        }, GENERAL.passage.intercept);
        const probability = 1 / (1 + Math.exp(-(z + (GENERAL.passage.shifts[act] ?? 0))));
        const cost = (2 * cautious) ** 2;
        const worth = probability - (1 - probability) * cost;
        if (Math.abs(worth) > 1e-9) expect(U <= passages!.tauFor(act)!).toBe(worth > 0);
      }),
    );
  });

  it('answers whatever is open where a wrong answer costs nothing', () => {
    const unsure: Given = { report: { E: 0 }, evidence: [evidence({}, { relevance: 0.01, fused: 0.01 })] };
    expect(decide(input(unsure), generalThresholds(0))).toMatchObject({ action: 'ANSWER' });
    for (const cautious of [0.5, 1])
      expect(decide(input(unsure), generalThresholds(cautious)).action).toBe('ABSTAIN');
    // Two things that are explained one by one are compared, unless a wrong answer is thought to cost more than usual.
    const explained: Given = { ...unsure, explaining: 'bridge.md#0' };
    expect(decide(input(explained), generalThresholds())).toMatchObject({
      action: 'ANSWER',
      passage: 'bridge.md#0',
    });
    expect(decide(input(explained), generalThresholds(1)).action).toBe('ABSTAIN');
    // A layer is no matter of caution.
    const unknown: Given = { ...unsure, identifiers: [{ id: 'ADR-0050', known: false, near: [] }] };
    expect(decide(input(unknown), generalThresholds(0)).action).not.toBe('ANSWER');
  });

  it('says what it was measured at, on how many sets, and by which models', () => {
    const usual = GENERAL.measured.find(({ cautious }) => cautious === CAUTIOUS)!;
    const { status, sentence } = generalThresholds();
    expect(status).toBe('NOT_CALIBRATED');
    const said = sentence('FACT');
    expect(said).toMatch(/^Nothing is promised here: no calibration was given\. General rule:/);
    for (const figure of [
      `on ${GENERAL.sets.length} public sets that it was not fitted on (${GENERAL.questions} questions, `,
      `at a caution of ${CAUTIOUS} it answered ${usual.answered.toFixed(2)} of the questions, `,
      `${usual.wrong.toFixed(2)} of the answers were wrong.`,
    ])
      expect(said).toContain(figure);
    expect(generalThresholds(0.98).sentence('FACT')).toContain('at a caution of 1 ');
    expect(said).not.toContain('other models');
    const models = { ...GENERAL.models, read: 'another@0' };
    expect(generalThresholds(0.5, models).sentence('FACT')).toContain('That was with other models.');
  });

  it('was measured to answer less, and no more in vain, the more cautious it is', () => {
    expect(GENERAL.measured.map(({ cautious }) => cautious)).toEqual(
      Array.from({ length: 21 }, (_, step) => step / 20),
    );
    for (const [i, { answered, inVain }] of GENERAL.measured.entries()) {
      const next = GENERAL.measured[i + 1];
      if (next === undefined) continue;
      expect(next.answered).toBeLessThanOrEqual(answered);
      expect(next.inVain).toBeLessThanOrEqual(inVain);
    }
  });

  it('is fitted on U with the weights of the provisional rule', () => {
    const { score } = generalThresholds();
    expect(score).toEqual({ kind: 'formula', weights: PROVISIONAL.weights });
    expect(GENERAL.span.inputs.map(({ feature }) => feature)).toEqual(['U']);
    expect(GENERAL.span.inputs[0]!.weight).toBeLessThan(0);
  });
});
