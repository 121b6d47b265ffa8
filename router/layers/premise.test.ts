import { expect, it } from 'vitest';
import { presuppositionOf } from './index.ts';

it.each<[string, string | null]>([
  ['Why did Tesla invent the telephone?', 'Tesla invented the telephone.'],
  ['When did Germany win the 2022 World Cup?', 'Germany won the 2022 World Cup.'],
  ['Where did Napoleon sign the constitution of Mars?', 'Napoleon signed the constitution of Mars.'],
  ['How can I use a fork to write?', 'One can use a fork to write.'],
  ['How does ADR-0012 handle caching?', 'ADR-0012 handles caching.'],
  ['Why was the bridge closed?', 'The bridge was closed.'],
  ['What do cars eat for breakfast?', 'Cars eat something for breakfast.'],
  ['What makes fish walk on land?', 'Something makes fish walk on land.'],
  ['Did Tesla invent the telephone?', null],
  ['Who is something?', null],
  ['caching', null],
  ['', null],
])('%s takes for granted: %s', (query, premise) => {
  expect(presuppositionOf(query)).toBe(premise);
});
