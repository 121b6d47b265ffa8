import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';
import { readPlanner } from '../../router/decision/index.ts';
import type { PoolQuestion } from '../general/types.ts';
import { linesOf, readLines } from './lines.ts';
import { asDecision, CARRY_NAMES, parseCarryNames } from './sets.ts';
import { measuredSet } from './testing/sets.ts';

let dir: string;
const header = { machine: 'none', models: { read: 'model@0' } };
const sets = [
  measuredSet({ name: 'sharc', due: [20, 15, 15] }),
  measuredSet({ name: 'squad2', due: [30, 0, 20] }),
  measuredSet({ name: 'ramdocs', due: [10, 25, 15] }),
  measuredSet({ name: 'canard', due: [25, 0, 25] }),
];
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pragaura-carry-over-'));
  await writeFile(path.join(dir, 'measured.ndjson'), linesOf(header, sets));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const bench = (...args: string[]) => runCli(['bench', 'carry-over', '--out', 'out', ...args], { cwd: dir });

describe('bench carry-over', () => {
  it('fits and reports on what an earlier run measured, and writes the planner', async () => {
    const { code, stdout, stderr } = await bench('--measured', 'measured.ndjson', '--fit', 'planner.json');
    expect(stderr).toContain('fitting without sharc …');
    expect(code).toBe(0);
    expect(stdout).toContain('== Each set left out once: means over 4 sets');
    const record = JSON.parse(await readFile(path.join(dir, 'out/carry-over.json'), 'utf8'));
    expect(record.report.sets.map(({ set }: { set: string }) => set)).toEqual([
      'sharc',
      'squad2',
      'ramdocs',
      'canard',
    ]);
    const model = readPlanner(await readFile(path.join(dir, 'planner.json'), 'utf8'), 'planner.json');
    expect(model.fitted.kind).toBe('linear');
    expect(model.utilities).toEqual({ wrong: 2, question: 1, silence: 1 });
  });

  it('takes some of the sets, other costs, and prints JSON alone', async () => {
    const { code, stdout } = await bench(
      ...['--measured', 'measured.ndjson', '--sets', 'sharc,canard,ramdocs', '--json'],
      ...['--utilities', 'wrong=5,question=1,silence=1', '--figures', 'figures.json'],
    );
    expect(code).toBe(0);
    const { report } = JSON.parse(stdout);
    expect(report.utilities.wrong).toBe(5);
    expect(report.sets).toHaveLength(3);
    const figures = JSON.parse(await readFile(path.join(dir, 'figures.json'), 'utf8'));
    expect(figures.models).toEqual(header.models);
    expect(figures.report.totals.length).toBeGreaterThan(6);
  });

  it.each([
    [['--measured', 'nowhere.ndjson'], 'cannot be read', 'carry-over.ndjson'],
    [['--measured', 'other.ndjson'], 'no result of', 'leave --measured out'],
    [['--measured', 'measured.ndjson', '--sets', 'sharc,nothing'], '"nothing" is no set', 'pool-emanual'],
    [['--measured', 'measured.ndjson', '--utilities', 'wrong=2'], 'does not say', 'question=1'],
  ])('refuses %j', async (args, wrong, said) => {
    await writeFile(path.join(dir, 'other.ndjson'), '{"schema":"other"}\n');
    const { code, stdout, stderr } = await bench(...args);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(wrong);
    expect(stderr).toContain(said);
  });
});

describe('lines', () => {
  it('keep all that contenders look at, and no text', async () => {
    const text = linesOf(header, sets);
    expect(text).not.toContain('a text');
    const read = await readLines(path.join(dir, 'measured.ndjson'));
    expect(read.header).toEqual(header);
    expect(read.sets.map(({ name }) => name)).toEqual(['sharc', 'squad2', 'ramdocs', 'canard']);
    expect(linesOf(read.header, read.sets)).toBe(text);
  });

  it('of other features, or of a set that is not named, are refused', async () => {
    const text = linesOf(header, sets);
    const file = path.join(dir, 'broken.ndjson');
    for (const broken of [
      text.replace('"openConditions"', '"other"'),
      text.replace('"set":"squad2"', '"set":"x"'),
    ]) {
      await writeFile(file, broken);
      await expect(readLines(file)).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
    }
  });
});

it('knows every set of decisions, and of the pool what those have not', () => {
  expect(CARRY_NAMES).toEqual(
    expect.arrayContaining(['mix', 'mix-open', 'contract-nli', 'pool-hotpot', 'pool-emanual']),
  );
  expect(CARRY_NAMES).not.toContain('pool-contract-nli');
  expect(parseCarryNames('mix, pool-hotpot,mix')).toEqual(['mix', 'pool-hotpot']);
  expect(parseCarryNames(undefined)).toHaveLength(CARRY_NAMES.length);
});

it('takes a question of the pool as what is to be done with it', () => {
  const question: PoolQuestion = {
    id: 'a',
    query: 'What?',
    group: 'g',
    act: null,
    kind: 'span',
    expect: 'ABSTAIN',
    homes: [],
    filters: { docId: ['one'] },
  };
  expect(asDecision('pool-emanual', question)).toMatchObject({
    action: 'ABSTAIN',
    source: 'pool-emanual',
    filters: { docId: ['one'] },
    fits: true,
  });
  // The set of decisions asks the same questions with all documents there: left out together.
  expect(asDecision('pool-hotpot', question).source).toBe('hotpot');
});
