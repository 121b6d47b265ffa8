import { expect, test } from 'vitest';
import { unitVector } from './embed.ts';

test('a vector keeps its direction and gets length one', () => {
  expect([...unitVector(Float32Array.of(3, 0, -4))]).toEqual([...Float32Array.of(0.6, 0, -0.8)]);
});

test('the zero vector stays, rather than becoming NaN', () => {
  expect([...unitVector(new Float32Array(2))]).toEqual([0, 0]);
});
