import { describe, expect, test } from 'vitest';
import { askedFor } from './asked-for.ts';
import { readQuery } from './text.ts';

const of = (query: string) => askedFor(readQuery(query).tokens);

describe('what is asked for', () => {
  test.each([
    ['What is the boiling point of ethanol?', ['head point', 'asked true 2 2 of']],
    ['What is photosynthesis?', ['head photosynthesis', 'asked true 1 0 ', 'bare']],
    ["What's the height of K2?", ['head height', 'amount is', 'asked true 1 3 of']],
    ['Which city hosted the games?', ['head games', 'asked false 4 0 ']],
    ['What percentage of it goes to research?', ['head percentage', 'amount of what', 'asked false 1 3 of']],
    ['In what years was he mayor', ['head years', 'amount of what', 'asked false 1 3 was']],
    [
      'What is the population density there?',
      ['head density', 'amount is', 'amount before', 'asked true 2 1 there'],
    ],
    ['What is the worst penalty?', ['judges', 'head penalty', 'asked true 2 0 ', 'bare']],
  ])('%s', (query, features) => {
    expect(of(query)).toEqual(features);
  });

  test('plurals of amounts are amounts', () => {
    expect(of('What are the prices?')).toContain('amount is');
    expect(of('What are the salaries?')).toContain('amount is');
    expect(of('What are the glasses?')).not.toContain('amount is');
  });

  test('nothing named gives the shape alone', () => {
    expect(of('What is it?')).toEqual(['asked true 0 1 it']);
    expect(of('what')).toEqual(['asked false 0 0 ']);
    expect(of('what is')).toEqual(['asked true 0 0 ', 'bare']);
  });

  test('without what or which only judgements count', () => {
    expect(of('Should homework be abolished?')).toEqual(['judges']);
    expect(of('Who wrote Hamlet?')).toEqual([]);
    expect(of('')).toEqual([]);
  });

  test('no feature twice, however long the query', () => {
    const features = of('what is the best best worst price price of what is the price '.repeat(200));
    expect(new Set(features).size).toBe(features.length);
    expect(features.length).toBeLessThanOrEqual(6);
  });

  test('names of object properties are words like others', () => {
    expect(of('what is __proto__')).toContain('head proto');
    expect(of('what constructor is it')).toContain('head constructor');
  });
});
