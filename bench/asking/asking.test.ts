import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqliteDriver } from '../../common/index.ts';
import { openDefaults } from '../../conversation/index.ts';
import { indexDocuments, openRouter, type Router } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { Memo } from '../parity/memo.ts';
import { runConversations } from './conversations.ts';
import { DOCUMENTS } from './house.ts';
import { firstPlaces } from './places.ts';
import { isSound, renderAsking } from './run.ts';
import { tamperWith } from './tampering.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-bench-asking-'));
const index = path.join(folder, 'index');
let scorers: Scorers;

beforeAll(async () => {
  scorers = await openScorers({ threads: 2 });
  for (const [name, text] of Object.entries(DOCUMENTS)) {
    const file = path.join(folder, 'house', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  await indexDocuments([path.join(folder, 'house')], { out: index, scorers });
});

afterAll(async () => {
  await scorers.close();
  rmSync(folder, { recursive: true, force: true });
});

let runs = 0;
/** Conversations with routers that `spoiled` has had a hand in. */
function converse(conversations: number, spoiled: (router: Router, store: string) => Router = (own) => own) {
  const own = path.join(folder, `run-${runs++}`);
  mkdirSync(own);
  const memo = new Memo(scorers);
  const open = async (store: string) =>
    spoiled(await openRouter({ index, scorers: memo.scorers, defaults: { store, tenant: 'nobody' } }), store);
  const { signal } = new AbortController();
  return memo.question(() =>
    runConversations({ conversations, seed: 5, folder: own, open, signal, told: () => {} }),
  );
}

const routed = (router: Router, route: Router['route']): Router => ({
  ...router,
  route,
  explain: (...given) => router.explain(...given),
  close: () => router.close(),
});

describe('conversations', () => {
  it('ask nothing twice, and all of it is on the trail', async () => {
    const report = await converse(25);
    expect(report.problems).toEqual([]);
    expect(report.askedTwice.tried).toBeGreaterThan(5);
    expect(report.questions.tried).toBe(report.actions.ASK);
    expect(report.uses.tried).toBe(Object.values(report.outcomes).reduce((sum, count) => sum + count, 0));
    for (const one of [report.explained, report.entries, report.tampering]) {
      expect(one.tried).toBeGreaterThan(5);
      expect(one.harmful).toBe(0);
    }
    const text = renderAsking({ schema: 'pragaura.bench-asking/1', conversations: report, places: [] });
    expect(text).toMatch(/same is asked twice +0 +\d+ +\d/);
  });

  it('show a router that knows of no turn before, and one that keeps a use off the trail', async () => {
    const forgetful = await converse(25, (router) =>
      routed(router, ({ history: _, ...query }, options) => router.route(query, options)),
    );
    expect(forgetful.askedTwice.harmful).toBeGreaterThan(0);
    expect(isSound({ schema: 'pragaura.bench-asking/1', conversations: forgetful, places: [] })).toBe(false);

    const silent = await converse(10, (router) =>
      routed(router, async (query, options) => {
        const decision = await router.route(query, options);
        return { ...decision, defaults: decision.defaults.slice(1) };
      }),
    );
    expect(silent.explained.harmful).toBeGreaterThan(0);
    expect(silent.entries.harmful).toBeGreaterThan(0);
  });
});

it('tampering is let through where the store does not refuse it', async () => {
  const file = path.join(folder, 'tampered.db');
  const store = await openDefaults({ file, create: true });
  const use = store.resolve({ field: 'plan' }, {}, 't', Date.now());
  for (let n = 1; n <= 3; n++) store.note(use, `q${n}`);
  store.close();
  expect(await tamperWith(file, () => 2)).toEqual({ refused: 9, noticed: 2, unnoticed: [] });
  const Driver = await sqliteDriver();
  const database = new Driver(file);
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers as { name: string }[]) database.exec(`DROP TRIGGER ${name}`);
  database.close();
  const { refused, unnoticed } = await tamperWith(file, () => 2);
  expect(unnoticed.length).toBeGreaterThan(3);
  expect(refused).toBeLessThan(9);
});

it('first places: of questions that name no folder, which folder was proposed or taken', async () => {
  // Of the half that is reported on.
  const report = (name: string) => createHash('sha256').update(name).digest()[3]! % 2 === 1;
  const [red, blue] = Array.from({ length: 40 }, (_, n) => `site${n}.example`).filter(report);
  const policy = (title: string, days: string) => ({
    title,
    paragraphs: [
      {
        context: `Your data is kept for ${days} days after the account was closed, and then it is deleted.`,
        qas: [
          { id: `${title} 1`, question: 'For how many days is my data kept?', answers: [{ text: days }] },
          { id: `${title} 2`, question: `How long does ${title} keep my data?`, answers: [{ text: days }] },
        ],
      },
    ],
  });
  mkdirSync(path.join(folder, 'policyqa'));
  const data = JSON.stringify({ data: [policy(red!, '30'), policy(blue!, '90')] });
  writeFileSync(path.join(folder, 'policyqa', 'dev.json.gz'), gzipSync(data));
  const places = await firstPlaces('policyqa', {
    ...{ data: folder, cache: path.join(folder, 'cache'), folder, scorers, questions: 10, seed: 1 },
    ...{ say: () => {}, told: () => {}, signal: new AbortController().signal },
  });
  // One question, asked of both: what is proposed is right for one of them.
  expect(places).toMatchObject({ folders: 2, questions: 2, otherwise: 0 });
  expect(places.first).toEqual({ good: 1, of: 2 });
  expect(places.best).toEqual({ good: 1, of: 2 });
});
