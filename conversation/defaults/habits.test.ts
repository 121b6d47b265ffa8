/** Learned defaults as the router uses them: a real store on the disk, conversations as callers send them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sqliteDriver } from '../../common/index.ts';
import type { ClarifyingQuestion } from '../clarify/index.ts';
import { aboutParts } from '../history/index.ts';
import { type Asking, type Habits, openHabits } from './habits.ts';
import { type DefaultsStore, openDefaults } from './store.ts';
import { DefaultUse, VoteCast } from './types.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-habits-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DOCUMENTS = [
  { docId: 'plans', passages: 2 },
  { docId: 'guide', passages: 3 },
];
const TEXT = 'What does the plan cost?';

let files = 0;
const newFile = () => join(folder, `store-${files++}.db`);

const option = (value: string, passageId = 'plans#1') => ({
  value,
  passageIds: [passageId],
  weight: 0.5,
  query: `What does the ${value} cost?`,
});

const question = (more: Partial<ClarifyingQuestion> = {}): ClarifyingQuestion => ({
  kind: 'modifier',
  variable: 'plan',
  message: 'Which plan do you mean: "basic plan" or "gold plan"?',
  options: [option('basic plan'), option('gold plan')],
  gain: 1,
  resolution: null,
  considered: [],
  ...more,
});

const asking = (more: Partial<Asking> = {}): Asking => ({
  id: 'q',
  text: TEXT,
  question: question(),
  ...more,
});

/** The conversation after a question and our reply to it. */
const following = (reply: string, text = TEXT) => [
  { role: 'user' as const, text },
  { role: 'assistant' as const, text: reply },
];

let turns = 0;
/** Asks, and answers what is asked; what became of the question. */
async function ask(habits: Habits, answer: string, more: Partial<Asking> = {}) {
  const settled = (await habits.settle(asking({ id: `q${turns++}`, ...more })))!;
  DefaultUse.parse(settled.use);
  if (settled.query !== null) return settled;
  const history = following(settled.question.message);
  const votes = await habits.hear({ ...more, id: `q${turns++}`, query: answer, history });
  expect(votes).toHaveLength(1);
  expect(VoteCast.parse(votes[0])).toMatchObject({ counted: true, problem: null });
  return settled;
}

async function opened(file = newFile(), more: Parameters<typeof openHabits>[2] = {}): Promise<Habits> {
  return openHabits({ store: file, tenant: 't' }, DOCUMENTS, more);
}

/** Habits that were taught to take the gold plan. */
async function taught(file = newFile(), more: Parameters<typeof openHabits>[2] = {}): Promise<Habits> {
  const habits = await opened(file, more);
  for (let n = 0; n < 5; n++) await ask(habits, 'the gold plan');
  return habits;
}

async function inStore<T>(file: string, look: (store: DefaultsStore) => T): Promise<T> {
  const store = await openDefaults({ file });
  try {
    return look(store);
  } finally {
    store.close();
  }
}

