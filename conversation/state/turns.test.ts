import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InformationState, informationState, openTagger, takeReply } from './index.ts';
import { found } from './testing/found.ts';

const tag = openTagger();
const FACT = { text: 'The barometer is calibrated every two years.', answer: 'every two years' };
const asked = informationState(found('How often is it calibrated?', [FACT]), tag);

describe('takeReply', () => {
  it('moves the variable from missing to known, and rho grows', () => {
    const state = takeReply(asked, { variable: 'it', value: 'barometer' });
    expect(state.missing).toEqual([]);
    expect(state.known.at(-1)).toEqual({
      text: 'barometer',
      kind: 'attribute',
      from: 'answer',
      grounded: true,
    });
    expect(state.constraints).toEqual([{ kind: 'resolved', text: 'it: barometer' }]);
    expect([asked.resolutionRate, state.resolutionRate, state.turn]).toEqual([0, 1, 1]);
    expect(InformationState.parse(state)).toEqual(state);
    expect(asked.turn).toBe(0);
  });

  it('hears what was said about a variable that is not missing', () => {
    const state = takeReply(asked, { variable: 'place', value: 'the roof' });
    expect(state.missing).toEqual(asked.missing);
    expect(state.known.map(({ text }) => text)).toContain('the roof');
  });

  it('lets a second reply replace the first', () => {
    const first = takeReply(asked, { variable: 'it', value: 'barometer' });
    const state = takeReply(first, { variable: 'it', value: 'rain gauge' });
    expect(state.constraints).toEqual([{ kind: 'resolved', text: 'it: rain gauge' }]);
    expect(state.known.filter(({ from }) => from === 'answer').map(({ text }) => text)).toEqual([
      'rain gauge',
    ]);
    expect(state.turn).toBe(2);
  });

  it('never lowers rho', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('it', 'x', '__proto__'), fc.string())), (replies) => {
        let state = asked;
        for (const [variable, value] of replies) {
          const next = takeReply(state, { variable, value });
          expect(InformationState.safeParse(next).success).toBe(true);
          if (next.known.length > state.known.length) {
            expect(next.resolutionRate!).toBeGreaterThanOrEqual(state.resolutionRate!);
          }
          state = next;
        }
      }),
    );
  });
});
