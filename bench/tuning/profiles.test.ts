import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { embeddedBackend, openIndex } from '../../corpus/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { verifyCertificate } from '../parity/certificate-file.ts';
import { Memo } from '../parity/memo.ts';
import { heldOut } from './held-out.ts';
import { renderProfiles } from './render-profiles.ts';
import { search } from './search.ts';
import type { TuningSet } from './sets.ts';
import { widened } from './space.ts';

const ASKED = [
  ['How tall is the mast?', 'mast-safety'],
  ['How do I replace the battery?', 'replace-the-battery'],
  ['What is a quality level?', 'quality-levels'],
  ['Why was MQTT chosen instead of polling?', 'mqtt'],
  ['How much does a satellite modem cost per month?', 'prices'],
  ['What is a heron?', 'glossary'],
] as const;

let folder: string;
let scorers: Scorers;
let set: TuningSet;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-profiles-'));
  const index = join(folder, 'index');
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  const { documents } = embeddedBackend(await openIndex(index));
  const docIdOf = (part: string) => documents.find(({ docId }) => docId.toLowerCase().includes(part))!.docId;
  set = {
    name: 'demo',
    about: 'the demo collection',
    questions: ASKED.map(([query, part], i) => ({
      id: `q${i}`,
      query,
      answers: [],
      relevant: [{ docId: docIdOf(part), grade: 1 }],
      group: `g${i}`,
    })),
    index: async () => index,
  };
});
afterAll(async () => {
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

it('searches profiles, and tries them on a set at equal expected cost, each query under its cap', async () => {
  const { signal } = new AbortController();
  const told = { seed: 1, out: join(folder, 'out'), say: () => {}, signal };
  const options = { ...told, trials: 4, limit: ASKED.length, tolerance: 0.05 };
  const base = widened(loadProfiles());
  const found = await search(base, [set], scorers, options);
  for (const policy of ['act', 'uniform'] as const) {
    const { drawn, shipped, kept, tooDear } = found.by[policy];
    expect([drawn.questions, shipped.questions]).toEqual([ASKED.length, ASKED.length]);
    // What is better than what ships cost no more than the baseline, to within the tolerance.
    const most = 1.05 * found.by.uniform.shipped.spent.rerankPairs;
    if (!kept) expect([drawn.mrr > shipped.mrr, drawn.spent.rerankPairs <= most]).toEqual([true, true]);
    if (tooDear === 0) expect(drawn.spent.rerankPairs).toBeLessThanOrEqual(most);
  }
  expect(found.mix.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
  expect(found.act.set.hash).not.toBe(base.hash);
  expect(found.uniform.set.profiles.FACT).toEqual(base.profiles.FACT);

  // What was seen is not asked again.
  const counting = new Memo(scorers);
  expect(await search(base, [set], counting.scorers, options)).toEqual(found);
  expect(counting.counts.rerank.asked).toBe(0);

  const wide = { granted: 0, spent: 0.5, interval: 1 };
  const tried = await heldOut(set, found, scorers, { ...told, limit: 6, timed: 6, tolerance: wide });
  const [first] = tried.comparisons;
  expect(first!.verdict).toMatchObject({ a: 'act-searched', b: 'uniform-searched', parity: 'expected' });
  expect(first!.verdict.refusals.map(({ what }) => what)).not.toContain('overspent');
  expect(first!.verdict.expected!.spent.find(({ unit }) => unit === 'ms')!.n).toBe(6);
  expect(tried.comparisons.at(-1)!.tests.map(({ metric }) => metric)).toContain('MRR@10');
  const file = join(folder, 'out', 'parity-profiles-demo.certificate.json');
  expect(await verifyCertificate(file)).toContain('verified: profiles-demo, 6 queries, 4 arms');
  expect(await readdir(join(folder, 'out', 'profiles-searched'))).toContain('procedure.json');

  const { act, uniform, ...rest } = found;
  const profiles = Object.values({ ...act.set.profiles, UNIFORM: uniform.set.profiles.UNIFORM });
  const text = renderProfiles({
    ...rest,
    trials: 4,
    development: [{ set: 'demo', about: 'the demo collection', questions: 6 }],
    profiles: profiles.map(({ genres, ...profile }) => ({ ...profile, genreWeight: genres.weight })),
    heldOut: [tried],
  });
  expect(text).toContain('Searched on demo (6): 4 trials of each policy, halved after 6 questions');
  expect(text).toContain('MRR@10, act less uniform');
});

it('stops when it is told to, and says so', async () => {
  const stopped = AbortSignal.abort(new Error('enough'));
  const options = { trials: 2, limit: 2, seed: 1, tolerance: 0.05, say: () => {}, signal: stopped };
  const base = widened(loadProfiles());
  await expect(search(base, [set], scorers, { ...options, out: join(folder, 'none') })).rejects.toThrow(
    'enough',
  );
});
