import { describe, expect, it } from 'vitest';
import { CAUTIOUS } from './decision/index.ts';
import { cautiousOf, checkedHardGate } from './router-options.ts';
import type { RouterOptions } from './types.ts';

describe('how cautious a router is', () => {
  const of = (given: Omit<RouterOptions, 'index'>) => cautiousOf({ index: 'i', ...given });
  const thresholds = {} as NonNullable<RouterOptions['thresholds']>;

  it('is as it was said, else as by default, and nothing where the general rule does not decide', () => {
    expect(of({})).toBe(CAUTIOUS);
    expect(of({ cautious: 0, decider: 'thresholds', rule: 'general' })).toBe(0);
    expect([of({ thresholds }), of({ rule: 'provisional' }), of({ decider: 'relevance' })]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it.each([
    { thresholds },
    { rule: 'provisional' },
    { decider: 'planner' },
    { decider: 'hard-gate' },
  ] as const)('is refused where it would change nothing: %j', (given) => {
    expect(() => of({ ...given, cautious: 0.5 })).toThrow(expect.objectContaining({ code: 'CONFIGURATION' }));
  });

  it.each([-0.1, 1.1, Number.NaN, '1' as never])(
    'is refused where it is no number from 0 to 1: %s',
    (cautious) => {
      expect(() => of({ cautious })).toThrow(expect.objectContaining({ code: 'CONFIGURATION' }));
    },
  );
});

describe("thresholds of the paper's gate", () => {
  it('are those of the paper where they are not said', () => {
    expect(checkedHardGate({ index: 'i' })).toEqual({
      conflict: 0.7,
      confidence: 0.35,
      coverage: 0.3,
      ambiguity: 0.45,
      classifier: true,
    });
    const own = checkedHardGate({ index: 'i', decider: 'hard-gate', hardGate: { ambiguity: 1 } });
    expect(own).toMatchObject({ conflict: 0.7, ambiguity: 1 });
  });

  it.each([
    { hardGate: { conflict: 0.5 } },
    { decider: 'hard-gate', hardGate: { conflict: 1.5 } },
    { decider: 'hard-gate', hardGate: { relevance: 0.5 } },
  ])('are refused where they are none, or change nothing: %j', (given) => {
    expect(() => checkedHardGate({ index: 'i', ...given } as RouterOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION' }),
    );
  });
});
