import { describe, expect, it } from 'vitest';
import { checkGivenOnce, inWords } from './given-once.ts';

describe('options given more than once', () => {
  it('are refused by name, with what was given', () => {
    expect(() => checkGivenOnce({ _: ['route'], index: ['a', 'b'] }, [])).toThrow(
      '--index was given 2 times, once is meant.',
    );
    expect(() => checkGivenOnce({ window: [1, 2, 3] }, ['files'])).toThrow(/given 3 times/);
  });

  it('are named where yargs fails over them', () => {
    expect(inWords('Cannot redefine property: set-aside')).toBe(
      '--set-aside was given more than once, once is meant.',
    );
    expect(inWords('Unknown argument: x')).toBe('Unknown argument: x');
  });

  it('are fine where a list is declared, and for the words of the command', () => {
    checkGivenOnce({ _: ['index', 'x'], paths: ['a', 'b'], index: 'a', budget: { ms: 1 } }, ['paths']);
    checkGivenOnce({ 'cors-origin': ['a'], corsOrigin: ['a'] }, ['cors-origin']);
  });
});
