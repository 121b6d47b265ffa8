import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openScorers, type Scorers } from '../../../scorers/index.ts';
import { indexOf } from '../../datasets/index-of.ts';
import type { DecisionQuery } from '../types.ts';
import type { Facts } from './facts.ts';
import { factsId, measureFacts } from './measure.ts';

const TEXTS = {
  heron: 'The grey heron nests in high trees. It stands about 98 cm tall.',
  mast: 'The mast of the Anna is 12 m high. ADR-0007 decides that it is painted white.',
};
const documents = Object.entries(TEXTS).map(([docId, text]) => ({ docId, title: '', text, source: 'test' }));

const query = (text: string, rest: Partial<DecisionQuery> = {}): DecisionQuery => ({
  id: text,
  query: text,
  action: 'ANSWER',
  group: text,
  source: 'test',
  fits: true,
  ...rest,
});
const queries = [
  query('How high is the mast of the Anna?'),
  query('What does ADR-0050 decide?'),
  query('Thank you very much!'),
  query('Which court repealed the sugar tax of Peru?'),
  query('How tall is it?', {
    history: [{ role: 'user', text: 'Tell me about the grey heron.' }],
    filters: { docId: ['heron'] },
  }),
];

let folder: string;
let index: string;
let scorers: Scorers;
const said: string[] = [];
const measured = (out: string, signal = new AbortController().signal): Promise<Facts[]> =>
  measureFacts(queries, {
    name: 'test',
    index,
    scorers,
    out: join(folder, out),
    say: (line) => said.push(line),
    signal,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-facts-'));
  scorers = await openScorers({ threads: 2 });
  index = await indexOf({ name: 'test', documents }, folder, scorers, () => {});
});
afterAll(async () => {
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

it('measures what every policy looks at, and keeps it', async () => {
  const [mast, unknown, thanks, foreign, heron] = (await measured('kept')) as [
    Facts,
    Facts,
    Facts,
    Facts,
    Facts,
  ];
  expect(mast).toMatchObject({ error: null, final: null, candidate: expect.stringContaining('12 m') });
  expect(mast.planning).not.toBeNull();
  expect(mast.hardGate).not.toBeNull();
  // What bars that are fitted elsewhere would have to choose between.
  expect(mast).toMatchObject({
    reach: { span: true, passage: true },
    relevance: 'ANSWER',
    general: 'ANSWER',
  });
  expect(mast.declined).toMatch(/^(?:ASK|ABSTAIN)$/);
  // The record does not exist: no policy may answer, though everything was read.
  expect(unknown).toMatchObject({ final: 'ASK', thresholds: 'ASK', alone: { identifierExists: 'ASK' } });
  expect(unknown.answerable).toBe(true);
  expect(unknown).toMatchObject({ reach: { span: false, passage: false }, declined: 'ASK', general: 'ASK' });
  expect(thanks).toMatchObject({ final: 'ABSTAIN', answerable: false, planning: null });
  expect(Object.values(foreign.alone)).toContain('ABSTAIN');
  expect(foreign.layers).toBe('ABSTAIN');
  expect(heron).toMatchObject({ candidate: expect.stringContaining('98 cm') });

  said.length = 0;
  expect(await measured('kept')).toEqual([mast, unknown, thanks, foreign, heron]);
  expect(said).toContain('test: 5 queries, 0 to be measured');
});

it('consults a vocabulary, and no layer that is off', async () => {
  const vocabulary = join(folder, 'terms.csv');
  await writeFile(vocabulary, 'term,definition\nmast,A tall pole on a ship.\n');
  const asked = [
    'What does the word mast mean?',
    'What is meant by a keelson?',
    'How high is the mast of the Anna?',
  ];
  const [known, unknown, other] = (await measureFacts(
    asked.map((text) => query(text)),
    {
      name: 'terms',
      index,
      vocabulary,
      layers: { poisoned: { on: false } },
      scorers,
      out: join(folder, 'terms'),
      say: () => {},
      signal: new AbortController().signal,
    },
  )) as [Facts, Facts, Facts];
  expect(known).toMatchObject({ final: 'ANSWER', thresholds: 'ANSWER', defined: 'A tall pole on a ship.' });
  // What the reader would have said is known as well.
  expect(known.candidate).toEqual(expect.any(String));
  expect(unknown).toMatchObject({ defined: null, alone: { vocabulary: 'ASK' }, thresholds: 'ASK' });
  expect(other).toMatchObject({ final: null, defined: null });
  expect(other.alone).not.toHaveProperty('vocabulary');
});

it('stops when told to, and says that it can go on', async () => {
  const stop = new AbortController();
  stop.abort();
  await expect(measured('stopped', stop.signal)).rejects.toMatchObject({
    code: 'ABORTED',
    message: 'Interrupted with 5 queries of test to be measured.',
  });
});

it('knows queries by all that is asked, and by no label', () => {
  const [mast] = queries as [DecisionQuery];
  expect(factsId({ ...mast, action: 'ASK', group: 'other', id: 'x' })).toBe(factsId(mast));
  const others = [
    { ...mast, query: 'How high?' },
    { ...mast, filters: { docId: ['mast'] } },
    { ...mast, history: [{ role: 'user' as const, text: 'Hello.' }] },
  ];
  expect(new Set([mast, ...others].map(factsId)).size).toBe(4);
});
