/** Several turns, one question back, two kinds of silence, defaults and vocabulary: through the real pipeline. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutClocks } from '../common/index.ts';
import { COUNTED_UNITS } from '../profiles/index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { Decision, openRouter, type Query, type Router } from './index.ts';
import { demoIndex } from './testing/demo-index.ts';

type Turns = NonNullable<Query['history']>;

const _demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
let folder: string;
let index: string;
let scorers: Scorers;
let router: Router;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-conversation-'));
  index = join(folder, 'index');
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  router = await openRouter({ index, scorers });
});

afterAll(async () => {
  await router.close();
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = async (query: string, ...said: string[]): Promise<Decision> => {
  const decision = await router.route({ id: 'q', query, ...(said.length > 0 && { history: turns(said) }) });
  expect(Decision.parse(decision)).toEqual(decision);
  return decision;
};

/** The user begins. */
const turns = (said: readonly string[]): Turns =>
  said.map((text, i) => ({ role: i % 2 === 0 ? ('user' as const) : ('assistant' as const), text }));

const timeless = (decision: Decision): string => withoutClocks(JSON.stringify(decision));

describe('a history', () => {
  const CALIBRATED = 'How often is it calibrated?';

  it('supplies what the query points at; all that follows is about the query made whole', async () => {
    const decision = await ask(CALIBRATED, 'What is the barometer BR-1 for?', 'It measures air pressure.');
    expect(decision.query).toBe(CALIBRATED);
    expect(decision.selfContained?.text).toMatch(/BR-1 calibrated\?$/i);
    expect(decision.clarification?.reason).not.toBe('UNRESOLVED_REFERENCE');
    const alone = await ask(decision.selfContained!.text);
    expect(decision.evidence).toEqual(alone.evidence);
    expect([decision.action, decision.act, decision.U]).toEqual([alone.action, alone.act, alone.U]);
  });

  it('that supplies nothing leaves the question what is meant', async () => {
    const decision = await ask(CALIBRATED, 'Good morning', 'Hello.');
    expect(decision.selfContained).toBeUndefined();
    expect(decision.clarification?.reason).toBe('UNRESOLVED_REFERENCE');
  });

  it('with an answer to our question has the piece resolved and the query routed again', async () => {
    const first = await ask(CALIBRATED);
    const { question, message } = first.clarification!;
    expect(first.state?.missing).toContainEqual({ kind: 'reference', text: 'it', recoverable: true });
    const { value, query } = question!.options[0]!;
    const second = await ask(value, CALIBRATED, message);
    expect(second.selfContained?.text.toLowerCase()).toBe(query.toLowerCase());
    expect(second.selfContained?.reasons[0]).toMatchObject({ rule: 'ANSWER', to: value, turn: 0 });
    expect(second.state?.missing.map(({ kind }) => kind)).not.toContain('reference');
    expect(second.state?.constraints).toContainEqual({ kind: 'resolved', text: `it: ${value}` });
    expect(second.state?.turn).toBe(1);
    expect(second.clarification?.reason).not.toBe('UNRESOLVED_REFERENCE');
    const byPlace = await ask('the first one', CALIBRATED, message);
    expect(byPlace.selfContained?.text).toBe(second.selfContained?.text);
  });

  it('that contradicts itself: the last reply holds', async () => {
    const { message, question } = (await ask(CALIBRATED)).clarification!;
    const [one, other] = question!.options.map(({ value }) => value);
    const decision = await ask(other!, CALIBRATED, message, one!, message);
    expect(decision.state?.constraints.filter(({ kind }) => kind === 'resolved')).toEqual([
      { kind: 'resolved', text: `it: ${other}` },
    ]);
  });

  it('in which the user chose nothing: nothing is asked twice, and the silence has the same reason', async () => {
    const first = await ask(CALIBRATED);
    expect(first.clarification?.question?.variable).toBe('it');
    const said = [CALIBRATED, first.clarification!.message];
    for (let turn = 0; turn < 4; turn++) {
      const decision = await ask('whatever', ...said);
      expect(decision.selfContained?.text).toBe(CALIBRATED);
      expect(decision.state?.constraints.map(({ kind }) => kind)).not.toContain('resolved');
      const message = (decision.clarification ?? decision.abstention)!.message;
      expect(said).not.toContain(message);
      if (decision.action === 'ABSTAIN') {
        expect(decision.abstention!.reason).toBe(first.clarification!.reason);
        expect(message).not.toContain('?');
        return;
      }
      said.push('whatever', message);
    }
    expect.unreachable();
  });

  it('leaves a question with a subject of its own alone', async () => {
    const told = ['What is the barometer BR-1 for?', 'It measures air pressure.'];
    const decision = await ask('Who leads the platform team?', ...told);
    expect(decision.selfContained).toBeUndefined();
    expect(decision.answer?.text).toBe((await ask('Who leads the platform team?')).answer?.text);
    const bye = await ask('perfect, bye', ...told, 'Who leads it?', 'Ilse. Can I help with anything else?');
    expect(bye.selfContained).toBeUndefined();
  });

  it('with an answer to a question that was never asked is a query like any other', async () => {
    const decision = await ask('the second one', 'Who leads the platform team?', 'Ilse Varnholt.');
    expect(decision.selfContained).toBeUndefined();
    expect(decision.state?.turn ?? 0).toBe(0);
    expect(decision.action).not.toBe('ANSWER');
  });

  it('of 200 turns is read in its last 40 and first two, and decides the same', async () => {
    const idle = Array.from({ length: 159 }, (_, i) => `Filler ${i}.`);
    const recent = Array.from({ length: 39 }, (_, i) => `Filler ${i}.`);
    const end = ['What is the barometer BR-1 for?'];
    const long = [...idle.slice(0, 158), ...recent.slice(0, 38), ...end, 'It measures air pressure.'];
    expect(long.length).toBe(198);
    const decision = await ask(CALIBRATED, ...long, 'Thanks.', 'You are welcome.');
    const short = await ask(CALIBRATED, ...end, 'It measures air pressure.', 'Thanks.', 'You are welcome.');
    expect(decision.selfContained?.text).toBe(short.selfContained?.text);
    expect(decision.evidence).toEqual(short.evidence);
  });
});

