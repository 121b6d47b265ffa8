/** The commands from end to end: the built command line, real models, the demo collection. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere, runShell, startCli } from '../../cli/testing/cli.ts';
import { PragauraError } from '../../common/index.ts';
import { COUNTED_UNITS } from '../../profiles/index.ts';
import { Decision, ErrorRecord } from '../contracts.ts';
import { openRouter } from '../index.ts';
import { runAsk } from './ask-run.ts';

const DEMO = join(import.meta.dirname, '../demo');
const folder = mkdtempSync(join(tmpdir(), 'pragaura-commands-'));
const index = join(folder, 'index');
const queries = readFileSync(join(DEMO, 'queries.ndjson'), 'utf8');
const lines = queries.trimEnd().split('\n');
/** Every fourth, where what they are decided beside is the point. */
const isFew = (_: unknown, i: number) => i % 4 === 0;
const few = lines.filter(isFew);

/** A decision without what a clock says. */
function timeless(decision: Decision): string {
  const { timings: _, receipt, ...rest } = decision;
  const stages = receipt.stages.map(({ ms: __, ...stage }) => stage);
  const { ms: ___, ...spent } = receipt.spent;
  return JSON.stringify({ ...rest, receipt: { budget: receipt.budget, spent, stages } });
}

/** Ids of the decisions that differ in anything but time; short where whole decisions would flood the report. */
function differing(some: readonly Decision[], others: readonly Decision[]): string[] {
  expect(some.length).toBe(others.length);
  return some.filter((d, i) => timeless(d) !== timeless(others[i]!)).map((d) => d.id);
}

const byId = (a: Decision, b: Decision) => (a.id < b.id ? -1 : 1);

const route = (input: string | Uint8Array, ...args: string[]) =>
  runHere(['route', '--index', index, ...args], { input });

