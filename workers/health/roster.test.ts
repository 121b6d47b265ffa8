import { expect, test } from 'vitest';
import { disagreements } from './roster.ts';

const MADE = { index: 'i1', models: { nli: 'n1', read: 'r1' }, policy: 'act', calibration: null };
const OWN = { configuration: 'a'.repeat(64), made: MADE };
const other = (worker: string, made: unknown, configuration = 'b'.repeat(64), seenAt = 1_000_000) => ({
  worker,
  host: 'h1',
  pid: 1,
  configuration,
  made,
  startedAt: 0,
  seenAt,
});

test('workers that decide alike are not spoken of', () => {
  expect(disagreements(OWN, [other('w', MADE, OWN.configuration)], 1_000_000)).toEqual([]);
});

test('each other configuration is named once, with what differs', () => {
  const made = { ...MADE, index: 'i2', models: { nli: 'n2', read: 'r1' } };
  const found = disagreements(
    OWN,
    [other('w1', made), other('w2', made), other('w3', { ...MADE, calibration: 'c' }, 'c'.repeat(64))],
    1_000_000,
  );
  expect(found).toHaveLength(2);
  expect(found[0]).toMatch(/^2 workers .*bbbbbbbbbbbb,.*aaaaaaaaaaaa.*: index, models\.nli\. /);
  expect(found[1]).toMatch(/^A worker .*: calibration\. /);
});

test('workers that are gone are not', () => {
  expect(disagreements(OWN, [other('w', {}, undefined, 0)], 90_001)).toEqual([]);
  expect(disagreements(OWN, [other('w', {}, undefined, 0)], 90_000)).toHaveLength(1);
});
