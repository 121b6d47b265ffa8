import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Example } from '../../calibration/index.ts';
import { PragauraError } from '../../common/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { indexDocuments } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { armsOver } from './arms.ts';
import { writeGeneralProfiles } from './general-profiles.ts';
import { measureArms } from './measure.ts';
import { timeArms } from './time.ts';

const demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
const names = ['uniform', 'act-general', 'act-noise', 'act-half'];
const arms = armsOver(loadProfiles().budget).filter(({ name }) => names.includes(name));
const examples: Example[] = ['How tall is the mast?', 'What is a heron?', 'Who signs for a key?'].map(
  (query, i) => ({ id: `q${i}`, query, group: `g${i}`, answers: ['12 m'] }),
);

let folder: string;
let index: string;
let scorers: Scorers;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-measure-'));
  index = join(folder, 'index');
  await indexDocuments([join(demo, 'documents', 'equipment'), join(demo, 'documents', 'glossary.md')], {
    out: index,
  });
  scorers = await openScorers({ threads: 2 });
});
afterAll(async () => {
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

async function measured(out: string, asked: readonly Example[], pool = scorers) {
  const generalProfiles = await writeGeneralProfiles(folder);
  return measureArms(
    { set: 'demo', index, examples: asked, arms, generalProfiles, out, say: () => {} },
    pool,
  );
}

it('measures every question under every arm, each under its own budget and profiles', async () => {
  const { measured: runs, counts } = await measured(join(folder, 'whole'), examples);
  expect(runs.map(({ arm }) => arm.name)).toEqual(
    names.filter((name) => arms.some((arm) => arm.name === name)),
  );
  for (const { arm, observations, budget, versions } of runs) {
    expect(observations.map(({ example }) => example)).toEqual(examples);
    expect(budget).toMatchObject(arm.budget);
    for (const { receipt, error } of observations) {
      expect(error).toBeNull();
      expect(receipt!.budget).toEqual(budget);
    }
    expect(versions.profiles === loadProfiles().hash).toBe(arm.profiles === 'own');
  }
  expect(counts.embed).toEqual({ asked: arms.length * examples.length, computed: examples.length });
});

it('goes on where a run was broken off, whatever half a line says, and with labels of today', async () => {
  const out = join(folder, 'broken');
  const first = await measured(out, examples.slice(0, 2));
  for (const file of await readdir(out)) await appendFile(join(out, file), '{"id":"q2","observation":{"sch');
  const again = await measured(out, examples);
  expect(again.counts.embed.asked).toBe(arms.length);
  const relabelled = examples.map((example) => ({ ...example, answers: ['another'] }));
  const resumed = await measured(out, relabelled);
  expect(resumed.counts.embed.asked).toBe(0);
  expect(resumed.measured[0]!.observations.map(({ example }) => example)).toEqual(relabelled);
  expect(resumed.measured[1]!.observations[0]!.features).toEqual(
    first.measured[1]!.observations[0]!.features,
  );
  // The same id with other words is another question.
  const reworded = await measured(out, [{ ...examples[0]!, query: 'How heavy is the mast?' }]);
  expect(reworded.counts.embed.computed).toBe(1);
});

it('keeps a failure as what it is, and tries it again', async () => {
  const out = join(folder, 'failing');
  const failing: Scorers = {
    ...scorers,
    read: async (pairs, options) => {
      if (pairs[0]?.query === examples[1]!.query) throw new PragauraError('SCORING_FAILED', 'planted');
      return scorers.read(pairs, options);
    },
  };
  const { measured: runs } = await measured(out, examples, failing);
  for (const { observations } of runs) {
    expect(observations.map(({ error }) => error)).toEqual([null, 'SCORING_FAILED', null]);
    expect(observations[1]).toMatchObject({ receipt: null, features: null });
  }
  const again = await measured(out, examples);
  expect(again.counts.embed).toEqual({ asked: arms.length, computed: 1 });
  expect(again.measured[0]!.observations.map(({ error }) => error)).toEqual([null, null, null]);
});

it('does not read what is no result', async () => {
  const out = join(folder, 'foreign');
  await measured(out, examples.slice(0, 1));
  const [file] = await readdir(out);
  const text = await readFile(join(out, file!), 'utf8');
  await writeFile(join(out, file!), `no result\n${text}`);
  await expect(measured(out, examples.slice(0, 1))).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
});

it('times queries under every arm, and keeps what it timed', async () => {
  const options = {
    set: 'demo',
    index,
    arms: arms.slice(0, 2),
    generalProfiles: await writeGeneralProfiles(folder),
    out: join(folder, 'timed'),
    code: 'c',
    say: () => {},
  };
  const times = await timeArms({ ...options, examples }, scorers);
  expect([...times.keys()]).toEqual(arms.slice(0, 2).map(({ name }) => name));
  for (const ofArm of times.values()) {
    expect([...ofArm.keys()]).toEqual(examples.map(({ id }) => id));
    for (const ms of ofArm.values()) expect(ms).toBeGreaterThan(0);
  }
  const again = await timeArms({ ...options, examples: examples.slice(1) }, scorers);
  expect(again.get(arms[0]!.name)!.get('q1')).toBe(times.get(arms[0]!.name)!.get('q1'));
});
