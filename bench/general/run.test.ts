import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';
import { FEATURES } from '../../router/index.ts';
import type { Item } from './judged.ts';
import { linesOf, readLines } from './lines.ts';
import { item } from './testing/items.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-general-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const header = {
  machine: 'none',
  models: { read: 'model@0' },
  arithmetic: 'exact',
  sets: [{ name: 'one', about: 'a set', licence: 'none', documents: 3 }],
};

/** Sets in which what is relevant is right. */
function items(): Item[] {
  return ['one', 'two', 'three'].flatMap((set) =>
    Array.from({ length: 30 }, (_, i) => {
      const good = i % 3 !== 0;
      const values = Object.fromEntries(FEATURES.map((name, at) => [name, ((i * 7 + at * 3) % 10) / 10]));
      return item({
        set,
        group: `${set}-${i}`,
        act: i % 2 === 0 ? 'FACT' : 'PROCEDURE',
        answerable: good,
        closed: i === 29 ? 'scope' : null,
        values: { ...values, bestRelevance: (good ? 0.6 : 0.1) + (i % 4) / 10, U: good ? 0.2 : 0.6 },
        right: { span: good && i % 5 !== 1, passage: good, first: good },
      });
    }),
  );
}

const bench = (...args: string[]) => runCli(['bench', 'general', '--out', 'out', ...args], { cwd: dir });

it('fits and reports on what an earlier run measured, and writes the table of the router', async () => {
  await writeFile(
    path.join(dir, 'general.ndjson'),
    linesOf(
      header,
      items().map((each) => ({ item: each, measured: {} as never })),
    ),
  );
  const { code, stdout } = await bench('--measured', 'general.ndjson');
  expect(code).toBe(0);
  for (const line of [/^set left out +n/m, /^plain rule +/m, /\(shipped\)/, /^scope +all +3 +/m, /^none$/m])
    expect(stdout).toMatch(line);
  const record = JSON.parse(await readFile(path.join(dir, 'out/general.json'), 'utf8'));
  expect(record).toMatchObject({ schema: 'pragaura.bench-general/1', models: header.models });
  expect(record.report.sets.map(({ n }: { n: number }) => n)).toEqual([30, 30, 30]);
  const table = await readFile(path.join(dir, 'out/general-fit.ts'), 'utf8');
  const written = JSON.parse(table.slice(table.indexOf('= {') + 2, table.lastIndexOf(';')));
  expect(written).toMatchObject({
    models: header.models,
    sets: ['one', 'two', 'three'],
    questions: 90,
    answerable: 60,
  });
  expect(written.measured).toHaveLength(21);
});

it('takes no other file', async () => {
  await writeFile(path.join(dir, 'other.ndjson'), '{"schema": "something/1"}\n');
  await expect(readLines(path.join(dir, 'other.ndjson'))).rejects.toMatchObject({
    code: 'UNREADABLE_DOCUMENT',
  });
  await expect(readLines(path.join(dir, 'absent.ndjson'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await bench('--sets', 'nonsense')).code).toBe(2);
});