beforeAll(async () => {
  const { code, stderr } = await runHere(['index', join(DEMO, 'documents'), '--out', index]);
  expect(stderr).toContain('Index ');
  expect(code).toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('route', () => {
  let inOrder: Decision[];

  beforeAll(async () => {
    const args = ['route', '--index', index, '--window', '16', '--threads', '2'];
    const { code, stdout, stderr } = await runCli(args, { input: queries });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    inOrder = recordsOf(stdout).map((record) => Decision.parse(record));
  });

  it('decides every query in input order, within the budget, with all three actions', () => {
    expect(inOrder.map((d) => d.id)).toEqual(lines.map((line) => JSON.parse(line).id));
    expect(new Set(inOrder.map((d) => d.action))).toEqual(new Set(['ANSWER', 'ASK', 'ABSTAIN']));
    for (const { receipt, action, answer, evidence, guarantee } of inOrder) {
      for (const unit of COUNTED_UNITS) {
        const spent = receipt.stages.reduce((sum, stage) => sum + stage.spent[unit], 0);
        expect(receipt.spent[unit]).toBe(spent);
        expect(spent).toBeLessThanOrEqual(receipt.budget[unit]);
      }
      expect(guarantee.status).toBe('NOT_CALIBRATED');
      expect(answer !== undefined).toBe(action === 'ANSWER');
      if (!answer) continue;
      for (const { passageId, text, start, end } of answer.quotes) {
        const source = evidence.find((e) => e.passageId === passageId)!;
        expect(source.text.slice(start - source.start, end - source.start)).toBe(text);
      }
    }
  });

  it('gives the same bytes at window 1 and with one thread, and the same decisions unordered', async () => {
    const expected = inOrder.filter(isFew);
    expect(new Set(expected.map((d) => d.action))).toEqual(new Set(['ANSWER', 'ASK', 'ABSTAIN']));
    const input = `${few.join('\n')}\n`;
    const one = await route(input, '--window', '1', '--threads', '1');
    expect(differing(recordsOf(one.stdout), expected)).toEqual([]);
    const unordered = await route(input, '--unordered');
    expect(differing(recordsOf<Decision>(unordered.stdout).sort(byId), expected.sort(byId))).toEqual([]);
  });

  it('decides as the library does, and as ask does', async () => {
    const router = await openRouter({ index });
    try {
      const decisions = await Promise.all(few.map((line) => router.route(JSON.parse(line))));
      expect(differing(decisions, inOrder.filter(isFew))).toEqual([]);
    } finally {
      await router.close();
    }
    const { query } = JSON.parse(lines[2]!);
    const asked = await runHere(['ask', query, '--index', index, '--json']);
    expect(asked.stderr).toBe('');
    const [decision] = recordsOf<Decision>(asked.stdout);
    expect(differing([{ ...decision!, id: inOrder[2]!.id }], [inOrder[2]!])).toEqual([]);
  });

  it('adds what led to a decision', async () => {
    const { code, stdout } = await route(`${lines[0]}\n`, '--explain', '--policy', 'uniform');
    const [{ explanation, ...decision }] = recordsOf<{ explanation: Record<string, unknown> }>(stdout) as [
      { explanation: Record<string, unknown> },
    ];
    expect(code).toBe(0);
    expect(Decision.parse(decision).id).toBe('d01');
    expect(explanation).toMatchObject({ policy: 'uniform', blendedFrom: [{ act: 'UNIFORM', weight: 1 }] });
    expect(explanation.branches).not.toEqual([]);
  });

  it('gives each bad line its error record, does the rest and exits 65', async () => {
    const input = Buffer.concat([
      Buffer.from('\ufeff{"id":"bom","query":"Who leads the platform team?"}\r\n\r\n'),
      Buffer.from('{"id":"no-query"}\r\n'),
      Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
      Buffer.from('{"id":7,"query":"x","nonsense":1}\n{"query":"When was the FTP feed switched off?"}\n'),
      Buffer.from(`{"id":"same","query":"${'\\u200b'.repeat(9)}"}\n`.repeat(10)),
      Buffer.from('not json'),
    ]);
    const { code, stdout, stderr } = await route(input);
    expect(code).toBe(65);
    const records = recordsOf(stdout);
    const bad = records.filter((r) => r.schema === 'pragaura.error/1').map((r) => ErrorRecord.parse(r));
    expect(bad.map((r) => [r.line, r.id, r.error.code])).toEqual([
      [3, 'no-query', 'INVALID_INPUT'],
      [4, null, 'INVALID_INPUT'],
      [5, '7', 'INVALID_INPUT'],
      [17, null, 'INVALID_INPUT'],
    ]);
    expect(records.map((r) => r.id)).toEqual([
      'bom',
      'no-query',
      null,
      '7',
      'line-6',
      ...Array(10).fill('same'),
      null,
    ]);
    expect(stderr).toContain('9 queries repeat an id');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('decides odd queries sensibly', async () => {
    const odd: Record<string, string> = {
      megabyte: 'backup '.repeat(150_000),
      'one word of a megabyte': 'a'.repeat(1_048_576),
      empty: '',
      blank: ' \t\n ',
      'zero-width': '\u200b\u200d\ufeff\u2060',
      emoji: '🧿',
      'stop words': 'what is the of and',
      surrogate: '\ud800 battery',
      special: '[SEP] [CLS] </s> who leads the platform team [MASK]',
      prototype: '__proto__ constructor toString',
      control: '\u0000\u001b[2J\u0007',
      regexp: '(a+)+$ .* \\1',
      'bidi and tags': '\u202eBackups\u202c \u{e0041}\u{e0042}',
    };
    const input = Object.entries(odd).map(([id, query]) => JSON.stringify({ id, query }));
    const { code, stdout, stderr } = await route(`${input.join('\n')}\n`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const decisions = new Map(recordsOf(stdout).map((r) => [r.id, Decision.parse(r)]));
    expect([...decisions.keys()]).toEqual(Object.keys(odd));
    for (const id of [
      'empty',
      'blank',
      'zero-width',
      'emoji',
      'stop words',
      'control',
      'one word of a megabyte',
    ]) {
      const { action, clarification, abstention } = decisions.get(id)!;
      expect([id, action]).not.toEqual([id, 'ANSWER']);
      expect((clarification ?? abstention)!.message).not.toBe('');
    }
    for (const id of ['empty', 'blank', 'zero-width']) {
      expect(decisions.get(id)!.receipt.spent).toMatchObject({ docsScored: 0, rerankPairs: 0 });
    }
  });

  it('spends no more than it is given', async () => {
    const budget = ['--budget.docsScored', '4', '--budget.rerankPairs', '2', '--budget.nliPairs', '0'];
    const { code, stdout } = await route(`${lines.slice(0, 3).join('\n')}\n`, ...budget);
    expect(code).toBe(0);
    const decisions = recordsOf<Decision>(stdout);
    expect(decisions.length).toBe(3);
    for (const { receipt } of decisions) {
      expect(receipt.budget).toMatchObject({ docsScored: 4, rerankPairs: 2, nliPairs: 0 });
      expect(receipt.spent.docsScored).toBeLessThanOrEqual(4);
      expect(receipt.spent.rerankPairs).toBeLessThanOrEqual(2);
      expect(receipt.spent.nliPairs).toBe(0);
    }
  });

  it.each<[string, string[], object | null, NodeJS.ProcessEnv]>([
    ['a nested setting with a hyphen', [], { budget: { 'rerank-pairs': 2 } }, {}],
    [
      'the command line over both',
      ['--budget.rerank-pairs', '2'],
      { budget: { rerankPairs: 9 } },
      { PRAGAURA_BUDGET__RERANK_PAIRS: '8' },
    ],
  ])('takes a budget from %s, and others beside it', async (_, args, settings, env) => {
    const cwd = mkdtempSync(join(folder, 'budget-'));
    if (settings) writeFileSync(join(cwd, 'pragaura.config.json'), JSON.stringify(settings));
    const { code, stdout, stderr } = await runHere(
      ['route', '--index', index, '--budget.nliPairs', '1', ...args],
      {
        input: '{"id":"q","query":""}\n',
        cwd,
        env,
      },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [{ receipt }] = recordsOf<Decision>(stdout) as [Decision];
    expect(receipt.budget).toMatchObject({ rerankPairs: 2, nliPairs: 1 });
  });

  it('is quiet when its reader leaves and when there is nothing to read', async () => {
    writeFileSync(join(folder, 'many.ndjson'), queries.repeat(40));
    const line = `$PRAGAURA route --index index --window 4 < many.ndjson | head -n 1; echo "codes \${PIPESTATUS[*]}"`;
    const { stdout, stderr } = await runShell(line, { cwd: folder });
    expect(stdout).toMatch(/^\{"schema":"pragaura.decision\/4","id":"d01".*\}\ncodes 0 0\n$/);
    expect(stderr).not.toMatch(/Error|EPIPE/);
    expect(await runCli(['route', '--index', index])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('finishes what is in flight on the first SIGINT', async () => {
    const child = startCli(['route', '--index', index, '--window', '4']);
    child.process.stdin.write(queries);
    await child.until(({ stdout }) => stdout.includes('\n'));
    child.process.kill('SIGINT');
    const { code, stdout, stderr } = await child.finished;
    expect(code).toBe(130);
    expect(stderr).toContain('SIGINT');
    const ids = recordsOf<Decision>(stdout).map((d) => Decision.parse(d).id);
    expect(ids).toEqual(inOrder.slice(0, ids.length).map((d) => d.id));
  });

  it('stops at once on the second', async () => {
    const child = startCli(['route', '--index', index, '--window', '16']);
    child.process.stdin.write(queries.repeat(20));
    await child.until(({ stdout }) => stdout.includes('\n'));
    child.process.kill('SIGINT');
    await child.until(({ stderr }) => stderr.includes('SIGINT'));
    child.process.kill('SIGINT');
    const { code, stdout } = await child.finished;
    expect(code).toBe(130);
    for (const record of stdout.split('\n').slice(0, -1)) Decision.parse(JSON.parse(record));
  });
});

describe('ask', () => {
  const ask = (args: string[], input = '', run = runHere) =>
    run(['ask', '--index', index, ...args], { input });

  it('shows the answer in its evidence with its place, and no colour in a pipe', async () => {
    const { code, stdout, stderr } = await ask(['Where are the backups stored?'], '', runCli);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Answer: .*town hall/);
    expect(stdout).toMatch(/^ {2}documents\/decisions\/ADR-0010-backups-at-aldmere\.md:\d+:\d+ {2}/m);
    expect(stdout).not.toContain('\u001b');
  });

  it('is coloured for a terminal', async () => {
    const env = { FORCE_COLOR: '1' };
    const { stdout } = await runHere(['ask', '--index', index, 'Where are the backups stored?'], { env });
    expect(stdout.replace('32min the', '32mthe')).toContain(
      '\u001b[1m\u001b[32mthe basement of the town hall',
    );
  });

  it('takes the question from a pipe, with "-" and without', async () => {
    const given = await ask(['Who leads the platform team?']);
    expect((await ask(['-'], 'Who leads the platform team?\n', runCli)).stdout).toBe(given.stdout);
    expect((await ask([], '\ufeffWho leads the platform team?\r\n')).stdout).toBe(given.stdout);
    expect((await ask(['Who', 'leads', 'the', 'platform', 'team?'])).stdout).toBe(given.stdout);
  });

  it('takes a question that looks like an option after "--"', async () => {
    const { code, stdout } = await ask(['--json', '--', '--budget of the platform team?', '-x']);
    expect(code).toBe(0);
    expect(recordsOf(stdout)[0]).toMatchObject({ query: '--budget of the platform team? -x' });
  });

  it('asks back about an identifier that exists nowhere, with some that do', async () => {
    const { code, stdout } = await ask(['What does ADR-0050 say about caching?']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Question back: .*ADR-0050/);
    expect(stdout).toMatch(/\n {2}1\. ADR-00(0\d|1[0-2]) \([A-Z].+\)\n/);
  });

  it('gives each question an id of its own where defaults are learned: a vote counts once for an id', async () => {
    const store = ['--defaults', join(folder, 'ask.db'), '--tenant', 'acme'];
    const ids = [];
    for (const more of [[], store, store]) {
      const { stdout } = await ask(['--json', 'Who leads the platform team?', ...more]);
      ids.push(recordsOf<Decision>(stdout)[0]!.id);
    }
    expect(ids[0]).toBe('ask');
    expect(new Set(ids).size).toBe(3);
  });

  it('takes the turns before the question from a file, and decides as the library and a stream do', async () => {
    const history = [
      { role: 'user' as const, text: 'What is the barometer BR-1 for?' },
      { role: 'assistant' as const, text: 'It measures air pressure.' },
    ];
    const file = join(folder, 'turns.json');
    writeFileSync(file, JSON.stringify(history));
    const query = { id: 'ask', query: 'How often is it calibrated?', history };
    const shown = await ask([query.query, '--history', file]);
    expect(shown.stdout).toMatch(/^Understood as: How often is BR-1 calibrated\?\n/);
    const [asked] = recordsOf<Decision>((await ask([query.query, '--history', file, '--json'])).stdout);
    const [streamed] = recordsOf<Decision>(
      (await runHere(['route', '--index', index], { input: `${JSON.stringify(query)}\n` })).stdout,
    );
    const router = await openRouter({ index });
    try {
      expect(differing([asked!, streamed!], [await router.route(query), asked!])).toEqual([]);
    } finally {
      await router.close();
    }
    writeFileSync(file, '[{"role": "robot", "text": "x"}]');
    expect((await ask([query.query, '--history', file])).code).toBe(65);
    writeFileSync(file, '[');
    expect((await ask([query.query, '--history', file])).code).toBe(78);
  });

  it('goes on with --chat, each line a turn that the ones before are the history of', async () => {
    const lines = 'Who leads the platform team?\n\nAnd the data team?\n';
    const { code, stdout, stderr } = await ask(['--chat', '--json'], lines);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [first, second, ...rest] = recordsOf<Decision>(stdout);
    expect(rest).toEqual([]);
    expect(second!.selfContained?.text).toBe('Who leads the data team?');
    const history = [
      { role: 'user', text: first!.query },
      { role: 'assistant', text: first!.answer!.claim },
    ];
    const input = `${JSON.stringify({ id: 'ask', query: 'And the data team?', history })}\n`;
    const [routed] = recordsOf<Decision>((await runHere(['route', '--index', index], { input })).stdout);
    expect(differing([second!], [routed!])).toEqual([]);
    const given = await ask(['--chat', 'Who leads the platform team?'], 'And the data team?');
    expect(given.stdout).toContain('\nUnderstood as: Who leads the data team?\n');
    expect((await ask(['--chat'], '\n')).code).toBe(2);
    expect(
      (await runHere(['ask', '--chat', '--index', index], { input: Buffer.from([0xff, 10]) })).code,
    ).toBe(65);
  });

  it('waits on a terminal for the answer to its question, and goes on with it', async () => {
    const typed = Object.assign(new PassThrough(), { isTTY: true });
    let shown = '';
    const stdout = {
      isTTY: true,
      write: (text: string) => {
        shown += text;
        if (text.includes('Your answer')) typed.write('ADR-0010\n');
      },
    };
    const options = { router: { index }, history: undefined, json: false, explain: false, chat: false };
    const signal = new AbortController().signal;
    const stdin = typed as never;
    await runAsk({ ...options, question: ['Where are backups stored by ADR-0050?'], signal, stdin, stdout });
    expect(shown).toMatch(
      /Question back:[\s\S]*ADR-0050[\s\S]*Your answer \(Enter to leave\): [\s\S]*stored by ADR-0010\?[\s\S]*Answer:/,
    );
    expect(typed.destroyed).toBe(true);
  });

  it('leaves a terminal at an empty line and at a signal', async () => {
    for (const [end, code] of [
      ['\n', null],
      [null, 'ABORTED'],
    ] as const) {
      const stdin = Object.assign(new PassThrough(), { isTTY: true });
      const stop = new AbortController();
      const write = (text: string) => {
        if (!text.includes('Your answer')) return;
        if (end === null) stop.abort(new PragauraError('ABORTED', 'Interrupted.'));
        else stdin.write(end);
      };
      const options = { router: { index }, history: undefined, json: false, explain: false, chat: false };
      const run = runAsk({
        ...options,
        question: ['What does ADR-0050 say?'],
        signal: stop.signal,
        stdin: stdin as never,
        stdout: { isTTY: true, write },
      });
      expect(
        await run.then(
          () => null,
          (error) => error.code,
        ),
      ).toBe(code);
    }
  });

  it('explains', async () => {
    const { stdout } = await ask(['--explain', 'How much does the Gullbox cost?']);
    for (const heading of ['Act: ', 'Allocation: ', 'Branches', 'Signals', 'Receipt', 'Versions']) {
      expect(stdout).toContain(`\n${heading}`);
    }
  });

  it.each([
    ['nothing', [], '', 2],
    ['no text', ['-'], Buffer.from([0xff, 0xfe, 0x41]), 65],
    ['three megabytes', [], 'why '.repeat(750_000), 65],
  ])('refuses %s as a question', async (_, args, input, expected) => {
    const { code, stdout, stderr } = await runHere(['ask', '--index', index, ...args], { input });
    expect(code).toBe(expected);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^pragaura: /);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('other commands', () => {
  it('classify names the act of each query', async () => {
    const { code, stdout } = await runHere(['classify'], { input: queries });
    expect(code).toBe(0);
    const records = recordsOf<{ id: string; label: string; probabilities: Record<string, number> }>(stdout);
    expect(records.map((r) => r.id)).toEqual(lines.map((line) => JSON.parse(line).id));
    for (const { label, probabilities } of records) {
      expect(probabilities[label]).toBe(Math.max(...Object.values(probabilities)));
    }
  });

  it('retrieve writes a run', async () => {
    const { code, stdout } = await runHere(['retrieve', '--index', index, '--branch', 'fused'], {
      input: queries,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^d01 Q0 \S+ 1 \d/);
  });

  it('retrieve answers while its input stays open, and stops at once on the second SIGINT', async () => {
    const child = startCli(['retrieve', '--index', index, '--branch', 'fused']);
    child.process.stdin.write(`${lines[0]}\n`);
    await child.until(({ stdout }) => stdout.includes('\n'));
    child.process.stdin.write(queries.repeat(20));
    await child.until(({ stdout }) => stdout.includes('\nd02 '));
    child.process.kill('SIGINT');
    await child.until(({ stderr }) => stderr.includes('SIGINT'));
    child.process.kill('SIGINT');
    expect((await child.finished).code).toBe(130);
  });

  it('retrieve tells a bad line on standard error only, and refuses a folder as its input', async () => {
    const bad = await runHere(['retrieve', '--index', index, '--branch', 'lexical'], {
      input: `nope\n${lines[0]}\n`,
    });
    expect(bad.code).toBe(65);
    expect(bad.stdout).toMatch(/^d01 Q0 /);
    expect(bad.stderr).toMatch(/^pragaura: line 1: .*jq/);
    const { code, stdout, stderr } = await runShell('$PRAGAURA retrieve --index index --branch lexical < .', {
      cwd: folder,
    });
    expect({ code, stdout }).toEqual({ code: 66, stdout: '' });
    expect(stderr).toContain('is a folder');
  });

  it('score finds a contradiction', async () => {
    const pair = {
      id: 'p',
      premise: 'The mast is closed in winter.',
      hypothesis: 'The mast is open in winter.',
    };
    const { code, stdout } = await runHere(['score', 'nli'], { input: `${JSON.stringify(pair)}\n` });
    expect(code).toBe(0);
    const [record] = recordsOf<{ contradiction: number }>(stdout);
    expect(record!.contradiction).toBeGreaterThan(0.5);
  });
});