describe('a question that is asked again and again', () => {
  it('is asked, then proposed, then answered by what users said, and all of it is on the trail', async () => {
    const file = newFile();
    const habits = await opened(file);
    const outcomes: string[] = [];
    let last = await ask(habits, 'the gold plan');
    for (; last.query === null; last = await ask(habits, 'gold plan')) {
      outcomes.push(last.use.outcome);
      if (last.use.outcome !== 'SUGGESTED') continue;
      expect(last.proposed).toMatchObject({ value: 'gold plan' });
      expect(last.question.options.map(({ value }) => value)).toEqual(['basic plan', 'gold plan']);
      expect(last.question.message).toBe(`Most often "gold plan" was meant. ${question().message}`);
    }
    expect(outcomes).toEqual(['ASKED', 'ASKED', 'SUGGESTED', 'SUGGESTED', 'SUGGESTED']);
    expect(last).toMatchObject({ query: 'What does the gold plan cost?', proposed: null });
    expect(last.use).toMatchObject({ outcome: 'APPLIED', used: 'gold plan', reason: 'LEARNED' });
    habits.close();
    await inStore(file, (store) => {
      expect(store.trail('t').map(({ record }) => (record as DefaultUse).outcome)).toEqual([
        ...outcomes,
        'APPLIED',
      ]);
      expect([...store.votes('t')].map(({ signal, value }) => `${signal} ${value}`)).toEqual(
        Array(5).fill('explicit_yes gold plan'),
      );
    });
  });

  it('keeps tenants apart, in one store', async () => {
    const habits = await taught();
    expect((await habits.settle(asking()))?.use.outcome).toBe('APPLIED');
    expect((await habits.settle(asking({ tenant: 'other' })))?.use).toMatchObject({ outcome: 'ASKED' });
    await expect(openHabits({ store: newFile(), tenant: '' }, DOCUMENTS)).rejects.toMatchObject({
      code: 'CONFIGURATION',
    });
    habits.close();
  });

  it('is not taken for a question of other words, unless its own words name the piece', async () => {
    const habits = await opened();
    const when = question({ kind: 'time', variable: 'time' });
    for (let n = 0; n < 6; n++) await ask(habits, 'gold plan', { question: when });
    expect((await habits.settle(asking({ question: when })))?.use.outcome).toBe('APPLIED');
    const other = await habits.settle(asking({ question: when, text: 'Who may cancel?' }));
    expect(other?.use).toMatchObject({ outcome: 'ASKED', default: { scope: 'cancel' } });
    for (let n = 0; n < 6; n++) await ask(habits, 'gold plan');
    expect((await habits.settle(asking({ text: 'Who may cancel the plan?' })))?.use.outcome).toBe('APPLIED');
    habits.close();
  });

  it('is asked every time where the answer is no habit: a record, a pronoun, a case of one’s own', async () => {
    const habits = await opened();
    for (const kind of ['identifier', 'reference', 'condition'] as const) {
      expect(await habits.settle(asking({ question: question({ kind }) }))).toBeNull();
    }
    expect(await habits.settle(asking({ question: question({ options: [] }) }))).toBeNull();
    habits.close();
  });
});

describe('a turn of a user', () => {
  it('that replies to a question about one part of a query is a vote on that part', async () => {
    const habits = await opened();
    const { message } = question();
    await habits.settle(asking());
    const history = following(aboutParts([TEXT], message), `${TEXT} Who sells it?`);
    const votes = await habits.hear({ id: 'r', query: 'the gold plan', history });
    expect(votes).toMatchObject([{ counted: true, signal: 'explicit_yes' }]);
    habits.close();
  });

  it('is one vote, however often it is delivered, and none for a question that was never asked', async () => {
    const file = newFile();
    const habits = await opened(file);
    const { message } = question();
    await habits.settle(asking());
    const reply = { id: 'r', query: 'the gold plan', history: following(message) };
    const counted = [];
    for (let n = 0; n < 3; n++) counted.push((await habits.hear(reply))[0]?.counted);
    expect(counted).toEqual([true, false, false]);
    expect(
      await habits.hear({ ...reply, history: following('Which colour do you mean: "red" or "blue"?') }),
    ).toEqual([]);
    expect(await habits.hear({ ...reply, history: following(message, 'Another question?') })).toEqual([]);
    expect(await habits.hear({ ...reply, id: 's', query: 'Who sells it?' })).toEqual([]);
    expect(await habits.hear({ ...reply, id: 's', query: 'both' })).toEqual([]);
    expect(await habits.hear({ id: 's', query: 'gold plan', history: [] })).toEqual([]);
    habits.close();
    expect(await inStore(file, (store) => [...store.votes('t')].length)).toBe(1);
  });

  it('votes under the conditions of the request', async () => {
    const file = newFile();
    const habits = await opened(file);
    const { message } = question();
    await habits.settle(asking({ conditions: { region: 'EU' } }));
    await habits.hear({ id: 'a', query: 'gold plan', history: following(message) });
    await habits.hear({
      id: 'b',
      query: 'gold plan',
      history: following(message),
      conditions: { region: 'US' },
    });
    habits.close();
    const regions = await inStore(file, (store) =>
      [...store.votes('t')].map(({ conditions }) => new Map(conditions).get('region')),
    );
    expect(regions).toEqual(['EU', 'US']);
  });

  it('refuses what was proposed', async () => {
    const habits = await opened();
    for (let n = 0; n < 2; n++) await ask(habits, 'gold plan');
    const { question: asked } = (await habits.settle(asking()))!;
    const votes = await habits.hear({ id: 'n', query: 'No.', history: following(asked.message) });
    expect(votes).toMatchObject([{ signal: 'explicit_no', value: 'gold plan', counted: true }]);
    habits.close();
  });

  it.each([
    ['Thanks! Who sells it?', undefined, [{ signal: 'implicit_ok', value: 'gold plan' }]],
    ['No, I meant the basic plan', undefined, [{ signal: 'explicit_no', instead: 'basic plan' }]],
    ['That is wrong', undefined, [{ signal: 'explicit_no', instead: null }]],
    [TEXT, { plan: 'basic plan' }, [{ signal: 'explicit_no', instead: 'basic plan' }]],
    [TEXT, { plan: 'Gold  Plan' }, []],
    [TEXT, { plan: null }, []],
    [TEXT, false as const, []],
  ])('after a default was applied: %s %o', async (query, overrule, votes) => {
    const habits = await taught();
    expect((await habits.settle(asking()))?.use.outcome).toBe('APPLIED');
    const history = following('It costs 20 euros.');
    expect(await habits.hear({ id: 'next', query, history, overrule })).toMatchObject(votes);
    habits.close();
  });

  it('says nothing of a default when a day has passed, or the question was asked with other conditions', async () => {
    let now = Date.now();
    const habits = await taught(newFile(), { now: () => now });
    await habits.settle(asking({ conditions: { region: 'EU' } }));
    const next = { id: 'next', query: 'Thanks', history: following('It costs 20 euros.') };
    expect(await habits.hear({ ...next, conditions: { region: 'US' } })).toEqual([]);
    now += 86_400_001;
    expect(await habits.hear({ ...next, conditions: { region: 'EU' } })).toEqual([]);
    habits.close();
  });
});

