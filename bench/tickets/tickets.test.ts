import { expect, it } from 'vitest';
import { benchTickets, isSound, renderTickets } from './run.ts';

const watching = { say: () => {}, signal: new AbortController().signal };

it('finds nothing in a few histories and kills, and changes something in them', async () => {
  const report = await benchTickets({ histories: 12, kills: 2, passages: 40, seed: 4 }, watching);
  expect(report.histories).toMatchObject({ differences: [], unauthorised: [] });
  expect(report.histories.implemented).toBeGreaterThan(0);
  expect(Object.keys(report.histories.outcomes).sort()).toEqual([
    'CONFLICT',
    'NOT_FOUND',
    'NOT_PERMITTED',
    'done',
  ]);
  expect(report.kills).toMatchObject({ kills: 2, torn: [] });
  expect(report.timing).toMatchObject({ passages: 40, canaries: 10, graph: { apply: expect.any(Number) } });
  expect(isSound(report)).toBe(true);
  expect(renderTickets(report)).toContain('12 histories of nine people');
}, 120_000);

it('is not sound where something was changed without leave', async () => {
  const report = await benchTickets({ histories: 0, kills: 0, passages: 0, seed: 1 }, watching);
  report.histories.unauthorised.push('apply of ticket 1 by eve');
  expect(isSound(report)).toBe(false);
});
