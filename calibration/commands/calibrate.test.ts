/** calibrate from end to end: the built command line, real models, the demo collection and its labels. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere, startCli } from '../../cli/testing/cli.ts';
import type { Decision } from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { CalibrationArtifact, integrityOf } from '../artifact/schema.ts';
import type { Labelled } from '../types.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-calibrate-'));
const at = (name: string) => join(folder, name);

const DEMO = join(import.meta.dirname, '../../router/demo');
const expected = readFileSync(join(DEMO, 'expected.ndjson'), 'utf8');
const labelled = recordsOf<Labelled>(expected);

function writeLines(name: string, records: readonly object[]): string {
  writeFileSync(at(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return at(name);
}

const index = at('index');
const dev = join(DEMO, 'expected.ndjson');

/** The labels of the demo name no document. */
const questions = ['--exchangeable', 'questions'];
const calibrate = (...args: string[]) =>
  runHere([
    'calibrate',
    '--index',
    index,
    '--cache',
    at('cache'),
    '--wrong',
    'f1:0.3',
    ...questions,
    ...args,
  ]);
const coverage = (out: string, ...args: string[]) =>
  calibrate(
    ...['--dev', dev, '--target', 'coverage', '--level', '0.3', '--split', '1/1/1', '--out', at(out)],
    ...args,
  );
const read = (name: string) => CalibrationArtifact.parse(JSON.parse(readFileSync(at(name), 'utf8')));

