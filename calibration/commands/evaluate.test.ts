/** evaluate and compare from end to end: the built command line, real models, the demo collection and its labels. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere, startCli } from '../../cli/testing/cli.ts';
import { openRouter } from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { Evaluation } from '../evaluation/types.ts';
import { type Labelled, Observation } from '../types.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-evaluate-'));
const at = (name: string) => join(folder, name);
const DEMO = join(import.meta.dirname, '../../router/demo');
const dev = join(DEMO, 'expected.ndjson');
const labelled = recordsOf<Labelled>(readFileSync(dev, 'utf8'));

function writeLines(name: string, records: readonly object[]): string {
  writeFileSync(at(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return at(name);
}

const index = at('index');
const common = ['--index', index, '--cache', at('cache')];
const evaluate = (out: string, test: string, ...args: string[]) =>
  runHere(['evaluate', ...common, '--test', test, '--resamples', '100', '--out', at(out), ...args]);
const metrics = (out: string) =>
  Evaluation.parse(JSON.parse(readFileSync(join(at(out), 'metrics.json'), 'utf8')));

beforeAll(() => demoIndex(index));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('evaluate', () => {
  it('keeps what was measured when it is interrupted, and leaves no report behind', async () => {
    const child = startCli(['evaluate', ...common, '--test', dev, '--out', at('first'), '--threads', '1']);
    const measured = () =>
      readdirSync(folder).includes('cache')
        ? readdirSync(at('cache')).some(
            (name) => readFileSync(join(at('cache'), name), 'utf8').split('\n').length > 3,
          )
        : false;
    while (!measured()) await new Promise((resolve) => setTimeout(resolve, 20));
    child.process.kill('SIGINT');
    const { code, stdout } = await child.finished;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(readdirSync(at('first'))).toEqual([]);
  });

  it('goes on from there, and says that nothing is promised', async () => {
    const { code, stdout, stderr } = await evaluate('first', dev);
    expect(code).toBe(0);
    const [, before, now] = /(\d+) queries measured before, (\d+) now/.exec(stderr)!;
    expect(Number(before)).toBeGreaterThan(0);
    expect(Number(before) + Number(now)).toBe(labelled.length);
    expect(stdout).toContain('NOT_CALIBRATED');
    expect(stdout).not.toContain('Promised and realised');
    const found = metrics('first');
    expect(found.counts.examples).toBe(labelled.length);
    const { ANSWER = 0, ASK = 0, ABSTAIN = 0 } = found.counts.actions;
    expect(ANSWER + ASK + ABSTAIN + found.counts.errors).toBe(labelled.length);
    const lines = recordsOf(readFileSync(join(at('first'), 'observations.ndjson'), 'utf8'));
    expect(lines.map((line) => Observation.parse(line).example.id)).toEqual(labelled.map(({ id }) => id));
  });

  it('writes the same from what it keeps', async () => {
    await evaluate('second', dev);
    for (const name of readdirSync(at('first')))
      expect({
        name,
        same:
          readFileSync(join(at('first'), name), 'utf8') === readFileSync(join(at('second'), name), 'utf8'),
      }).toEqual({ name, same: true });
  });

  it('decides as the router does by the rule about spans', async () => {
    const router = await openRouter({ index, rule: 'provisional' });
    const some = labelled.filter((_, i) => i % 4 === 0);
    const routed = await Promise.all(some.map(({ id, query }) => router.route({ id, query })));
    await router.close();
    const rows: string[][] = parse(readFileSync(join(at('first'), 'queries.csv'), 'utf8'));
    const column = (name: string) => rows[0]!.indexOf(name);
    for (const { id, action, U } of routed) {
      const row = rows.find((cells) => cells[0] === id)!;
      expect({ id, answered: row[column('action')] === 'ANSWER' }).toEqual({
        id,
        answered: action === 'ANSWER',
      });
      expect(row[column('U')]).toBe(U === null ? '' : String(U));
    }
  });

  it('holds a calibration to its promise, on what it was not fitted on', async () => {
    const calibration = at('c.json');
    const fitted = await runHere([
      ...[
        'calibrate',
        ...common,
        '--dev',
        dev,
        '--target',
        'coverage',
        '--level',
        '0.3',
        '--wrong',
        'f1:0.3',
      ],
      ...['--split', '1/1/1', '--exchangeable', 'questions', '--out', calibration],
    ]);
    expect(fitted.code).toBe(0);
    const refused = await evaluate('leaked', dev, '--calibration', calibration);
    expect(refused).toMatchObject({ code: 65, stdout: '' });
    expect(refused.stderr).toContain(`--set-aside ${dev}`);

    // A file that holds but a part of them is no way around.
    const part = await evaluate(
      'leaked',
      writeLines('part.ndjson', labelled.slice(1)),
      '--calibration',
      calibration,
    );
    expect(part).toMatchObject({ code: 65, stdout: '' });
    expect(part.stderr).toContain('share something with what');

    const { code, stdout } = await evaluate('held', dev, '--calibration', calibration, '--set-aside', dev);
    expect(code).toBe(0);
    expect(stdout).toContain('Promised and realised');
    const found = metrics('held');
    expect(found.thresholds).toMatchObject({
      status: 'CALIBRATED',
      promised: { target: 'coverage', level: '0.3' },
    });
    const { splits, acts, global } = JSON.parse(readFileSync(calibration, 'utf8'));
    expect(found.counts.examples).toBe(splits.test.examples);
    // The artifact counted the same queries: what it says of them is what is found here.
    expect(found.overall.coverage).toMatchObject({ k: global.test.coverage.k, of: global.test.coverage.of });
    for (const { act, n, risk } of found.acts)
      expect(acts.find((row: { act: string }) => row.act === act).test).toMatchObject({
        coverage: { of: n },
        risk: { k: risk.k, of: risk.of },
      });
    expect(found.settings.rule).toEqual({ kind: 'f1', least: '0.3' });

    expect(await evaluate('x', dev, '--calibration', calibration, '--wrong', 'em')).toMatchObject({
      code: 2,
    });
    const other = await evaluate(
      'x',
      dev,
      '--calibration',
      calibration,
      '--set-aside',
      dev,
      '--policy',
      'uniform',
    );
    expect(other).toMatchObject({ code: 78, stdout: '' });
    expect(other.stderr).toContain('another policy');
  });

  it('counts what labels do not say', async () => {
    const bare = writeLines('bare.ndjson', [
      { id: 'a', query: labelled[0]!.query },
      { ...labelled[1]!, id: 'b' },
    ]);
    const { code, stdout } = await evaluate('bare', bare);
    expect(code).toBe(0);
    expect(stdout).toContain('1 of 2 have no label');
    expect(metrics('bare').counts.unlabelled).toBe(1);
  });

  it('refuses what is not there, with the code that says so', async () => {
    expect(await evaluate('x', at('missing.ndjson'))).toMatchObject({ code: 66, stdout: '' });
    expect(await evaluate('x', writeLines('empty.ndjson', []))).toMatchObject({ code: 66, stdout: '' });
    expect(await evaluate('x', dev, '--calibration', at('missing.json'))).toMatchObject({
      code: 66,
      stdout: '',
    });
    expect(await evaluate('x', dev, '--wrong', 'f1:5%')).toMatchObject({ code: 2, stdout: '' });
    expect(await evaluate('x', dev, '--test', dev)).toMatchObject({ code: 2, stdout: '' });
    expect(await evaluate('index/CURRENT', dev)).toMatchObject({ code: 69, stdout: '' });
  });
});

describe('compare', () => {
  it('puts evaluations of one test side by side', async () => {
    cpSync(at('second'), at('again'), { recursive: true });
    const { code, stdout } = await runCli(['compare', at('first'), at('again'), '--out', at('compared')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/first \(not calibrated\)/);
    expect(readdirSync(at('compared'))).toContain('frontier.svg');
  });

  it('refuses another test, and a folder that is none', async () => {
    const other = await runHere(['compare', at('first'), at('bare'), '--out', at('x')]);
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(other.stderr).toContain('another test');
    expect(await runHere(['compare', at('first'), folder, '--out', at('x')])).toMatchObject({
      code: 66,
      stdout: '',
    });
  });
});