describe('a default', () => {
  it('is overruled by the query, with an offered value or another one, and nothing is learned from that', async () => {
    const file = newFile();
    const habits = await taught(file);
    const use = async (overrule: Asking['overrule']) => {
      const { query, use: made } = (await habits.settle(asking({ overrule })))!;
      return [made.outcome, made.used, query];
    };
    expect(await use({ plan: 'Basic Plan' })).toEqual([
      'OVERRULED',
      'Basic Plan',
      'What does the basic plan cost?',
    ]);
    expect(await use({ plan: 'silver plan' })).toEqual([
      'OVERRULED',
      'silver plan',
      'What does the silver plan cost?',
    ]);
    expect(await use({ plan: null })).toEqual(['OVERRULED', null, null]);
    expect(await use(false)).toEqual(['OVERRULED', null, null]);
    expect(await use({ colour: 'red' })).toEqual(['APPLIED', 'gold plan', 'What does the gold plan cost?']);
    habits.close();
    expect(await inStore(file, (store) => [...store.votes('t')].length)).toBe(5);
  });

  it('that finds nothing is a failure, is not tried again there, and the user is asked', async () => {
    const habits = await taught();
    const settled = (await habits.settle(asking()))!;
    const failed = await habits.failed(settled);
    expect(failed.use).toMatchObject({ outcome: 'ASKED', reason: 'FAILED_HERE', used: null });
    expect(failed.votes).toMatchObject([{ signal: 'failure', value: 'gold plan', counted: true }]);
    expect((await habits.settle(asking()))?.use).toMatchObject({ outcome: 'ASKED', reason: 'FAILED_HERE' });
    // The answer to the question that followed counts like any other.
    const reply = { id: 'r', query: 'basic plan', history: following(settled.question.message) };
    expect(await habits.hear(reply)).toMatchObject([{ signal: 'explicit_yes', value: 'basic plan' }]);
    // What the query itself named is nobody's default.
    const own = (await habits.settle(asking({ overrule: { plan: 'basic plan' } })))!;
    expect((await habits.failed(own)).votes).toEqual([]);
    habits.close();
  });

  it('with which no answer went out is not consented to by what is said next', async () => {
    const habits = await taught();
    const settled = (await habits.settle(asking()))!;
    expect(habits.lapsed(settled)).toMatchObject({ outcome: 'ASKED', reason: 'NOT_ANSWERED', used: null });
    const next = { id: 'next', query: 'When does the hall open?', history: following('The time was up.') };
    expect(await habits.hear(next)).toEqual([]);
    // Nothing was said against it either.
    expect((await habits.settle(asking()))?.use).toMatchObject({ outcome: 'APPLIED', used: 'gold plan' });
    expect(await habits.hear({ ...next, history: following('45 euros a year.') })).toMatchObject([
      { signal: 'implicit_ok', counted: true },
    ]);
    habits.close();
  });

  it('that points to a document which is gone, or is not possible here, is not applied', async () => {
    const file = newFile();
    const about = question({
      kind: 'subject',
      variable: 'subject',
      message: 'Several documents answer this differently. Which one is it about: "Guide" or "Plans"?',
      options: [option('Guide', 'guide#2'), option('Plans')],
    });
    const habits = await opened(file);
    for (let n = 0; n < 6; n++) await ask(habits, 'Guide', { question: about });
    expect((await habits.settle(asking({ question: about })))?.use).toMatchObject({
      outcome: 'APPLIED',
      default: { docId: 'guide' },
    });
    const without = question({
      kind: 'subject',
      variable: 'subject',
      options: [option('Plans'), option('Prices')],
    });
    expect((await habits.settle(asking({ question: without })))?.use.reason).toBe('NOT_A_CANDIDATE');
    habits.close();
    const later = await openHabits({ store: file, tenant: 't' }, DOCUMENTS.slice(0, 1));
    expect(await later.settle(asking({ question: about }))).toMatchObject({
      query: null,
      use: { outcome: 'ASKED', reason: 'DOCUMENT_GONE' },
    });
    later.close();
  });
});

