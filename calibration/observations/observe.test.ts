import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACTS, type Act } from '../../profiles/index.ts';
import {
  type CalibratedThresholds,
  indexDocuments,
  openRouter,
  provisionalThresholds,
} from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { applied } from '../evaluation/applied.ts';
import { loadLabelled } from '../labels/load.ts';
import { isWrong, shownOf } from '../labels/wrong.ts';
import { type Example, Observation } from '../types.ts';
import { observe, observeWith } from './observe.ts';

const demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
let folder: string;
let index: string;
let all: Example[];
/** Every fourth: some are answered and some are closed before anything is read. */
let examples: Example[];
let cache: string;
let said: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-observe-'));
  index = join(folder, 'index');
  await demoIndex(index);
  all = await loadLabelled(join(demo, 'expected.ndjson'));
  examples = all.filter((_, i) => i % 4 === 0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  cache = await mkdtemp(join(folder, 'cache-'));
  said = [];
});

const run = (list: readonly Example[], more: object = {}) =>
  observe(list, { index, threads: 2, cache, say: (line) => said.push(line), ...more });

describe('observe', () => {
  it('measures nothing by words alone', async () => {
    const words = join(folder, 'words');
    await indexDocuments([join(demo, 'documents')], { out: words, wait: false });
    await expect(run(examples.slice(0, 1), { index: words })).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
      message: expect.stringContaining('still being made'),
    });
  });

  it('measures what the router decides, once, and gives today’s labels with it', async () => {
    const first = await run(examples);
    expect(first.stats).toMatchObject({ fromCache: 0, measured: examples.length, failed: 0 });
    for (const observation of first.observations) {
      expect(Observation.parse(observation)).toEqual(observation);
    }
    expect(first.observations.map(({ example }) => example)).toEqual(examples);
    const { secondsByStage, modelShare } = first.stats;
    expect(secondsByStage.judge).toBeGreaterThan(0);
    expect(modelShare).toBeGreaterThan(0.5);
    expect(modelShare).toBeLessThanOrEqual(1);

    const relabelled = examples.map((example) => ({ ...example, group: 'all', answers: ['other'] }));
    const again = await run(relabelled.toReversed());
    expect(again.stats).toMatchObject({ fromCache: examples.length, measured: 0, modelShare: null });
    expect(again.versions).toEqual(first.versions);
    const before = new Map(first.observations.map((made) => [made.example.id, made]));
    for (const { example, ...measured } of again.observations) {
      expect(example.group).toBe('all');
      const { example: _, ...then } = before.get(example.id)!;
      expect(measured).toEqual(then);
    }
    expect(said).toEqual([]);
  });

  it('agrees with the decisions of a router', async () => {
    const { observations } = await run(examples);
    const router = await openRouter({ index, threads: 2, rule: 'provisional' });
    let answered = 0;
    let stopped = 0;
    try {
      for (const [i, example] of examples.entries()) {
        const alone = await observeWith(router, example);
        const { receipt: _, key: __, ...rest } = observations[i]!;
        expect(alone).toMatchObject(rest);
        const { action, answer, signals, abstention, clarification } = await router.route({
          id: example.id,
          query: example.query,
        });
        const { closed, candidate, features, asks } = alone;
        if (action === 'ANSWER') {
          answered += 1;
          expect(closed).toBeNull();
          expect(candidate!.claim).toBe(answer!.claim);
          if (answer!.form === 'span') expect(candidate!.text).toBe(answer!.text);
        }
        if (closed !== null) {
          stopped += 1;
          expect((abstention ?? clarification)?.reason).toBe(closed);
          expect(asks).toBe(action === 'ASK');
        }
        expect([features?.D, features?.C, features?.E]).toEqual([signals.D, signals.C, signals.E]);
      }
    } finally {
      await router.close();
    }
    expect(Math.min(answered, stopped)).toBeGreaterThan(0);
  });

  it('uses nothing that was measured otherwise, and says so', async () => {
    const few = examples.slice(0, 3);
    await run(few);
    const other = await run(few, { policy: 'uniform', budget: { nliPairs: 10 } });
    expect(other.stats).toMatchObject({ fromCache: 0, measured: 3 });
    expect(said).toEqual([
      'What the cache holds was measured with another policy, another budget; every query is measured again.',
    ]);
    expect((await run(few)).stats).toMatchObject({ fromCache: 3, measured: 0 });
    expect((await run(few, { policy: 'uniform', budget: { nliPairs: 10 } })).stats.measured).toBe(0);
  });

  it('counts what a vocabulary defines as an answer given', async () => {
    const terms = join(cache, 'terms.csv');
    const definition = 'A comparison with five stations nearby.';
    await writeFile(terms, `term,definition\nneighbour check,${definition}\n`);
    const asked = {
      id: 'term',
      query: 'What does "neighbour check" mean?',
      answers: [definition],
      group: 't',
    };
    const { observations } = await run([asked], { vocabulary: [terms] });
    const [defined] = observations;
    expect(defined).toMatchObject({ defined: true, closed: null, asks: false, error: null });
    expect(defined!.candidate).toMatchObject({ text: definition, docId: 'terms.csv' });
    const never = { ...provisionalThresholds(), tauFor: () => null };
    expect(applied(defined!, never).action).toBe('ANSWER');
    expect(isWrong(defined!, { kind: 'em' })).toBe(false);
    expect((await run([asked])).observations[0]!.defined).toBeUndefined();
    expect(said).toEqual([
      'What the cache holds was measured with another vocabulary; every query is measured again.',
    ]);
  });

  it('measures like questions once', async () => {
    const [one] = examples;
    const { observations, stats } = await run([one!, { ...one!, id: 'twin', answers: ['x'] }]);
    expect(stats).toMatchObject({ fromCache: 1, measured: 1 });
    expect(observations.map(({ example }) => example.id)).toEqual([one!.id, 'twin']);
  });

  it('makes what would be shown where a label is about that, also of what was measured without', async () => {
    const query = 'How do I restore the archive?';
    const spoken: Example = { id: 'span', query, answers: ['x'], group: 'g' };
    const steps = ['Stop the Tern service', 'Copy the latest backup', 'watch the dashboard'];
    const told: Example = { ...spoken, id: 'steps', steps };
    const before = await run([spoken]);
    expect(before.observations[0]!.shown).toBeUndefined();
    expect(isWrong({ ...before.observations[0]!, example: told }, { kind: 'em' })).toBeNull();

    const { observations, stats } = await run([
      spoken,
      told,
      { ...told, id: 'wrong', steps: steps.toReversed() },
    ]);
    expect(stats.measured).toBe(1);
    expect(observations[1]!.shown).toMatchObject({ form: 'steps', verdict: null });
    expect(observations[1]!.shown!.places.map(({ docId }) => docId)).toEqual([
      'documents/handbook/restore-from-backup.md',
    ]);
    expect(observations.map((each) => isWrong(each, { kind: 'em' }))).toEqual([true, false, true]);
    // All else is what it was without.
    const { shown: _, example: __, receipt: ___, ...measured } = observations[1]!;
    expect(before.observations[0]).toMatchObject(measured);
    expect((await run([told])).stats).toMatchObject({ fromCache: 1, measured: 0 });
  });

  it('says what a calibrated router shows, byte for byte, and by which act’s threshold', async () => {
    const asked: Example = { id: 'does', query: 'What does Tern do?', group: 'g' };
    const queries = [asked, ...all.filter(({ answerable }) => answerable).slice(0, 7)];
    const tauFor = (act: Act) => 1 - ACTS.indexOf(act) / 100;
    const { observations } = await run(queries.map((each) => ({ ...each, patterns: ['.'] })));
    const { validFor, close } = await openRouter({ index, threads: 2, rule: 'provisional' });
    await close();
    const thresholds: CalibratedThresholds = {
      ...provisionalThresholds(),
      status: 'CALIBRATED',
      hash: 'h',
      validFor: { ...validFor, decider: 'thresholds', planner: null, utilities: null },
      tauFor,
      sentence: () => 's',
    };
    const router = await openRouter({ index, threads: 2, thresholds });
    let answered = 0;
    let byForm = 0;
    for (const { example, shown, act } of observations) {
      const decision = await router.route({ id: example.id, query: example.query });
      const { answer, tau } = decision;
      expect(tau).toBe(tauFor(act!));
      if (act !== decision.act.label) byForm += 1;
      if (answer === undefined) continue;
      answered += 1;
      expect(shownOf(answer)).toEqual(shown);
    }
    await router.close();
    expect(answered).toBeGreaterThan(4);
    expect(byForm).toBeGreaterThan(0);
  });

  it('gives a query that fails as an observation, and tries it again', async () => {
    const long = { id: 'long', query: 'x'.repeat(2_000_001), group: 'long' };
    for (const fromCache of [0, 1]) {
      const { observations, stats } = await run([examples[0]!, long]);
      expect(stats).toMatchObject({ fromCache, measured: 2 - fromCache, failed: 1 });
      expect(observations[1]).toMatchObject({ error: 'INVALID_INPUT', features: null, candidate: null });
    }
    await expect(run([long])).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('None of the 1'),
    });
  });

  it('stops on request after what is in flight, keeps it, and goes on', async () => {
    const some = all.slice(0, 12);
    const stop = new AbortController();
    const file = join(cache, 'observations.ndjson');
    const lines = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').length - 1;
    const watching = setInterval(async () => {
      if ((await lines()) > 4) stop.abort();
    }, 5);
    const running = run(some, { signal: stop.signal, inFlight: 2 });
    await expect(running).rejects.toMatchObject({
      code: 'ABORTED',
      message: expect.stringMatching(/^Interrupted with \d+ of \d+ queries measured\.$/),
      hint: expect.stringContaining('goes on'),
    });
    clearInterval(watching);
    const kept = (await lines()) - 2;
    expect(kept).toBeGreaterThan(0);
    // A kill in the middle of a line, on top.
    await writeFile(file, '{"schema":"pragaura.observation/3","key":"to', { flag: 'a' });
    const { stats } = await run(some);
    expect(stats).toMatchObject({ fromCache: kept, measured: some.length - kept });
  });
});
