import { expect, test } from 'vitest';
import { cardMemory, memoryOf } from './card-memory.ts';

test('the memory of a process on every card, and null where it is not said', () => {
  expect(memoryOf('812, 1034\n77, 20\n812, 6\n', 812)).toBe(1_040);
  expect(memoryOf('77, 20\n', 812)).toBeNull();
  expect(memoryOf('812, [N/A]\n', 812)).toBeNull();
  expect(memoryOf('812\n', 812)).toBeNull();
  expect(memoryOf('', 812)).toBeNull();
});

test('without a card nothing is known, and nothing is thrown', async () => {
  const PATH = process.env.PATH;
  process.env.PATH = '/nowhere';
  try {
    expect(await cardMemory()).toBeNull();
  } finally {
    process.env.PATH = PATH;
  }
});
