import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carryOver, InformationState, informationState, openTagger, takeReply } from './index.ts';
import { found } from './testing/found.ts';

const tag = openTagger();
const FACT = { text: 'The barometer is calibrated every two years.', answer: 'every two years' };
const asked = informationState(found('How often is it calibrated?', [FACT]), tag);
const variable = { kind: 'reference' as const, text: 'it' };

describe('takeReply', () => {
  it('moves the variable from missing to known, and rho grows', () => {
    const { state, resolved } = takeReply(asked, { variable, value: 'barometer' });
    expect(resolved).toBe(true);
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

  it('resolves nothing when that was never asked, but hears what was said', () => {
    const { state, resolved } = takeReply(asked, {
      variable: { kind: 'term', text: 'it' },
      value: 'the roof',
    });
    expect(resolved).toBe(false);
    expect(state.missing).toEqual(asked.missing);
    expect(state.known.map(({ text }) => text)).toContain('the roof');
  });

  it('lets a second reply replace the first', () => {
    const first = takeReply(asked, { variable, value: 'barometer' }).state;
    const { state } = takeReply(first, { variable, value: 'rain gauge' });
    expect(state.constraints).toEqual([{ kind: 'resolved', text: 'it: rain gauge' }]);
    expect(state.known.filter(({ from }) => from === 'answer').map(({ text }) => text)).toEqual([
      'rain gauge',
    ]);
    expect(state.turn).toBe(2);
  });

  it('never lowers rho', () => {
    const kinds = fc.constantFrom('reference' as const, 'term' as const, 'condition' as const);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(kinds, fc.constantFrom('it', 'x', '__proto__'), fc.string())),
        (replies) => {
          let state = asked;
          for (const [kind, text, value] of replies) {
            const next = takeReply(state, { variable: { kind, text }, value }).state;
            expect(InformationState.safeParse(next).success).toBe(true);
            if (next.known.length > state.known.length) {
              expect(next.resolutionRate!).toBeGreaterThanOrEqual(state.resolutionRate!);
            }
            state = next;
          }
        },
      ),
    );
  });
});

describe('carryOver', () => {
  it('keeps what was settled when the query is routed again', () => {
    const settled = takeReply(asked, { variable, value: 'barometer' }).state;
    const state = carryOver(settled, asked);
    expect(state.missing).toEqual([]);
    expect(state.turn).toBe(1);
    expect(state.known.map(({ text }) => text)).toContain('barometer');
    expect(state.constraints).toContainEqual({ kind: 'resolved', text: 'it: barometer' });
    expect(carryOver(settled, state)).toEqual(state);
  });

  it('changes nothing when nothing was settled', () => {
    expect(carryOver(asked, asked)).toEqual(asked);
  });
});
