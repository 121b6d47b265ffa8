import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { BRANCHES } from '../../profiles/index.ts';
import type { Query } from '../contracts.ts';
import { STAGES } from './retrieve.ts';
import { runRetrieve } from './retrieve-stream.ts';

type Rank = Parameters<typeof runRetrieve>[0]['rank'];

async function retrieve(
  input: string[],
  rank: Rank,
  options: { window?: number; signal?: AbortSignal } = {},
) {
  let written = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  const said: string[] = [];
  const exitCode = await runRetrieve({
    input: Readable.from(input.map((text) => Buffer.from(text))),
    output,
    say: (message) => said.push(message),
    rank,
    tag: 't',
    unit: 'document',
    window: options.window ?? 2,
    signal: options.signal ?? new AbortController().signal,
  });
  return { written, said, exitCode };
}

const echo: Rank = async ({ query }) => [{ docId: query, passageId: `${query}#0`, score: 0.5 }];

describe('runRetrieve', () => {
  it('writes runs in input order whatever finishes first, and at most a window at a time', async () => {
    let running = 0;
    let most = 0;
    const rank = async ({ query }: Query) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, query === 'a' ? 20 : 1));
      running -= 1;
      return [{ docId: query, passageId: `${query}#0`, score: 0.5 }];
    };
    const lines = ['a', 'b', 'c', 'd', 'e'].map((query) => `{"id":"${query}","query":"${query}"}\n`);
    const { written, exitCode } = await retrieve(lines, rank, { window: 3 });
    expect(written.split('\n').map((line) => line[0])).toEqual(['a', 'b', 'c', 'd', 'e', undefined]);
    expect(most).toBe(3);
    expect(exitCode).toBe(0);
  });

  it('tells bad lines on the side, does the rest, and exits with 65', async () => {
    const { written, said, exitCode } = await retrieve(
      ['{"query":"a"}\n{"nope"\n\n{"id":"x"}\n{"query":"b"}'],
      echo,
    );
    expect(written).toBe('line-1 Q0 a 1 0.50000000 t\nline-5 Q0 b 1 0.50000000 t\n');
    expect(said).toEqual([expect.stringContaining('line 2'), expect.stringContaining('line 4')]);
    expect(exitCode).toBe(65);
  });

  it('goes on behind a query that fails here, and exits with its code', async () => {
    const rank: Rank = async (query, signal) => {
      if (query.query === 'a') throw new PragauraError('SCORING_FAILED', 'a thread died');
      return echo(query, signal);
    };
    const { written, said, exitCode } = await retrieve(['{"query":"a"}\n{"query":"b"}\n'], rank);
    expect(written).toBe('line-2 Q0 b 1 0.50000000 t\n');
    expect(said).toEqual(['pragaura: line 1: a thread died']);
    expect(exitCode).toBe(69);
  });

  it('calls a defect a defect, not an input that cannot be read', async () => {
    const rank = async () => {
      throw new Error('x is not a function');
    };
    expect((await retrieve(['{"query":"a"}'], rank)).exitCode).toBe(70);
  });

  it('writes each run as soon as it is made, while the input stays open', async () => {
    const input = new Readable({ read() {} });
    const output = new PassThrough();
    const running = runRetrieve({
      input,
      output,
      say: () => {},
      rank: echo,
      tag: 't',
      unit: 'document',
      window: 16,
      signal: new AbortController().signal,
    });
    input.push('{"query":"a"}\n');
    const [chunk] = await once(output, 'data');
    expect(String(chunk)).toBe('line-1 Q0 a 1 0.50000000 t\n');
    input.push(null);
    expect(await running).toBe(0);
  });

  it('gives each query a signal of its own', async () => {
    const signals = new Set<AbortSignal>();
    await retrieve(['{"query":"a"}\n{"query":"b"}\n'], async (query, signal) => {
      signals.add(signal);
      return echo(query, signal);
    });
    expect(signals.size).toBe(2);
  });

  it('says nothing for no input, and 130 when it was interrupted', async () => {
    expect(await retrieve([], echo)).toEqual({ written: '', said: [], exitCode: 0 });
    expect((await retrieve(['{"query":"a"}\n'], echo, { signal: AbortSignal.abort() })).exitCode).toBe(130);
  });
});

it('offers every branch and both joint stages', () => {
  expect(STAGES).toEqual([...BRANCHES, 'fused', 'reranked']);
});
