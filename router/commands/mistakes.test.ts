/** What the commands do when things are not as they should be: the built command line, real models. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere, startCli } from '../../cli/testing/cli.ts';
import { demoIndex } from '../testing/demo-index.ts';

const DEMO = join(import.meta.dirname, '../demo');
const folder = mkdtempSync(join(tmpdir(), 'pragaura-mistakes-'));
const index = join(folder, 'index');
const lines = readFileSync(join(DEMO, 'queries.ndjson'), 'utf8').trimEnd().split('\n');

beforeAll(() => demoIndex(index));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, files: Record<string, string | Uint8Array>) => {
  const dir = join(folder, name);
  mkdirSync(dir);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(dir, file), content);
  return dir;
};

describe('index', () => {
  it.each([
    ['an empty folder', () => put('empty', {}), 'nothing to index'],
    ['a folder that is not there', () => join(folder, 'nowhere'), 'does not exist'],
    [
      'nothing but a file that is no text',
      () => put('binary', { 'a.md': Uint8Array.of(0, 255, 0, 1) }),
      'a.md',
    ],
  ])('refuses %s and leaves nothing behind', async (name, place, said) => {
    const out = join(folder, `out of ${name}`);
    const { code, stdout, stderr } = await runHere(['index', place(), '--out', out]);
    expect(code).toBe(66);
    expect(stdout).toBe('');
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(existsSync(out)).toBe(false);
  });

  it('names a file that cannot be read, indexes the rest and exits 65', async () => {
    const dir = put('mixed', {
      'bad.pdf': 'no pdf at all',
      'good.md': '# Tea\n\nThe tea is served at four.',
    });
    const { code, stdout, stderr } = await runHere([
      'index',
      dir,
      '--out',
      join(folder, 'mixed-index'),
      '--json',
    ]);
    expect(code).toBe(65);
    expect(stderr).toContain('bad.pdf');
    expect(recordsOf(stdout)[0]).toMatchObject({
      counts: { documents: 1 },
      failed: [{ name: 'mixed/bad.pdf' }],
    });
  });

  it('prints a report that cannot move the cursor', async () => {
    const dir = put('escapes', { 'a.md': '# Tea\n\nAt four.', 'b\u009b31m.pdf': 'no pdf at all' });
    const { stdout } = await runHere(['index', dir, '--out', join(folder, 'escapes-index'), '--json']);
    expect(stdout).not.toContain('\u009b');
    expect(recordsOf(stdout)[0]).toMatchObject({ failed: [{ name: 'escapes/b\u009b31m.pdf' }] });
  });

  it('leaves no index half done when it is interrupted', async () => {
    const pages = Array.from({ length: 400 }, (_, i) => [
      `${i}.txt`,
      `Page ${i}. ${'It says little. '.repeat(60)}`,
    ]);
    const dir = put('large', Object.fromEntries(pages));
    const out = join(folder, 'interrupted');
    const child = startCli(['index', dir, '--out', out]);
    while (!existsSync(join(out, 'pragaura.lock'))) await pause(20);
    child.process.kill('SIGINT');
    const { code, stderr } = await child.finished;
    expect(code).toBe(130);
    expect(stderr).not.toMatch(/\n\s+at /);
    const asked = await runHere(['ask', 'What does it say?', '--index', out]);
    expect(asked.code).toBe(66);
    expect(asked.stderr).toContain('pragaura index');
  });
});

describe('doctor', () => {
  it('finds everything in order', async () => {
    const { code, stdout } = await runCli(['doctor', '--index', index, '--json']);
    const { ok, checks } = JSON.parse(stdout);
    expect(checks.filter((check: { status: string }) => check.status === 'fail')).toEqual([]);
    expect({ ok, code }).toEqual({ ok: true, code: 0 });
    expect(checks.map((check: { check: string }) => check.check)).toEqual(
      expect.arrayContaining([
        ...['node', 'models', 'processor', 'profiles', 'acts', 'index', 'graph', 'memory', 'disk'],
      ]),
    );
    const processor = checks.find((check: { check: string }) => check.check === 'processor');
    expect(processor.detail).toMatch(/^sums in the models are (?:exact|unfused)/);
  });

  it('says what is wrong, one line each, and exits with its code', async () => {
    const files = put('decisions', {
      'terms.csv': 'label,definition\nSeason ticket,A ticket for all days.\n',
      'layers.json': '{"distanse": {"on": false}}',
      'planner.json': '{}',
      'defaults.db': 'no database',
    });
    const file = (option: string, name: string) => [`--${option}`, join(files, name)];
    const { code, stdout } = await runHere([
      'doctor',
      ...['--index', join(folder, 'none'), '--profiles', folder],
      ...[...file('vocabulary', 'terms.csv'), ...file('layers', 'layers.json')],
      ...[...file('planner', 'planner.json'), ...file('defaults', 'defaults.db')],
    ]);
    const failed = stdout.split('\n').filter((line) => line.startsWith('FAIL'));
    expect(failed.map((line) => line.split(/\s+/)[1])).toEqual([
      'profiles',
      'index',
      'layers',
      'planner',
      'defaults',
    ]);
    expect(stdout).toMatch(/^ok +vocabulary +1 concepts/m);
    expect(stdout).toContain('Unrecognized key: "distanse"');
    for (const line of failed) expect(line).toContain(' -> ');
    expect(stdout.trimEnd().split('\n').length).toBeGreaterThan(8);
    expect(code).toBeGreaterThan(0);
  });
});

describe('a damaged index', () => {
  const damage = () => {
    const damaged = mkdtempSync(join(folder, 'damaged-'));
    cpSync(index, damaged, { recursive: true });
    const largest = readdirSync(damaged, { recursive: true, encoding: 'utf8' })
      .map((file) => join(damaged, file))
      .filter((file) => statSync(file).isFile())
      .sort((a, b) => statSync(b).size - statSync(a).size)[0]!;
    truncateSync(largest, Math.floor(statSync(largest).size / 2));
    return damaged;
  };

  it.each(['route', 'ask', 'retrieve'])('is refused by %s with the command that mends it', async (name) => {
    const args = name === 'retrieve' ? ['--branch', 'lexical'] : [];
    const { code, stdout, stderr } = await runHere([name, '--index', damage(), ...args], {
      input: `${lines[0]}\n`,
    });
    expect(code).toBe(66);
    expect(stdout).toBe('');
    expect(stderr).toContain('pragaura index');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('crashes no process whose models still load, however busy the machine', async () => {
    const damaged = damage();
    const asked = await Promise.all(
      Array.from({ length: 6 }, () => runCli(['ask', 'Who?', '--index', damaged])),
    );
    expect(asked.map(({ code }) => code)).toEqual(Array(6).fill(66));
  });
});
