import { expect, it } from 'vitest';
import { renderHistories, runHistories } from './histories.ts';

it('finds no difference between memories and a plain model of them, in 150 histories', () => {
  const report = runHistories(150, 1);
  expect(report).toMatchObject({ histories: 150, differences: [], leaks: 0, clear: 0 });
  expect(report.operations).toBe(150 * 14);
  expect(renderHistories(report)).toContain('0 differ from a plain model');
});
