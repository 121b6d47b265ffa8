import { describe, expect, it } from 'vitest';
import { CAUTIOUS } from './decision/index.ts';
import { cautiousOf } from './router-options.ts';
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
