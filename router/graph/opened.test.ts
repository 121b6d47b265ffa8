/** The graph as the router uses it, with real models over a real index. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { makeGraph } from '../commands/graph-run.ts';
import { indexDocuments, openIndex, openRouter } from '../index.ts';
import { openGraph } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-graph-'));
const documents = join(folder, 'documents');
const index = join(folder, 'index');
const QUERY = { id: 'q', query: 'Did Marie Curie visit Warsaw?' };
let scorers: Scorers;

beforeAll(async () => {
  mkdirSync(documents);
  writeFileSync(join(documents, 'curie.txt'), 'Marie Curie visited Warsaw in 1913. She was born there.\n');
  writeFileSync(join(documents, 'museum.txt'), 'The Radium Museum was opened by Irene Joliot.\n');
  scorers = await openScorers({ threads: 1 });
  await indexDocuments([documents], { out: index, scorers });
});

afterAll(async () => {
  await scorers.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The decision of the query, and what the router announced of a graph. */
async function decided() {
  const said: string[] = [];
  const router = await openRouter({ index, scorers, announce: (message) => said.push(message) });
  try {
    return {
      said: said.filter((message) => message.includes('graph')),
      decision: await router.route(QUERY),
      validFor: router.validFor,
    };
  } finally {
    await router.close();
  }
}

it('is on record when there is one, goes on with the index, and is refused when it is damaged', async () => {
  const without = await decided();
  expect(without.decision).toMatchObject({ graph: null, versions: { graph: null } });

  const labelled = join(folder, 'labelled.ndjson');
  writeFileSync(labelled, '{"query": "Did Marie Curie bring the Paris Notebook?", "action": "ASK"}\n');
  const report = await makeGraph({ index, labelled, maxEdges: 100, minSem: 0, models: { threads: 1 } });
  expect(report).toMatchObject({ edges: 3, variables: 1 });
  const { decision, validFor, said } = await decided();
  expect(said).toEqual([]);
  expect(decision.graph).toMatchObject({
    kind: 'strong',
    path: [{ subject: 'Marie Curie', relation: 'visited', object: 'Warsaw' }],
    variables: ['paris notebook'],
  });
  expect(decision.versions.graph).toMatch(/^[0-9a-f]{64}$/);
  expect(validFor.graph).toBe(decision.versions.graph);

  const file = join((await openIndex(index)).folder, 'graph.ndjson');
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, whole.replace('visited', 'vis1ted'));
  await expect(decided()).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  writeFileSync(file, whole);

  writeFileSync(join(documents, 'more.txt'), 'Marie Curie visited London.\n');
  expect((await indexDocuments([documents], { out: index, scorers })).graph).toEqual({
    edges: 4,
    embedded: 1,
  });
  const after = await decided();
  expect(after.decision.graph).toMatchObject({ kind: 'strong', variables: ['paris notebook'] });
  expect(after.decision.versions.graph).not.toBe(decision.versions.graph);
  const anew = join(folder, 'anew');
  await indexDocuments([documents], { out: anew, scorers });
  await makeGraph({ index: anew, labelled, maxEdges: 100, minSem: 0, models: { threads: 1 } });
  const graphIn = async (dir: string) => (await openGraph(await openIndex(dir)))!.hash;
  expect(await graphIn(index)).toBe(await graphIn(anew));
});

it('has users asked for what labelled queries lacked, once, and takes the reply for it', async () => {
  const own = join(folder, 'library');
  mkdirSync(own);
  writeFileSync(
    join(own, 'tern.txt'),
    'Tern Library was opened by Ada Quist. Fees differ by kind of membership.\n',
  );
  writeFileSync(join(own, 'students.txt'), 'Students pay 12 euros a year.\n');
  const out = join(folder, 'library-index');
  await indexDocuments([own], { out, scorers });
  const routed = async (query: string, history?: { role: 'user' | 'assistant'; text: string }[]) => {
    const router = await openRouter({ index: out, scorers, cautious: 0.5 });
    try {
      return await router.route({ id: 'q', query, ...(history && { history }) });
    } finally {
      await router.close();
    }
  };
  const pieces = ({ state }: Awaited<ReturnType<typeof routed>>) =>
    state!.missing.filter(({ kind }) => kind === 'required').map(({ text }) => text);
  const query = 'What is the fee of the Tern Library?';
  const without = await routed(query);
  expect(without.action).toBe('ABSTAIN');
  expect(pieces(without)).toEqual([]);

  const labelled = join(folder, 'lacking.ndjson');
  const label = {
    query: "How much is the Tern Library's fee?",
    action: 'ASK',
    missing: ['kind of membership'],
  };
  writeFileSync(labelled, `${JSON.stringify(label)}\n`);
  await makeGraph({ index: out, labelled, maxEdges: 100, minSem: 0, models: { threads: 1 } });
  const asked = await routed(query);
  expect(asked).toMatchObject({
    action: 'ASK',
    clarification: {
      message: 'The answer depends on "kind of membership". What is it?',
      question: { kind: 'required', variable: 'kind of membership', options: [] },
    },
  });
  expect(pieces(asked)).toEqual(['kind of membership']);
  const other = await routed('Who opened the Tern Library?');
  expect(other).toMatchObject({ action: 'ANSWER', answer: { text: 'Ada Quist' } });
  expect(pieces(other)).toEqual([]);

  const history = [
    { role: 'user' as const, text: query },
    { role: 'assistant' as const, text: asked.clarification!.message },
  ];
  const replied = await routed('students', history);
  expect(replied).toMatchObject({
    action: 'ANSWER',
    answer: { text: expect.stringContaining('12 euros') },
    state: { turn: 1, constraints: [{ kind: 'resolved', text: 'kind of membership: students' }] },
  });
  expect(pieces(replied)).toEqual([]);
  expect(pieces(await routed('What is the fee of the Tern Library for students?'))).toEqual([]);
  const refused = await routed('no idea', history);
  expect(refused.action).toBe('ABSTAIN');
  expect(pieces(refused)).toEqual([]);
});
