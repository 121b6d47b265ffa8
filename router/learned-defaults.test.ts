/** Ask once, learn the default: the whole way, with real models over a real index and store. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqliteDriver } from '../common/index.ts';
import { exported, runForget, runShow } from '../conversation/commands/defaults-run.ts';
import { openScorers } from '../scorers/index.ts';
import { Decision, indexDocuments, openRouter, type Query, type Router } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-learned-'));
const index = join(folder, 'index');
const store = join(folder, 'defaults.db');
const QUESTION = 'How much does the plan cost a year?';
let router: Router;

beforeAll(async () => {
  const documents = join(folder, 'documents');
  mkdirSync(documents);
  const texts = {
    'basic.md':
      '# Basic plan\n\nThe basic plan costs 20 euros a year. It is for people who read in the hall.\n',
    'gold.md': '# Gold plan\n\nThe gold plan costs 45 euros a year. It is for people who take books home.\n',
    'family.md':
      '# Family plan\n\nThe family plan costs 60 euros a year. Two adults and their children share it.\n',
    'hours.md': '# Opening hours\n\nThe reading hall opens at nine in the morning and closes at six.\n',
    'rules.md': '# House rules\n\nBooks are lent for three weeks. Whoever returns a book late pays a fine.\n',
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(documents, name), text);
  await indexDocuments([documents], { out: index });
  router = await openRouter({ index, threads: 1, defaults: { store, tenant: 'acme' } });
});

afterAll(async () => {
  await router.close();
  rmSync(folder, { recursive: true, force: true });
});

let queries = 0;
async function route(more: Partial<Query> = {}, tenant?: string): Promise<Decision> {
  const query = { id: `q${queries++}`, query: QUESTION, ...more };
  return Decision.parse(await router.route(query, tenant === undefined ? {} : { tenant }));
}

/** The turns of a question and our reply to it. */
const conversation = (reply: string) => [
  { role: 'user' as const, text: QUESTION },
  { role: 'assistant' as const, text: reply },
];

/** Asks the question, and answers what is asked back; the outcome for the audit trail. */
async function askAndAnswer(): Promise<string> {
  const asked = await route();
  const [use] = asked.defaults;
  if (asked.action === 'ANSWER') return use!.outcome;
  expect(asked.action).toBe('ASK');
  expect(asked.clarification?.question?.variable).toBe('plan');
  const { message } = asked.clarification!;
  expect(message.startsWith('Most often "gold plan" was meant. ')).toBe(use!.outcome === 'SUGGESTED');
  const answered = await route({ query: 'the gold plan', history: conversation(message) });
  expect(answered.selfContained?.text).toContain('gold plan');
  expect(answered).toMatchObject({ action: 'ANSWER', answer: { text: expect.stringContaining('45 euros') } });
  expect(answered.votes).toMatchObject([
    { signal: 'explicit_yes', field: 'plan', value: 'gold plan', counted: true },
  ]);
  return use!.outcome;
}