beforeAll(() => demoIndex(index));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('calibrate', () => {
  it('goes on where it was interrupted, and measures nothing twice', async () => {
    const child = startCli([
      ...['calibrate', '--index', index, '--cache', at('cache'), '--dev', dev],
      ...[
        '--target',
        'coverage',
        '--level',
        '0.3',
        '--out',
        at('first.json'),
        '--threads',
        '1',
        ...questions,
      ],
    ]);
    const measured = () => {
      const file = readdirSync(folder).includes('cache') ? join(at('cache'), 'observations.ndjson') : null;
      return file !== null && statSync(file, { throwIfNoEntry: false }) !== undefined
        ? readFileSync(file, 'utf8').split('\n').length - 1
        : 0;
    };
    while (measured() < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    child.process.kill('SIGINT');
    const { code, stdout, stderr } = await child.finished;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain('What was measured is kept.');
    expect(readdirSync(folder)).not.toContain('first.json');

    const kept = measured();
    expect(kept).toBeGreaterThanOrEqual(3);
    const again = await coverage('first.json');
    expect(again).toMatchObject({ code: 0 });
    const [, before, now] = /(\d+) examples measured before(?:; (\d+) now)?/.exec(again.stderr)!;
    expect(Number(before)).toBeGreaterThanOrEqual(Math.min(3, kept));
    expect(Number(before) + Number(now ?? 0)).toBe(labelled.length);
  });

  it('prints a row for every act, and writes the same file from what it keeps', async () => {
    const first = await coverage('a.json');
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toContain('26 examples measured before.');
    expect(first.stderr).toMatch(/Fitted in \d+\.\d\d s from 26 cached signals/);
    const rows = first.stdout.split('\n');
    expect(rows[0]).toMatch(/^act\s+examples\s+rung\s+of\s+tau/);
    for (const { act, sentence, rung } of read('a.json').acts) {
      expect(rows.some((row) => row.startsWith(`${act} `))).toBe(true);
      if (rung === 'act' || rung === 'none') expect(first.stdout).toContain(`${act}: ${sentence}`);
    }
    expect(first.stdout).toContain('borrow the threshold of all queries.');
    await coverage('b.json');
    expect(readFileSync(at('b.json'), 'utf8')).toBe(readFileSync(at('a.json'), 'utf8'));
    expect(read('a.json').integrity).toBe(integrityOf(read('a.json')));
  });

  it('tells split sizes, seed, rule and models', () => {
    const { splits, wrong, validFor } = read('a.json');
    expect(splits.tune.examples + splits.calibrate.examples + splits.test.examples).toBe(26);
    expect(splits.tune.groups + splits.calibrate.groups + splits.test.groups).toBe(26);
    expect(splits).toMatchObject({ seed: 1, shares: { tune: 1, calibrate: 1, test: 1 }, testFile: false });
    expect(wrong).toEqual({ kind: 'f1', least: '0.3' });
    expect(Object.keys(validFor.models).sort()).toEqual(['acts', 'embed', 'nli', 'read', 'rerank']);
  });

  it('gives a summary as JSON, and the learned score', async () => {
    const { code, stdout, stderr } = await runCli([
      ...['calibrate', '--index', index, '--cache', at('cache'), '--dev', dev, '--out', at('learned.json')],
      ...['--target', 'coverage', '--level', '0.3', '--split', '3/1/1', '--score', 'learned', '--json'],
      ...questions,
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const [summary] = recordsOf<{ score: { kind: string }; hash: string; acts: unknown[] }>(stdout);
    expect(summary).toMatchObject({ schema: 'pragaura.calibration-summary/1', score: { kind: 'learned' } });
    expect(summary!.hash).toBe(read('learned.json').integrity);
    expect(summary!.acts).toHaveLength(9);
  });

  it('says that so few examples earn no promise on risk, and how many would', async () => {
    const { code, stdout, stderr } = await calibrate(
      ...['--dev', dev, '--target', 'risk', '--level', '0.05', '--out', at('risk.json')],
    );
    expect(code).toBe(0);
    expect(stdout).toContain('NOT_CALIBRATED');
    expect(stdout).toMatch(/\d+ more would be needed|no number of examples would do/);
    expect(stderr).toContain('with this calibration nothing is answered');
    expect(read('risk.json').acts.every(({ tau }) => tau === null)).toBe(true);
  });
});

describe('a calibration in use', () => {
  const route = (calibration: string, ...args: string[]) =>
    runHere(['route', '--index', index, '--calibration', at(calibration), ...args], {
      input: labelled
        .slice(0, 6)
        .map(({ id, query }) => `${JSON.stringify({ id, query })}\n`)
        .join(''),
    });

  it('decides by its thresholds and says what it promises', async () => {
    const { code, stdout } = await route('a.json');
    expect(code).toBe(0);
    const { acts, integrity } = read('a.json');
    const decisions = recordsOf<Decision>(stdout);
    expect(decisions).toHaveLength(6);
    for (const { act, tau, U, action, guarantee, versions } of decisions) {
      const row = acts.find((own) => own.act === act.label)!;
      expect(tau).toBe(row.tau);
      expect(guarantee.sentence).toBe(row.sentence);
      expect(versions.calibration).toBe(integrity);
      if (action === 'ANSWER') expect(U!).toBeLessThanOrEqual(tau!);
    }
    expect(decisions.some(({ action }) => action === 'ANSWER')).toBe(true);
  });

  it('answers nothing where nothing was earned', async () => {
    const decisions = recordsOf<Decision>((await route('risk.json')).stdout);
    expect(decisions.map(({ action }) => action)).not.toContain('ANSWER');
    expect(decisions[0]!.guarantee.sentence).toMatch(/^NOT_CALIBRATED/);
  });

  it('is refused for another policy, budget or index, and after a change by hand, by name', async () => {
    const policy = await route('a.json', '--policy', 'uniform', '--budget.nliPairs', '7');
    expect(policy.code).toBe(78);
    expect(policy.stderr).toContain('another policy, another budget');
    expect(policy.stdout).toBe('');

    writeFileSync(at('edited.json'), readFileSync(at('a.json'), 'utf8').replace('"tau": 0.', '"tau": 0.9'));
    const edited = await route('edited.json');
    expect(edited.code).toBe(78);
    expect(edited.stderr).toContain('it was changed after it was written');

    const glossary = join(DEMO, 'documents/glossary.md');
    expect((await runHere(['index', glossary, '--out', at('other')])).code).toBe(0);
    const other = await runHere(['route', '--index', at('other'), '--calibration', at('a.json')], {
      input: '',
    });
    expect(other.code).toBe(78);
    expect(other.stderr).toContain('another index');
  });
});

describe('what calibrate refuses', () => {
  const failing = async (code: number, message: string, ...args: string[]) => {
    const result = await calibrate('--target', 'coverage', '--level', '0.3', ...args);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(result.stderr).toContain(message);
  };

  it('is a test file that shares a question with what is fitted on', async () => {
    const test = writeLines('test.ndjson', [{ ...labelled[0]!, id: 'x' }]);
    await failing(65, 'share', '--dev', dev, '--test', test, '--out', at('x.json'));
  });

  it('is labels that are all wrong, or none', async () => {
    const wrong = writeLines(
      'wrong.ndjson',
      labelled.map(({ id, query }) => ({ id, query, answers: ['no such thing'] })),
    );
    await failing(65, 'would be answered wrongly', '--dev', wrong, '--out', at('x.json'));
    const none = writeLines(
      'none.ndjson',
      labelled.map(({ id, query }) => ({ id, query })),
    );
    await failing(65, 'says what would be a right answer', '--dev', none, '--out', at('x.json'));
  });

  it('is labels that name no document, where promises are about documents', async () => {
    const { code, stdout, stderr } = await runHere([
      ...['calibrate', '--index', index, '--dev', dev, '--out', at('x.json')],
      ...['--target', 'coverage', '--level', '0.3', '--cache', at('cache')],
    ]);
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' });
    expect(stderr).toContain('26 of 26 labelled queries');
    expect(stderr).toContain('--exchangeable questions');
  });

  it('is an option given twice, where one is meant', async () => {
    await failing(2, '--level was given 2 times', '--level', '0.4', '--dev', dev, '--out', at('x.json'));
  });

  it('is an output that cannot be written, before anything is measured', async () => {
    await failing(69, 'is a folder', '--dev', dev, '--out', folder);
  });

  it('leaves no file behind', () => {
    expect(readdirSync(folder)).not.toContain('x.json');
  });
});
