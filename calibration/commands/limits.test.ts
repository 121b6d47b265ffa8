/** Limits fitted to an index, as a user fits them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';
import { openIndex } from '../../corpus/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-limits-'));
const index = path.join(folder, 'demo');
const out = path.join(folder, 'layers.json');
const file = (name: string, lines: readonly object[]) => {
  const where = path.join(folder, name);
  writeFileSync(where, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return where;
};
const STRANGE = ['bread', 'opera', 'football', 'jazz', 'soup', 'chess'].flatMap((what) =>
  ['Who invented', 'Where can I learn', 'What is the best', 'Why do people like'].map(
    (ask) => `${ask} ${what}?`,
  ),
);
const strangers = STRANGE.map((query, i) => ({ id: `s${i}`, query }));
let own: { id: string; query: string; passages: string[] }[];

beforeAll(async () => {
  await demoIndex(index);
  const { documents } = await openIndex(index);
  own = documents.map(({ docId, title }, i) => ({
    id: `o${i}`,
    query: `What does "${title}" say?`,
    passages: [docId],
  }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const limits = (...args: string[]) => runCli(['limits', '--index', index, '--out', out, ...args]);

describe('pragaura limits', () => {
  it('puts a limit of the collection into settings that are there, by which strangers are refused', async () => {
    const layers = path.join(folder, 'given.json');
    writeFileSync(
      layers,
      '{"scope":{"on":false},"coverage":{"on":false},"collections":{"documents":{"high":0.9}}}',
    );
    const queries = file('asked.ndjson', [...own, ...strangers]);
    const { code, stdout } = await limits('--queries', queries, '--layers', layers);
    expect(code).toBe(0);
    expect(stdout).toMatch(/documents +\d+ +\d+ +0\.\d+/);
    const { scope, collections } = JSON.parse(readFileSync(out, 'utf8'));
    expect(scope).toEqual({ on: false });
    expect(collections.documents).toEqual({ high: 0.9, distance: expect.any(Number) });
    expect(collections.documents.distance).toBeLessThan(0.9);
    const asked = ['ask', 'Who invented football?', '--index', index, '--json'];
    const { stdout: decision } = await runCli([...asked, '--layers', out]);
    expect(JSON.parse(decision).abstention).toMatchObject({ reason: 'TOO_DISTANT' });
    const distance = JSON.parse(decision).layers.find(({ layer }: { layer: string }) => layer === 'distance');
    expect(distance.finding).toMatchObject({ limit: collections.documents.distance });
  });

  it('says what is missing', async () => {
    const few = await limits('--queries', file('few.ndjson', own.slice(0, 10)));
    expect([few.code, few.stderr]).toEqual([65, expect.stringContaining('too few')]);
    const unlabelled = file(
      'unlabelled.ndjson',
      [...own, ...strangers].map(({ id, query }) => ({ id, query })),
    );
    const none = await limits('--queries', unlabelled);
    expect([none.code, none.stderr]).toEqual([65, expect.stringContaining('0 of them known')]);
    const gone = await limits('--queries', path.join(folder, 'none.ndjson'));
    expect(gone.code).toBe(66);
  });
});