describe('what is not answered', () => {
  it('asks one question, whose choices can be routed as they are', async () => {
    for (const query of ['How often is it calibrated?', 'What does ADR-0050 say about caching?']) {
      const { clarification } = await ask(query);
      const { options, gain } = clarification!.question!;
      expect(clarification!.message.match(/\?/g)).toHaveLength(1);
      expect(options.length).toBeGreaterThan(1);
      expect(options.length).toBeLessThanOrEqual(4);
      expect(gain).toBeGreaterThan(0);
      expect(clarification!.suggestions).toEqual(options.slice(0, 3).map(({ value }) => value));
      for (const { value, query: again } of options) {
        expect(again).toContain(value);
        expect((await ask(again)).clarification?.reason).not.toBe(clarification!.reason);
      }
    }
  });

  it('tells apart that the documents hold nothing and that they contradict each other', async () => {
    const nothing = (await ask('Who won the football world cup in 1998?')).abstention!;
    expect([nothing.kind, nothing.conflict]).toEqual(['NOTHING', undefined]);
    expect(nothing.message).toContain('football');
    const decision = await ask('How long are raw observations kept?');
    expect(decision.abstention).toMatchObject({ reason: 'CONFLICTING_EVIDENCE', kind: 'CONTRADICTION' });
    const { conflict, message } = decision.abstention!;
    expect(conflict!.map(({ text }) => /\d+ days/.exec(text)?.[0]).sort()).toEqual(['30 days', '90 days']);
    expect(new Set(conflict!.map(({ docId }) => docId)).size).toBe(2);
    for (const { text, source } of conflict!)
      for (const part of [text, source]) expect(message).toContain(part);
    expect((await ask('Thanks, that was very helpful!')).abstention?.kind).toBe('OTHER');
  });
});

