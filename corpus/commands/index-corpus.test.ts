import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, runHere, startCli } from '../../cli/testing/cli.ts';
import { type IndexReport, openIndex } from '../index.ts';
import { paceOf, summaryOf } from './index-corpus.ts';

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

  it('takes a document out, and says what it does not have', async () => {
    write('pump.md', 'The pump moves 40 litres of water a minute.');
    write('door.txt', 'The door opens at eight in the morning.');
    await runHere(['index', docs, '--out', out]);
    const { code, stderr } = await runHere(['index', '--out', out, '--remove', 'docs/door.txt', 'docs/x.md']);
    expect(code).toBe(65);
    expect(stderr).toContain('Not removed: 1\n  docs/x.md: is not in the index');
    expect((await openIndex(out)).documents.map(({ docId }) => docId)).toEqual(['docs/pump.md']);
  });

  it('names what it cannot read, without its control characters, and ends with 65', async () => {
    write('good.txt', 'A good text.');
    write('bad\u001b[31m.pdf', 'no pdf');
    const { code, stderr } = await runHere(['index', docs, '--out', out]);
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
    ['no path', () => ['--out', out], 2, 'What is to be indexed?'],
    [
      '--max-tokens that makes no passage',
      () => [docs, '--out', out, '--max-tokens', '0'],
      2,
      '--max-tokens takes',
    ],
  ])('%s: exit code and one sentence, no stack', async (_, args, code, message) => {
    const ended = await runHere(['index', ...args()]);
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
    const first = await runHere(['index', docs, '--out', out, '--identifiers', ids]);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toContain(said);
    const again = await runHere(['index', docs, '--out', out]);
    expect(again.stderr).toContain(said);
    const doctor = await runHere(['doctor', '--index', out]);
    expect(doctor.stdout).toContain('; declared identifiers: lot (1), Z/### (none)');
    const asked = await runHere(['ask', 'How much does the pump of lot 8 move?', '--index', out, '--json']);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      action: 'ASK',
      clarification: { reason: 'UNKNOWN_IDENTIFIER', suggestions: ['lot 7'] },
    });
    writeFileSync(ids, '{"families": ["lot"], "patterns": ["Z-1"]}');
    const refused = await runHere(['index', docs, '--out', out, '--identifiers', ids]);
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
    expect(readdirSync(out).sort()).toEqual(['CURRENT', 'generation-000001', 'pragaura-staging']);

    const { code, stdout } = await runHere(['index', docs, '--out', out, '--json']);
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as IndexReport;
    expect(report.reused).toBeGreaterThan(0);
    expect(report.reused + report.embedded).toBe(3000);
  });
});

it('ends with words alone where nobody waits, and answers by them from then on', async () => {
  const lines = Array.from({ length: 100 }, (_, i) =>
    JSON.stringify({
      _id: `d${i}`,
      title: `Door ${i}`,
      text: `The door of hall ${i} is ${i + 200} cm wide.`,
    }),
  );
  write('doors.jsonl', lines.join('\n'));
  const words = await runHere(['index', docs, '--out', out, '--no-wait']);
  expect(words).toMatchObject({ code: 0, stdout: '' });
  expect(words.stderr).toMatch(/Words can be searched now, after \d+\.\d s\./);
  expect(words.stderr).toContain('Searched by words alone: 100 passages have no vector yet.');
  const asked = await runHere(['ask', 'How wide is the door of hall 42?', '--index', out, '--json']);
  const { caveats, evidence } = JSON.parse(asked.stdout);
  expect(caveats).toContain('Vectors are still being made: searched by words alone.');
  expect(evidence[0].docId).toBe('d42');
  const doctor = await runHere(['doctor', '--index', out]);
  expect(doctor.stdout).toContain('its vectors are still being made: searched by words alone');
  const rest = await runHere(['index', docs, '--out', out, '--json']);
  expect(JSON.parse(rest.stdout)).toMatchObject({ embedded: 100, pending: 0, unchanged: 100 });
  expect((await openIndex(out)).manifest.pending).toBeUndefined();
});

describe('summaryOf', () => {
  const report: IndexReport = {
    schema: 'pragaura.index-report/1',
    dir: '/x',
    generation: 'generation-000001',
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
    unknown: [],
    embedded: 2,
    reused: 0,
    pending: 0,
    failed: [],
    skipped: 0,
    leftOut: [],
    hidden: [],
    rebuilt: null,
    graph: null,
    identifiers: [],
    ms: { read: 1, words: null, embed: 1234, inside: 1111, write: 1, total: 2345 },
  };

  it('says in two lines what was done', () => {
    expect(summaryOf(report)).toEqual([
      '1 documents in 2 passages: 1 added, 0 changed, 0 unchanged, 0 removed.',
      'Index aaaaaaaaaaaa in /x; 2.3 s, 2 texts embedded in 1.2 s (1.6 a second, 90 % of the time inside ONNX Runtime), ' +
        '0 passages had their vectors.',
    ]);
  });

  it('says what the documents have of what was declared', () => {
    const identifiers = [
      { name: 'BR', members: 2 },
      { name: 'Z/###', members: 0 },
    ];
    expect(summaryOf({ ...report, identifiers })).toContain('Declared identifiers: BR (2), Z/### (none).');
  });

  it('says that vectors are missing, and how to have them made', () => {
    const words = {
      ...report,
      embedded: 0,
      pending: 2,
      ms: { ...report.ms, words: 400, embed: 0, inside: null },
    };
    const lines = summaryOf(words);
    expect(lines[1]).toContain('0 texts embedded, 0 passages');
    expect(lines).toContain(
      'Searched by words alone: 2 passages have no vector yet. The same command without --no-wait makes them.',
    );
  });

  it('says what became of the graph', () => {
    expect(summaryOf({ ...report, graph: { edges: 9, embedded: 2 } }).at(-1)).toBe(
      'Graph: 9 statements, 2 of them validated anew.',
    );
    expect(summaryOf({ ...report, graph: { problem: 'It is damaged.' } }).at(-1)).toBe(
      'The graph is left out: It is damaged. Build it again: pragaura graph --index /x',
    );
  });

  it('says whose hidden text was left out', () => {
    const first = { kind: 'without ink' as const, text: 'The toll is nine.', position: 'p. 3' };
    const lines = summaryOf({ ...report, hidden: [{ name: 'a.pdf', count: 3, first }] });
    expect(lines.slice(-2)).toEqual([
      'Hidden text left out of: 1',
      '  a.pdf: without ink at p. 3: "The toll is nine.", and 2 more',
    ]);
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

describe('paceOf', () => {
  it('goes by the work that is done, not by the number of passages', () => {
    expect(paceOf(100, 0.5, 10_000)).toBe('10 a second, 10 s left');
    expect(paceOf(5, 0.05, 5_000)).toBe('1.0 a second, 1 min 35 s left');
    expect(paceOf(7, 1, 1_000)).toBe('7.0 a second, 0 s left');
  });

  it('says nothing while there is nothing to go by', () => {
    for (const [done, share, ms] of [
      [0, 0, 0],
      [3, 0, 10],
      [0, 0.5, 10],
      [3, Number.NaN, 10],
    ] as const) {
      expect(paceOf(done, share, ms)).toBe('');
    }
  });
});
