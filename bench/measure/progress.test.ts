import { expect, it } from 'vitest';
import { Progress } from './progress.ts';

it('speaks every five seconds and at the end, with the rate of this run alone', () => {
  const lines: string[] = [];
  let now = 0;
  const progress = new Progress(
    'set',
    4,
    (line) => lines.push(line),
    () => now,
  );
  progress.step(true);
  now = 4_000;
  progress.step();
  expect(lines).toEqual([]);
  now = 10_000;
  progress.step();
  progress.step(true);
  expect(lines).toEqual([
    'set: 3 of 4, 0.2/s, 1 from an earlier run',
    'set: 4 of 4, 0.2/s, 2 from an earlier run',
  ]);
});