describe('one store, one question, many times', () => {
  it('is asked, answered, proposed, applied, overruled and forgotten, and the audit trail shows each', async () => {
    const outcomes: string[] = [];
    while (outcomes.at(-1) !== 'APPLIED' && outcomes.length < 8) outcomes.push(await askAndAnswer());
    expect(outcomes).toEqual(['ASKED', 'ASKED', 'SUGGESTED', 'SUGGESTED', 'SUGGESTED', 'APPLIED']);

    const applied = await route();
    expect(applied).toMatchObject({
      action: 'ANSWER',
      query: QUESTION,
      answer: { text: expect.stringContaining('45') },
    });
    const [use] = applied.defaults;
    expect(use).toMatchObject({
      outcome: 'APPLIED',
      used: 'gold plan',
      default: { tenant: 'acme', sampleSize: 5 },
    });
    expect(applied.defaults).toHaveLength(1);

    const next = await route({
      query: 'When does the hall open?',
      history: conversation(applied.answer!.text),
    });
    expect(next.votes).toMatchObject([{ signal: 'implicit_ok', value: 'gold plan', counted: true }]);

    const other = await route({ defaults: { plan: 'basic plan' } });
    expect(other).toMatchObject({ action: 'ANSWER', answer: { text: expect.stringContaining('20 euros') } });
    expect(other.defaults).toMatchObject([{ outcome: 'OVERRULED', used: 'basic plan' }]);
    const none = await route({ defaults: false });
    expect(none).toMatchObject({ action: 'ASK', defaults: [{ outcome: 'OVERRULED', used: null }] });
    expect((await route({}, 'other')).defaults).toMatchObject([
      { outcome: 'ASKED', default: { tenant: 'other' } },
    ]);

    const common = { store, tenant: 'acme', json: false };
    expect(await runShow({ ...common, id: use!.default.id }, Date.now())).toContain('explicit_yes');
    const forgotten = await runForget(
      { ...common, ids: [use!.default.id], all: false, olderThan: undefined, trail: false },
      Date.now(),
    );
    expect(forgotten).toBe(`${use!.default.id}: 6 votes forgotten\n`);
    expect(await route()).toMatchObject({
      action: 'ASK',
      defaults: [{ outcome: 'ASKED', reason: 'UNKNOWN' }],
    });

    const trail: string[] = [];
    for await (const line of exported({ ...common, json: true })) {
      const { kind, record } = JSON.parse(line);
      trail.push(kind === 'use' ? record.outcome : kind);
    }
    expect(trail).toEqual([...outcomes, 'APPLIED', 'OVERRULED', 'OVERRULED', 'forget', 'ASKED']);
  });

  it('is not consented to by what is said after a decision that came too late', async () => {
    const real = await openScorers({ threads: 1 });
    let held = false;
    let embeddings = 0;
    const scorers = new Proxy(real, {
      get: (target, name) => {
        const own = Reflect.get(target, name);
        if (name !== 'embed') return typeof own === 'function' ? own.bind(target) : own;
        return async (texts: string[], options?: { signal?: AbortSignal }) => {
          // The second text of a query is the one with the default in it.
          if (held && ++embeddings === 2) await sleep(60_000, undefined, options);
          return real.embed(texts, options);
        };
      },
    });
    const slow = await openRouter({ index, scorers, defaults: { store, tenant: 'late' } });
    const decided = async (more: Partial<Query> = {}) =>
      Decision.parse(await slow.route({ id: `late${queries++}`, query: QUESTION, ...more }));
    for (let n = 0; n < 5; n++) {
      const asked = await decided();
      if (asked.action === 'ANSWER') break;
      await decided({ query: 'the gold plan', history: conversation(asked.clarification!.message) });
    }
    held = true;
    const late = await decided({ deadlineMs: 5_000 });
    expect(late).toMatchObject({
      abstention: { reason: 'DEADLINE_EXCEEDED' },
      defaults: [{ outcome: 'APPLIED' }, { outcome: 'ASKED', reason: 'NOT_ANSWERED' }],
    });
    held = false;
    const next = await decided({ query: 'When does the hall open?', history: conversation('Too late.') });
    expect(next.votes).toEqual([]);
    await slow.close();
    await real.close();
  });

  it('is answered without a question where none is needed, and nothing is noted', async () => {
    const plain = await route({ query: 'How much does the gold plan cost a year?' });
    expect(plain).toMatchObject({ action: 'ANSWER', defaults: [], votes: [] });
  });
});

describe('a store that cannot be used', () => {
  it('is refused when the router is opened', async () => {
    const broken = join(folder, 'broken.db');
    writeFileSync(broken, 'no database\n'.repeat(100));
    const defaults = { store: broken, tenant: 'acme' };
    await expect(openRouter({ index, threads: 1, defaults })).rejects.toMatchObject({
      code: 'DEFAULTS_UNUSABLE',
    });
  });

  it('and is damaged while queries run is said in each record; they are decided without it', async () => {
    const Driver = await sqliteDriver();
    const database = new Driver(store);
    database.exec(
      `INSERT INTO votes (tenant, scope, field, conditions, signal, value, at)
       VALUES ('acme', '', 'plan', 'no json', 'explicit_yes', 'gold plan', 1)`,
    );
    try {
      const asked = await route();
      expect(asked).toMatchObject({
        action: 'ASK',
        defaults: [{ outcome: 'ASKED', reason: 'STORE_UNAVAILABLE' }],
      });
      expect(asked.defaults[0]!.sentence).toContain('is damaged');
    } finally {
      database.exec("DELETE FROM votes WHERE conditions = 'no json'");
      database.close();
    }
    expect((await route()).defaults).toMatchObject([{ outcome: 'ASKED', reason: 'UNKNOWN' }]);
  });
});
