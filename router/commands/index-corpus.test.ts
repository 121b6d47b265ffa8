import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IndexReport, openIndex } from '../corpus/index.ts';
import { summaryOf } from './index-corpus.ts';
import { runCli, startCli } from './testing/cli.ts';

let dir: string;
let docs: string;
let out: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pragaura-index-'));
  docs = join(dir, 'docs');
  out = join(dir, 'index');
  mkdirSync(docs);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = (name: string, content: string | Uint8Array) => writeFileSync(join(docs, name), content);

describe('pragaura index', () => {
  it('indexes a folder with the real embedder, then brings it up to date', async () => {
    write('pump.md', '# Pump\n\nThe pump moves 40 litres of water a minute.\n');
    write('door.txt', 'The door opens at eight in the morning.');
    const first = await runCli(['index', docs, '--out', out]);
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toContain('2 documents in 2 passages: 2 added, 0 changed, 0 unchanged, 0 removed.');

    write('door.txt', 'The door opens at nine in the morning.');
    const second = await runCli(['index', docs, '--out', out, '--json']);
    expect(second.code).toBe(0);
    const report = JSON.parse(second.stdout) as IndexReport;
    expect(report).toMatchObject({ changed: 1, unchanged: 1, embedded: 1, reused: 1, failed: [] });

    const index = await openIndex(out);
    expect(index.manifest.hash).toBe(report.hash);
    for (let row = 0; row < index.passages.length; row += 1) {
      const vector = index.vectors.subarray(row * index.dimension, (row + 1) * index.dimension);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  it('names what it cannot read, without its control characters, and ends with 65', async () => {
    write('good.txt', 'A good text.');
    write('bad\u001b[31m.pdf', 'no pdf');
    const { code, stderr } = await runCli(['index', docs, '--out', out]);
    expect(code).toBe(65);
    expect(stderr).toContain('Not indexed: 1\n  docs/bad␛[31m.pdf: is not a PDF, or is damaged');
    expect(stderr).not.toContain('\u001b');
    expect((await openIndex(out)).documents).toHaveLength(1);
  });

  it.each<[string, () => string[], number, string]>([
    ['an empty folder', () => [docs, '--out', out], 66, 'There is nothing to index'],
    ['a path that is not there', () => [join(docs, 'x'), '--out', out], 66, 'x: does not exist.'],
    ['a folder that is something else', () => [docs, '--out', dir], 2, 'is not an index and not empty'],
    ['no --out', () => [docs], 2, 'Where to?'],
    ['no path', () => ['--out', out], 2, 'Not enough non-option arguments'],
    [
      '--max-tokens that makes no passage',
      () => [docs, '--out', out, '--max-tokens', '0'],
      2,
      '--max-tokens takes',
    ],
  ])('%s: exit code and one sentence, no stack', async (_, args, code, message) => {
    const ended = await runCli(['index', ...args()]);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(existsSync(out)).toBe(false);
  });

  it('keeps what is declared to be identifiers, tells it, and asks by it', async () => {
    write('pump.md', '# Pump\n\nThe pump of lot 7 moves 40 litres of water a minute.\n');
    const ids = join(dir, 'ids.json');
    writeFileSync(ids, '{"families": ["lot"], "patterns": ["Z/###"]}');
    const said = 'Declared identifiers: lot (1), Z/### (none).';
    const first = await runCli(['index', docs, '--out', out, '--identifiers', ids]);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toContain(said);
    const again = await runCli(['index', docs, '--out', out]);
    expect(again.stderr).toContain(said);
    const doctor = await runCli(['doctor', '--index', out]);
    expect(doctor.stdout).toContain('; declared identifiers: lot (1), Z/### (none)');
    const asked = await runCli(['ask', 'How much does the pump of lot 8 move?', '--index', out, '--json']);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      action: 'ASK',
      clarification: { reason: 'UNKNOWN_IDENTIFIER', suggestions: ['lot 7'] },
    });
    writeFileSync(ids, '{"families": ["lot"], "patterns": ["Z-1"]}');
    const refused = await runCli(['index', docs, '--out', out, '--identifiers', ids]);
    expect(refused).toMatchObject({ code: 78, stdout: '' });
    expect(refused.stderr).toContain('patterns.0: "Z-1" has no "#" and no "@"');
  });

  it('stops on Ctrl-C with 130, and the next run goes on from there', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) =>
      JSON.stringify({ _id: `d${i}`, text: `Door ${i} is ${i} cm wide.` }),
    );
    write('doors.jsonl', lines.join('\n'));
    const child = startCli(['index', docs, '--out', out]);
    const staging = join(out, 'pragaura-staging');
    const vectors = () =>
      existsSync(staging)
        ? readdirSync(staging).reduce((sum, file) => sum + statSync(join(staging, file)).size, 0)
        : 0;
    while (vectors() === 0 && child.process.exitCode === null) await sleep(10);
    child.process.kill('SIGINT');
    const stopped = await child.finished;
    expect(stopped).toMatchObject({ code: 130, stdout: '' });
    expect(stopped.stderr).toContain('Indexing was interrupted.');
    expect(readdirSync(out)).toEqual(['pragaura-staging']);

    const { code, stdout } = await runCli(['index', docs, '--out', out, '--json']);
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as IndexReport;
    expect(report.reused).toBeGreaterThan(0);
    expect(report.reused + report.embedded).toBe(3000);
  });
});

describe('summaryOf', () => {
  const report: IndexReport = {
    schema: 'pragaura.index-report/1',
    dir: '/x',
    hash: 'a'.repeat(64),
    counts: {
      documents: 1,
      passages: 2,
      failed: 0,
      genres: { definition: 0, steps: 0, table: 0, numbers: 0, causal: 0, opinion: 0, narrative: 2 },
    },
    added: 1,
    changed: 0,
    unchanged: 0,
    removed: 0,
    embedded: 2,
    reused: 0,
    failed: [],
    skipped: 0,
    leftOut: [],
    rebuilt: null,
    identifiers: [],
    ms: { read: 1, embed: 1234, write: 1, total: 2345 },
  };

  it('says in two lines what was done', () => {
    expect(summaryOf(report)).toEqual([
      '1 documents in 2 passages: 1 added, 0 changed, 0 unchanged, 0 removed.',
      'Index aaaaaaaaaaaa in /x; 2.3 s, 2 texts embedded in 1.2 s, 0 passages had their vectors.',
    ]);
  });

  it('says what the documents have of what was declared', () => {
    const identifiers = [
      { name: 'BR', members: 2 },
      { name: 'Z/###', members: 0 },
    ];
    expect(summaryOf({ ...report, identifiers })).toContain('Declared identifiers: BR (2), Z/### (none).');
  });

  it('lists at most twenty failures and says how many there are', () => {
    const failed = Array.from({ length: 23 }, (_, i) => ({
      name: `f${i}`,
      code: 'UNREADABLE_DOCUMENT' as const,
      reason: 'is empty',
    }));
    const lines = summaryOf({
      ...report,
      failed,
      skipped: 3,
      rebuilt: 'The index was made with another embedder.',
    });
    expect(lines).toHaveLength(26);
    expect(lines[0]).toBe('Everything was built anew. The index was made with another embedder.');
    expect(lines).toContain('3 files of other kinds were passed over.');
    expect(lines).toContain('Not indexed: 23');
    expect(lines.at(-1)).toBe('  … and 3 more; --json lists all');
  });
});
