import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import type { Decision, Query } from '../contracts.ts';
import type { Explanation } from '../types.ts';
import { parseQuery, runRoute } from './route-stream.ts';

function decisionOf(query: Query): Decision {
  return {
    schema: 'pragaura.decision/4',
    id: query.id,
    query: query.query,
    action: 'ABSTAIN',
  } as unknown as Decision;
}

async function route(input: string, options: { explain?: boolean; fail?: (query: Query) => void } = {}) {
  const chunks: Buffer[] = [];
  const output = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const said: string[] = [];
  const router = {
    route: async (query: Query) => {
      options.fail?.(query);
      return decisionOf(query);
    },
    explain: async (query: Query) =>
      ({ decision: decisionOf(query), policy: 'act', candidate: null }) as unknown as Explanation,
  };
  const exitCode = await runRoute(router, {
    input: Readable.from([input]),
    output,
    say: (message) => said.push(message),
    window: 4,
    ordered: true,
    explain: options.explain ?? false,
    signal: new AbortController().signal,
  });
  const records = Buffer.concat(chunks).toString().split('\n').slice(0, -1);
  return { exitCode, said, records: records.map((line) => JSON.parse(line)) };
}

describe('parseQuery', () => {
  it('names a query without an id after its line and makes numbers strings', () => {
    expect(parseQuery({ query: 'x' }, 7).id).toBe('line-7');
    expect(parseQuery({ id: null, query: 'x' }, 8).id).toBe('line-8');
    expect(parseQuery({ id: 12, query: 'x' }, 9).id).toBe('12');
    expect(parseQuery({ id: 'a', query: '', deadlineMs: 5 }, 9)).toEqual({
      id: 'a',
      query: '',
      deadlineMs: 5,
    });
  });

  it('takes whatever a data set notes beside a query', () => {
    const metadata = { difficulty: 2, of: { nested: ['x'] } };
    expect(parseQuery({ id: 'a', query: 'Who?', metadata }, 1)).toEqual({ id: 'a', query: 'Who?', metadata });
    expect(parseQuery({ id: 'a', query: 'Who?', metadata: null }, 1).query).toBe('Who?');
  });

  it.each([
    ['no query', { id: 'a' }, /query/],
    ['a query that is no text', { query: 7 }, /query/],
    ['an id that is no name', { id: {}, query: 'x' }, /id/],
    ['an empty id', { id: '', query: 'x' }, /id/],
    ['an unknown field', { query: 'x', querry: 'y' }, /querry/],
    ['a polluting field', JSON.parse('{"query":"x","__proto__":{"id":"y"}}'), /__proto__/],
    ['a deadline in the past', { query: 'x', deadlineMs: -1 }, /deadlineMs/],
    ['a filter that is none', { query: 'x', filters: { constructor: ['a'] } }, /filters/],
    ['more text than any query has', { query: 'x'.repeat(2_000_001) }, /query/],
    ['an array', [], /no JSON object/],
    ['null', null, /no JSON object/],
    ['text', 'Who?', /no JSON object/],
  ])('refuses %s', (_, value, message) => {
    expect(() => parseQuery(value, 1)).toThrow(message);
    expect(() => parseQuery(value, 1)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

describe('runRoute', () => {
  it('decides all of ten duplicate ids and says so once', async () => {
    const { exitCode, said, records } = await route('{"id":"same\\u001b[2J","query":"x"}\n'.repeat(10));
    expect(records.length).toBe(10);
    expect(exitCode).toBe(0);
    expect(said).toEqual([
      'pragaura: 9 queries repeat an id (the first: "same\u241b[2J"); all were decided.',
    ]);
  });

  it('puts an error record on a bad line, does the rest and exits 65', async () => {
    const { exitCode, said, records } = await route(
      '{"id":"a","query":"x"}\n{"id":"b"}\nnope\n{"query":"y"}\n',
    );
    expect(records.map((r) => [r.schema, r.id])).toEqual([
      ['pragaura.decision/4', 'a'],
      ['pragaura.error/1', 'b'],
      ['pragaura.error/1', null],
      ['pragaura.decision/4', 'line-4'],
    ]);
    expect(exitCode).toBe(65);
    expect(said.length).toBe(2);
  });

  it('does not call a model that failed a bad line', async () => {
    const { exitCode, records } = await route('{"query":"x"}\n{"query":"y"}\n', {
      fail: (query) => {
        if (query.query === 'x') throw new PragauraError('SCORING_FAILED', 'a thread died');
      },
    });
    expect(exitCode).toBe(69);
    expect(records.map((r) => r.error?.code ?? r.action)).toEqual(['SCORING_FAILED', 'ABSTAIN']);
  });

  it('adds the explanation to the decision', async () => {
    const { records } = await route('{"query":"x"}\n', { explain: true });
    expect(records[0]).toMatchObject({ id: 'line-1', explanation: { policy: 'act', candidate: null } });
    expect(records[0].explanation.decision).toBeUndefined();
  });
});
