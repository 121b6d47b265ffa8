import { describe, expect, it } from 'vitest';
import { checkProcessor } from './doctor-checks.ts';

describe('the line on the processor', () => {
  it('is in order where sums are exact, and says what that takes', () => {
    expect(checkProcessor({ arithmetic: 'exact', widened: false })).toEqual({
      detail: 'sums in the models are exact',
    });
    const widened = checkProcessor({ arithmetic: 'exact', widened: true });
    expect(widened.status).toBeUndefined();
    expect(widened.detail).toMatch(/^sums in the models are exact; without VNNI, .*slower, the same scores$/);
  });

  it.each([
    ['saturating', true, /models are saturating, .*cut off here .*"pragaura models verify"/],
    ['saturating arm64', false, /models are saturating arm64, .*cut off here/],
    ['unfused', true, /models are unfused, .*lacks AVX2 and FMA/],
  ] as const)('warns of %s sums', (arithmetic, widened, said) => {
    const { status, detail, fix } = checkProcessor({ arithmetic, widened });
    expect(status).toBe('warn');
    expect(detail).toMatch(said);
    expect(fix).toContain('Calibrate on this kind of processor');
  });
});
