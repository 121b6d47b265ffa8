import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentStems } from '../../../conversation/index.ts';
import { openGenerator } from '../../../generation/index.ts';
import { GeneratorServer } from '../../../generation/testing/server.ts';
import { loadProfiles } from '../../../profiles/index.ts';
import { indexDocuments } from '../../../router/index.ts';
import { openScorers, type Scorers } from '../../../scorers/index.ts';
import { measureAttempts, timeAttempts } from '../measure.ts';
import { prunedText } from './pruned.ts';
import { around } from './second-reading.ts';
import { bridgeOf } from './two-hops.ts';

describe('pruning', () => {
  const text = 'The station was built in 1931. Its mast is 12 m tall. Herons nest nearby. Rain is common.';
  it('keeps the sentences that speak of the question, in their order, up to half of the words', () => {
    expect(prunedText(text, contentStems('How tall is the mast?'))).toBe(
      'Its mast is 12 m tall. Herons nest nearby.',
    );
  });
  it('keeps one sentence, however long it is', () => {
    expect(prunedText('One sentence alone.', contentStems('nothing'))).toBe('One sentence alone.');
    expect(prunedText('', new Set())).toBe('');
  });
});

describe('the second reading', () => {
  it('looks at the sentence of the answer and at those beside', () => {
    expect(around('A a. B b. C c. D d. E e.', 'C c')).toBe('B b. C c. D d.');
    expect(around('A a. B b. C c.', 'A a')).toBe('A a. B b.');
    expect(around('A a. B b.', 'Z')).toBe('A a. B b.');
  });
});

describe('the bridge between two hops', () => {
  const found = (titles: string[], answer: string | null) =>
    bridgeOf('Who led Alpha?', {
      ranking: titles.map((title) => ({ docId: title, passageId: title })),
      decision: { evidence: titles.map((title) => ({ passageId: title, title })) },
      candidate: answer === null ? null : { text: answer },
    } as never);
  it('is the first title that the question does not name, else the answer, else nothing', () => {
    expect(found(['Alpha', 'Beta > Part'], 'Gamma')).toBe('Beta');
    expect(found(['Alpha'], 'Gamma')).toBe('Gamma');
    expect(found(['Alpha'], 'alpha')).toBeNull();
    expect(found([], null)).toBeNull();
  });
});

const demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
const examples = ['Where is the barometer calibrated?', 'What is a heron?'].map((query, i) => {
  return { id: `q${i}`, query, group: `g${i}` };
});

describe('over an index', () => {
  let folder: string;
  let scorers: Scorers;
  const server = new GeneratorServer();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pragaura-contenders-'));
    await indexDocuments([join(demo, 'documents', 'equipment'), join(demo, 'documents', 'glossary.md')], {
      out: join(folder, 'index'),
    });
    scorers = await openScorers({ threads: 2 });
    await server.start();
  });
  afterAll(async () => {
    await scorers.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const options = (out: string) => ({
    ...{ set: 'demo', index: join(folder, 'index'), examples, budget: loadProfiles().budget },
    ...{ generator: undefined, out: join(folder, out), say: () => {}, signal: new AbortController().signal },
  });

  it('tries every way that needs no language model, each within the budget, and keeps what it found', async () => {
    const [first] = await measureAttempts(options('plain'), scorers);
    expect(Object.keys(first!.attempts)).toEqual(['context pruning', 'two hops', 'second reading']);
    const { budget } = options('plain');
    for (const [name, { text, spent, uncertainty }] of Object.entries(first!.attempts)) {
      expect(text, name).toContain('Quenby');
      for (const value of Object.values(uncertainty)) expect(value).toBeLessThan(1);
      for (const unit of ['docsScored', 'nliPairs'] as const) {
        expect(spent[unit], `${name}, ${unit}`).toBeLessThanOrEqual(budget[unit]);
      }
      expect(spent.requests).toBe(0);
    }
    // Reflecting is the uniform policy and one more look.
    const uniform = first!.attempts['second reading']!.spent.contextTokens;
    expect(first!.attempts['context pruning']!.spent.contextTokens).toBeLessThanOrEqual(uniform);
    const again = await measureAttempts(options('plain'), {
      ...scorers,
      read: () => Promise.reject(new Error('read once more')),
    });
    expect(again[0]).toEqual(first);
    const times = await timeAttempts({ ...options('plain'), examples: examples.slice(0, 1) }, scorers);
    for (const name of Object.keys(first!.attempts)) expect(times.get(name)!.get('q0')).toBeGreaterThan(0);
  });

  it('samples and drafts with a language model, and pays for each request', async () => {
    const told = ['in the workshop in Quenby', 'Quenby', 'on the roof'];
    server.replyTo = ({ body }) => ({
      text:
        (body as { temperature?: number }).temperature === 0 ? 'in Quenby' : told[server.asked.length % 3]!,
    });
    const generator = openGenerator({ url: server.url, model: 'small' });
    const before = server.asked.length;
    const own = { ...options('asked'), examples: examples.slice(0, 1), generator };
    const [{ attempts }] = (await measureAttempts(own, scorers)) as [
      Awaited<ReturnType<typeof measureAttempts>>[number],
    ];
    const { sampling, 'speculative drafting': drafting } = attempts;
    expect(sampling!.spent.requests + drafting!.spent.requests).toBe(server.asked.length - before);
    expect(sampling!.text).toContain('Quenby');
    expect(sampling!.uncertainty['self-consistency']).toBeGreaterThan(0);
    expect(sampling!.uncertainty['semantic entropy']).toBeGreaterThan(0);
    expect(drafting!.text).toBe('in Quenby');
    expect(drafting!.uncertainty.drafting).toBeLessThan(0.5);
    for (const { spent } of [sampling!, drafting!]) {
      expect(spent.promptTokens).toBeGreaterThan(50);
      expect(spent.generatedTokens).toBeGreaterThan(0);
      expect(spent.samplePairs).toBeGreaterThan(0);
    }
  });
});
