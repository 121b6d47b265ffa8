import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { asNumber, parseLevel, partOf, sumOf } from './level.ts';

function refusal(text: unknown): PragauraError {
  try {
    parseLevel(text);
  } catch (error) {
    if (PragauraError.isInstance(error)) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

describe('parseLevel', () => {
  it('reads decimals as exact fractions in lowest terms', () => {
    expect(parseLevel('0.95')).toEqual({ text: '0.95', numerator: 19n, denominator: 20n });
    expect(parseLevel('.1')).toEqual({ text: '.1', numerator: 1n, denominator: 10n });
    expect(parseLevel(' 0.500 ')).toEqual({ text: '0.500', numerator: 1n, denominator: 2n });
    expect(parseLevel('0.000000000001').denominator).toBe(10n ** 12n);
    expect(asNumber(parseLevel('0.57'))).toBe(0.57);
  });

  it.each([
    '0',
    '1',
    '0.0',
    '1.0',
    '1.5',
    '-0.1',
    '5%',
    '',
    ' ',
    'abc',
    'NaN',
    '1e-1',
    '0,05',
    '0x1',
    '٠.٥',
    '0.5.5',
    0.1,
    ['0.1', '0.2'],
    undefined,
    null,
  ] as unknown[])('refuses %j as a mistake of usage', (text) => {
    const error = refusal(text);
    expect(error.code).toBe('USAGE');
    expect(error.message).toContain(String(JSON.stringify(text)));
    expect(error.hint).toMatch(/decimal|0\.\d/);
  });

  it('says what to write instead', () => {
    expect(refusal('5%').hint).toBe('Write it as a decimal: 0.05.');
    expect(refusal('95 %').hint).toBe('Write it as a decimal: 0.95.');
    expect(refusal('2.5%').hint).toBe('Write it as a decimal: 0.025.');
    expect(refusal('0,05').hint).toBe('Write it with a point: 0.05.');
    expect(refusal(0.1).hint).toContain('as text: "0.1"');
    expect(refusal('1').hint).toContain('nothing to promise');
    expect(refusal('0.0000000000001').hint).toContain('12 decimals');
  });
});

describe('fractions', () => {
  it('hands out neither more nor less than there was', () => {
    const delta = parseLevel('0.1');
    const seventh = partOf(delta, 7);
    expect(seventh).toEqual({ numerator: 1n, denominator: 70n });
    const all = Array.from({ length: 6 }).reduce((sum: typeof seventh) => sumOf(sum, seventh), seventh);
    expect(all).toEqual({ numerator: 1n, denominator: 10n });
  });
});
