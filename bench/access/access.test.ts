import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom, withoutClocks } from '../../common/index.ts';
import { openIndex } from '../../corpus/index.ts';
import { openRouter } from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { PROBES, probesOf } from './probes.ts';
import { benchAccess, renderAccess } from './run.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const DEMO = path.join(ROOT, 'router/demo');
let folder: string;
let scorers: Scorers;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pragaura-access-test-'));
  await demoIndex(path.join(folder, 'index'));
  scorers = await openScorers({ threads: 1 });
});
afterAll(async () => {
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

it('finds no difference to an index that never held what is hidden', async () => {
  const report = await benchAccess(
    {
      documents: path.join(DEMO, 'documents'),
      questions: path.join(DEMO, 'queries.ndjson'),
      cases: 40,
      each: 20,
      seed: 3,
      queue: true,
    },
    { say: () => {}, signal: new AbortController().signal },
  );
  expect(report).toMatchObject({ cases: 40, views: 2, differences: [] });
  expect(report.byKind.map(({ cases }) => cases).every((cases) => cases > 0)).toBe(true);
  expect(report.byKind.some(({ answered }) => answered > 0)).toBe(true);
  expect(report.queue).toEqual({ cases: 40, differences: 0, deceptions: 40, deceived: 0 });
  // The rule of three, for 40.
  expect(report.atMost).toBeCloseTo(1 - 0.05 ** (1 / 40));
  expect(renderAccess(report)).toContain('0 decisions differ');
});

it('asks what would show a leak: the same probes tell a view from the whole index', async () => {
  const index = path.join(folder, 'index');
  const isHidden = (docId: string) => docId.includes('/decisions/');
  const seen = await openRouter({ index, readable: ({ docId }) => !isHidden(docId), scorers });
  const all = await openRouter({ index, scorers });
  const random = seededRandom(1);
  const probes = probesOf(await openIndex(index), isHidden, ['How long is raw data kept?'], 20, random);
  const different = new Set<string>();
  for (const { kind, ...probe } of probes) {
    const query = { id: 'p', ...probe };
    const [ours, theirs] = [await seen.route(query), await all.route(query)];
    // The hash of the index says at once that it is another one; the rest has to show it as well.
    const told = (decision: typeof ours) => withoutClocks(JSON.stringify({ ...decision, versions: null }));
    if (told(ours) !== told(theirs)) different.add(kind);
    expect(JSON.stringify(ours)).not.toContain('documents/decisions/');
  }
  expect(different.size).toBeGreaterThan(PROBES.length / 2);
});

it('decides without a word where nothing may be read', async () => {
  const index = path.join(folder, 'index');
  const none = await openRouter({ index, readable: () => false, scorers });
  expect(none.documents).toEqual([]);
  const decision = await none.route({ id: 'p', query: 'How long is raw data kept?' });
  expect(decision).toMatchObject({ action: 'ABSTAIN', evidence: [] });
});
