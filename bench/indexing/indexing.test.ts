import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAIN } from '../../cli/testing/cli.ts';
import { renderIndexing } from './render.ts';
import { benchIndexing } from './run.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pragaura-indexing-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('indexes by this build, and has an answer by words before the end', async () => {
  const lines = Array.from({ length: 150 }, (_, i) =>
    JSON.stringify({
      _id: `d${i}`,
      text: `Hall ${i} has a door that is ${i + 200} cm wide and ${i} windows.`,
    }),
  );
  const pages = join(dir, 'doors.jsonl');
  writeFileSync(pages, lines.join('\n'));
  const said: string[] = [];
  const options = { pages: [pages], query: 'How wide is the door of hall 42?', threads: 1, main: MAIN };
  const text = await benchIndexing(options, (line) => said.push(line));
  expect(said).toEqual(['this build: indexing']);
  const row = text.split('\n').find((line) => line.startsWith('this build'))!;
  const [, passages, total, , , , insideEmbed, insideAll] = row.split(/ {2,}|, /);
  expect(passages).toBe('150');
  expect(Number(total)).toBeGreaterThan(0);
  for (const share of [insideEmbed, insideAll]) {
    expect(Number.parseFloat(share!)).toBeGreaterThan(0);
    expect(Number.parseFloat(share!)).toBeLessThanOrEqual(100);
  }
  await expect(benchIndexing({ ...options, query: 'zzzz' }, () => {})).rejects.toMatchObject({
    code: 'USAGE',
  });
});

it('compares two builds, one of which measures less, and says whether their vectors agree', () => {
  const report = { counts: { passages: 200 }, embedded: 100, ms: { embed: 10_000, inside: null } };
  const before = { program: 'before', totalMs: 20_000, answeredMs: 21_000, vectors: 'a', report };
  const after = {
    ...before,
    program: 'this build',
    totalMs: 16_000,
    answeredMs: 1_000,
    report: { ...report, ms: { embed: 10_000, inside: 9_000 } },
  };
  const text = renderIndexing([before, after] as never);
  expect(text).toContain('90.0 %, 56.3 %');
  expect(text).toContain(
    'This build takes 0.80 of the time before; its first answer comes after 5.0 % of it.',
  );
  expect(text).toContain('Vectors: the same to the bit.');
  expect(renderIndexing([before, { ...after, vectors: 'b' }] as never)).toContain('Vectors: NOT the same.');
});