describe('the record', () => {
  it('holds state and layers of what was looked for, and none of what was refused before', async () => {
    const decision = await ask('Who leads the platform team?');
    expect(decision.state?.known.map(({ text }) => text)).toContain('platform team');
    expect(decision.state?.conflict.cosine).not.toBeNull();
    expect(decision.layers.length).toBeGreaterThan(5);
    expect([decision.defaults, decision.votes, decision.graph, decision.plan]).toEqual([[], [], null, null]);
    const refused = await ask('?');
    expect([refused.state, refused.layers]).toEqual([null, []]);
  });

  it('has the features of a planner whoever decides', async () => {
    const { planning, input } = await router.explain({ id: 'q', query: 'Who leads the platform team?' });
    expect(planning?.answerScore).toBeGreaterThan(0);
    expect(input?.state).not.toBeNull();
    expect((await router.explain({ id: 'q', query: '?' })).planning).toBeNull();
  });
});

describe('what a router is opened with', () => {
  it('is on record: layers, vocabulary and decider make another configuration', async () => {
    const terms = join(folder, 'terms.csv');
    await writeFile(terms, 'label,definition\nbackfill,A second run over raw observations.\n');
    const other = await openRouter({
      index,
      scorers,
      vocabulary: [terms],
      layers: { coverage: { on: false } },
      decider: 'hard-gate',
    });
    try {
      expect(other.validFor).toMatchObject({ decider: 'hard-gate', utilities: null, planner: null });
      expect(other.versions.layers).not.toBe(router.versions.layers);
      expect([typeof other.versions.vocabulary, router.versions.vocabulary]).toEqual(['string', null]);
      const decision = await other.route({ id: 'q', query: 'What is a backfill?' });
      expect(decision.answer).toMatchObject({
        text: 'A second run over raw observations.',
        quotes: [{ docId: 'terms.csv' }],
      });
      expect(decision.evidence[0]?.source).toBe('terms.csv');
      const asked = await other.route({ id: 'q', query: 'Who leads the platform team?' });
      expect(asked.guarantee.sentence).toContain('the hard gate decides');
    } finally {
      await other.close();
    }
  });

  it.each([
    [{ layers: { distance: { limit: 3 } } }, /^Layers, distance\.limit/],
    [{ layers: [] }, /^Layers/],
    [{ planner: '/nowhere.json' }, /nowhere\.json cannot be read/],
  ])('is checked: %j', async (given, message) => {
    await expect(openRouter({ index, scorers, ...given })).rejects.toThrow(message);
  });
});

describe('a learned default', () => {
  const QUESTION = 'How often is the sensor calibrated?';
  let store: string;
  let habitual: Router;

  beforeAll(async () => {
    store = join(folder, 'defaults.db');
    habitual = await openRouter({ index, scorers, defaults: { store, tenant: 't' } });
  });

  afterAll(() => habitual.close());

  it('shares the budget: two routings never spend more than one may', async () => {
    const decision = await habitual.route({ id: 'd', query: QUESTION });
    for (const unit of COUNTED_UNITS) {
      expect(decision.receipt.spent[unit]).toBeLessThanOrEqual(Math.floor(decision.receipt.budget[unit] / 2));
      expect(habitual.validFor.budget[unit]).toBe(Math.floor(router.validFor.budget[unit] / 2));
    }
  });
});

describe('the same bytes', () => {
  it('of a conversation come from one thread and two, alone and beside others', async () => {
    const query: Query = {
      id: 'same',
      query: 'How often is it calibrated?',
      history: turns(['What is the barometer BR-1 for?', 'It measures air pressure.']),
    };
    const [alone, ...beside] = await Promise.all([
      router.route(query),
      router.route(query),
      ask(query.query),
    ]);
    expect(timeless(beside[0]!)).toBe(timeless(alone!));
    const single = await openRouter({ index, threads: 1 });
    try {
      expect(timeless(await single.route(query))).toBe(timeless(alone!));
    } finally {
      await single.close();
    }
  });
});
