import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseJsonLines, readDataFile } from '../datasets/files.ts';
import { benchEntailment, PAIR_HALVES, renderEntailment } from './run.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-entailment-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const pair = (id: string, claim: string, label: string) =>
  JSON.stringify({ id, kind: 'negation', quote: 'The shop is open every day.', claim, label });
const put = (...lines: string[]) => writeFile(path.join(dir, 'pairs.open.ndjson'), `${lines.join('\n')}\n`);

describe('pairs of a quote and a claim', () => {
  it('are judged by the shipped model, and counted by kind and label', async () => {
    await put(
      pair('a', 'The shop is open on every day.', 'entailment'),
      pair('b', 'The shop is never open.', 'contradiction'),
      pair('c', 'The shop is never open at all.', 'entailment'),
    );
    const { report, judged } = await benchEntailment('open', dir);
    expect(judged.map(({ said }) => said)).toEqual(['entailment', 'contradiction', 'contradiction']);
    expect(report.rows.map(({ kind, n, quotes }) => [kind, n, quotes])).toEqual([
      ['all', 3, 1],
      ['negation', 3, 1],
    ]);
    const [{ right, said }] = report.rows as [(typeof report.rows)[number]];
    expect(right.value).toBeCloseTo(2 / 3);
    expect(said.entailment.value).toBe(0.5);
    expect(said.neutral.value).toBeNull();
    expect(renderEntailment(report)).toMatch(/negation\s+3\s+1\s+0\.667.*0\.500\s+–\s+1\.000/);
  });

  it.each([
    ['another label', pair('a', 'It is.', 'yes')],
    ['no JSON', '{"id": '],
  ])('are refused with %s, by file', async (_, line) => {
    await put(line);
    await expect(benchEntailment('open', dir)).rejects.toMatchObject({
      code: 'UNREADABLE_DOCUMENT',
      message: expect.stringContaining('pairs.open.ndjson'),
    });
  });

  it('that are missing are named', async () => {
    await expect(benchEntailment('held', dir)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('come in two halves without a quote in common', async () => {
    const [open, held] = await Promise.all(
      PAIR_HALVES.map(async (half) => {
        const file = `pairs.${half}.ndjson`;
        return parseJsonLines(await readDataFile('bench/entailment', file), file) as { quote: string }[];
      }),
    );
    expect([open!.length, held!.length]).toEqual([150, 150]);
    const quotes = new Set(open!.map(({ quote }) => quote));
    expect(held!.filter(({ quote }) => quotes.has(quote))).toEqual([]);
  });
});