describe('a store in trouble', () => {
  /** Another process' write lock on the file. */
  async function locked(file: string) {
    const Driver = await sqliteDriver();
    const other = new Driver(file);
    other.exec('BEGIN IMMEDIATE');
    return () => {
      other.exec('COMMIT');
      other.close();
    };
  }

  it('that is locked for a moment is waited for, and no vote is lost', async () => {
    const file = newFile();
    const [one, two] = [await opened(file), await opened(file)];
    const { message } = question();
    await one.settle(asking());
    const release = await locked(file);
    const heard = Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? one : two).hear({ id: `r${n}`, query: 'gold plan', history: following(message) }),
      ),
    );
    setTimeout(release, 300);
    for (const votes of await heard) expect(votes).toMatchObject([{ counted: true }]);
    one.close();
    two.close();
    expect(await inStore(file, (store) => [...store.votes('t')].length)).toBe(20);
  });

  it('that stays locked changes nothing: no default, no vote, and the record says so', async () => {
    const file = newFile();
    const said: string[] = [];
    const habits = await taught(file, { waitMs: 200, announce: (message) => said.push(message) });
    const asked = (await habits.settle(asking({ overrule: false })))!;
    const release = await locked(file);
    const settled = (await habits.settle(asking()))!;
    expect(settled).toMatchObject({
      query: null,
      proposed: null,
      use: { outcome: 'ASKED', reason: 'STORE_UNAVAILABLE' },
    });
    expect(DefaultUse.parse(settled.use).sentence).toContain('is locked by another process');
    const own = (await habits.settle(asking({ overrule: { plan: 'basic plan' } })))!;
    expect(own).toMatchObject({ query: 'What does the basic plan cost?', use: { outcome: 'OVERRULED' } });
    const votes = await habits.hear({
      id: 'r',
      query: 'gold plan',
      history: following(asked.question.message),
    });
    expect(votes).toMatchObject([{ counted: false, problem: expect.stringContaining('locked') }]);
    expect(said).toEqual([expect.stringContaining('is locked by another process')]);
    release();
    expect((await habits.settle(asking()))?.use.outcome).toBe('APPLIED');
    habits.close();
  });

  it('that is damaged while it is used is said in the record; at opening it is refused', async () => {
    const file = newFile();
    const habits = await taught(file);
    const Driver = await sqliteDriver();
    const other = new Driver(file);
    other.exec("UPDATE votes SET conditions = 'no json'; UPDATE questions SET record = '{}'");
    other.close();
    const settled = (await habits.settle(asking()))!;
    expect(settled.use).toMatchObject({ outcome: 'ASKED', reason: 'STORE_UNAVAILABLE' });
    expect(settled.use.sentence).toContain('is damaged');
    expect(
      await habits.hear({ id: 'r', query: 'gold plan', history: following(question().message) }),
    ).toEqual([]);
    habits.close();
    const broken = newFile();
    writeFileSync(broken, 'no database\n'.repeat(100));
    await expect(opened(broken)).rejects.toMatchObject({ code: 'DEFAULTS_UNUSABLE' });
  });
});
