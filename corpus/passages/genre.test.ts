import { describe, expect, it } from 'vitest';
import type { Block } from '../types.ts';
import { countGenres, genreOf } from './genre.ts';

describe('genreOf', () => {
  it.each<[string, string, Block['kind']?]>([
    ['table', '| a | b |\n|---|---|\n| 1 | 2 |', 'table'],
    ['steps', '1. Open the lid.\n2. Pour in the water.\n3. Close it.', 'list'],
    ['steps', 'Step 1: unplug it. \nStep 2: wait.'],
    ['steps', '- salt\n- pepper\n- oil', 'list'],
    ['steps', 'First, unplug the cable. Then press the button for five seconds. Finally, turn it on. Wait.'],
    ['definition', 'A mutex is a lock that only one thread can hold.'],
    ['definition', 'Photosynthesis (from the Greek) is the process by which plants make sugar.'],
    ['definition', 'Osmosis refers to the movement of a solvent through a membrane.'],
    ['definition', '**Latency**: the time between a request and its answer.'],
    ['definition', 'Ada Lovelace was an English mathematician.'],
    ['narrative', 'It is a lock that only one thread can hold.'],
    ['narrative', 'In 1990 there was a fire in the old town and nobody saw it.'],
    ['narrative', 'During the Raj, the kingdom was one of the princely states.'],
    ['numbers', 'Sales rose 12% to $3.4 million, of which 45 % came from 17 stores in 2020.'],
    ['causal', 'The bridge closed because its bearings had worn out.'],
    [
      'causal',
      `The river rose as a result of the rain, which led to floods. ${'Nothing else happened there. '.repeat(20)}`,
    ],
    ['opinion', 'Critics argued that the book was overrated.'],
    ['narrative', 'She walked along the harbour and watched the boats come in.'],
    ['narrative', ''],
    ['narrative', '__proto__ constructor'],
    // Numbered lines of a program are no steps.
    ['narrative', '1. foo\n2. bar', 'code'],
  ])('%s: %s', (genre, text, kind = 'prose') => {
    expect(genreOf(text, kind)).toBe(genre);
  });

  it('is not slow on text made to slow it down', () => {
    const hostile = [' ', 'a ', '(', '*_', '1.', '. ', 'first ', '$9'].map((part) => part.repeat(200_000));
    for (const text of hostile) expect(genreOf(text, 'prose')).toMatch(/^[a-z]+$/);
  });

  it('counts every genre, those without a passage too', () => {
    expect(countGenres(['table', 'table', 'steps'])).toEqual({
      definition: 0,
      steps: 1,
      table: 2,
      numbers: 0,
      causal: 0,
      opinion: 0,
      narrative: 0,
    });
  });
});
