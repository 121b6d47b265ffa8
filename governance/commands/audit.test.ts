/** Decisions on a log, from end to end: the built command line, real models, the demo collection. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, recordsOf, runCli, runHere, runShell } from '../../cli/testing/cli.ts';
import { openDefaults } from '../../conversation/defaults/index.ts';
import type { Decision } from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { decisionEvent, decisionHash, type Entry, verifyLog } from '../audit/index.ts';

const DEMO = join(import.meta.dirname, '../../router/demo');
const folder = mkdtempSync(join(tmpdir(), 'pragaura-audited-'));
const index = join(folder, 'index');
const file = join(folder, 'audit.log');
const queries = readFileSync(join(DEMO, 'queries.ndjson'), 'utf8').split('\n').slice(0, 6).join('\n');
const audit = (...args: string[]) => runHere(['audit', ...args, '--audit', file]);
const route = (...args: string[]) => runHere(['route', '--index', index, ...args], { input: queries });

beforeAll(() => demoIndex(index));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('decisions with --audit', () => {
  let decisions: Decision[];

  it('say which learned default was in effect and how sure it was, and not its words', async () => {
    const store = await openDefaults({ file: join(folder, 'defaults.db'), create: true });
    const said = { tenant: 't', need: { field: 'plan' }, conditions: {}, at: 1 };
    for (let n = 0; n < 6; n++) store.learn({ ...said, signal: 'explicit_yes', value: 'gold plan' });
    const use = store.resolve({ field: 'plan' }, {}, 't', 1);
    store.close();
    const by = { id: 'public', roles: [], via: 'none' as const };
    const { detail } = decisionEvent({ ...decisions[0]!, defaults: [use] }, by);
    expect(detail.defaults).toEqual([
      {
        id: use.default.id,
        outcome: 'APPLIED',
        reason: 'LEARNED',
        confidence: use.default.confidence,
        asOf: 6,
        used: createHash('sha256').update('gold plan').digest('hex'),
      },
    ]);
  });

  beforeAll(async () => {
    const { code, stdout, stderr } = await route('--audit', file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    decisions = recordsOf(stdout) as unknown as Decision[];
  });

  it('are the same as without, and each is on the log', async () => {
    const without = recordsOf((await route()).stdout) as unknown as Decision[];
    expect(decisions.map(decisionHash)).toEqual(without.map(decisionHash));
    const { code, stdout } = await audit('export', '--kind', 'decision.made');
    expect(code).toBe(0);
    const events = recordsOf<Entry & { type: 'event' }>(stdout).map(({ event }) => event);
    const byId = new Map(events.map((event) => [event.about, event]));
    expect(events.length).toBe(decisions.length);
    for (const decision of decisions) {
      const { by, detail } = byId.get(decision.id)!;
      expect(by).toEqual({ id: 'public', roles: ['public'], via: 'none' });
      expect(detail).toMatchObject({
        decision: decisionHash(decision),
        action: decision.action,
        U: decision.U,
      });
      expect(detail.versions).toMatchObject(decision.versions);
      expect((detail.quotes as unknown[]).length).toBe(decision.answer?.quotes.length ?? 0);
    }
    expect(events.some(({ detail }) => (detail.quotes as unknown[]).length > 0)).toBe(true);
    expect(events.map(({ detail }) => detail.defaults)).toEqual(events.map(() => []));
    // Of what was asked and said the log holds hashes.
    for (const { query } of decisions) expect(readFileSync(file, 'utf8')).not.toContain(query);
  });

  it('can be traced, by id and as they were given out, and that is on the log', async () => {
    const [first] = decisions;
    const byId = await audit('trace', first!.id);
    expect(recordsOf(byId.stdout)).toMatchObject([{ event: { about: first!.id } }]);
    const given = await runCli(['audit', 'trace', '--audit', file], { input: JSON.stringify(first) });
    expect(given.stdout).toBe(byId.stdout);
    const changed = JSON.stringify({ ...first, U: 0.123 });
    expect(await runHere(['audit', 'trace', '-', '--audit', file], { input: changed })).toMatchObject({
      code: 1,
      stdout: '',
    });
    const traces = recordsOf<Entry & { type: 'event' }>(
      (await audit('export', '--kind', 'log.traced')).stdout,
    );
    expect(traces.map(({ event }) => event.detail.found)).toEqual([1, 1, 0]);
  });

  it('of ask are there too, and verify says so with what was kept elsewhere', async () => {
    const pem = join(folder, 'audit.pem');
    const checkpoint = join(folder, 'checkpoint.json');
    writeFileSync(pem, (await audit('keys')).stdout);
    writeFileSync(checkpoint, (await audit('checkpoint')).stdout);
    const asked = await runHere([
      'ask',
      '--json',
      'How long are raw observations kept?',
      '--index',
      index,
      '--audit',
      file,
    ]);
    expect(recordsOf((await audit('trace', 'ask')).stdout)).toMatchObject([
      { event: { detail: { decision: decisionHash(JSON.parse(asked.stdout)) } } },
    ]);
    const verified = await audit('verify', '--public-key', pem, '--checkpoint', checkpoint);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toMatch(/^Whole/);
    expect(verified.stdout).toContain('(given)');
  });

  it('are not given out where they cannot be recorded: no folder, a full disk, a log that was changed', async () => {
    const nowhere = await route('--audit', join(folder, 'none', 'a.log'), '--audit-key', join(folder, 'k'));
    expect(nowhere).toMatchObject({ code: 69, stdout: '' });
    expect(nowhere.stderr).toContain('does not exist');

    // No file may be longer than 3 KiB: the first decisions fit, the others do not.
    const small = join(folder, 'small.log');
    const command = `$PRAGAURA audit keys --audit ${small} > /dev/null; ulimit -f 3; $PRAGAURA route --window 1 --index ${index} --audit ${small} | cat`;
    const full = await runShell(`set -o pipefail; ${command}`, { input: queries });
    expect(full.code).toBe(69);
    const records = recordsOf<{ schema: string; error?: { code: string } }>(full.stdout);
    const given = records.filter(({ schema }) => schema.startsWith('pragaura.decision/'));
    const failed = records.filter(({ error }) => error?.code === 'AUDIT_FAILED');
    expect(failed.length).toBeGreaterThan(0);
    expect(given.length + failed.length).toBe(6);
    // What failed was taken back, so that the log is whole and holds what was given out, and nothing else.
    const report = await verifyLog(small);
    expect(report).toMatchObject({ verdict: 'whole', events: given.length + 1 });

    const changed = join(folder, 'changed.log');
    writeFileSync(changed, readFileSync(file, 'utf8').slice(0, -3));
    const refused = await route('--audit', changed, '--audit-key', `${file}.key`);
    expect(refused).toMatchObject({ code: 66, stdout: '' });
    const key = await route('--audit-key', `${file}.key`);
    expect(key).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('pragaura audit', () => {
  it('says of a log that was changed where, and exports nothing of it', async () => {
    const other = join(folder, 'other.log');
    const at = (...args: string[]) =>
      runHere(['audit', ...args, '--audit', other, '--audit-key', `${file}.key`]);
    writeFileSync(other, readFileSync(file, 'utf8').replace('"decision.made"', '"decision.mode"'));
    const { code, stdout } = await at('verify');
    expect(code).toBe(1);
    expect(stdout).toContain('TAMPERED WITH: line ');
    for (const command of [['export'], ['checkpoint'], ['trace', 'q1'], ['recover']]) {
      expect(await at(...command)).toMatchObject({ code: 66, stdout: '' });
    }
    expect(JSON.parse((await at('verify', '--json')).stdout)).toMatchObject({ verdict: 'tampered' });
  });

  it('mends what a crash cut', async () => {
    const cut = join(folder, 'cut.log');
    const at = (...args: string[]) =>
      runHere(['audit', ...args, '--audit', cut, '--audit-key', `${file}.key`]);
    writeFileSync(cut, readFileSync(file));
    truncateSync(cut, readFileSync(cut).length - 7);
    expect(await at('verify')).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Cut/) });
    expect(await at('recover')).toMatchObject({ code: 0, stdout: expect.stringContaining('were taken off') });
    expect(await at('verify')).toMatchObject({ code: 0 });
    expect(await at('recover')).toMatchObject({ code: 0, stdout: 'Nothing to mend.\n' });
    appendFileSync(cut, '{"at":"2026');
    expect(await at('checkpoint')).toMatchObject({ code: 66, stdout: '' });
  });

  it('knows a log, a key and a moment that are none', async () => {
    expect(await runCli(['audit', 'verify', '--audit', join(folder, 'nothing')])).toMatchObject({ code: 66 });
    expect(await audit('verify', '--public-key', `${file}.key`)).toMatchObject({ code: 66 });
    expect(await audit('verify', '--public-key', file)).toMatchObject({ code: 66 });
    expect(await audit('export', '--since', 'yesterday')).toMatchObject({ code: 2, stdout: '' });
    expect((await audit('export', '--since', '2100-01-01')).stdout).toBe('');
  });
});

describe('a process that is killed while it writes', () => {
  it('leaves a log that is whole or cut, with all that it was told was there', async () => {
    const library = pathToFileURL(join(MAIN, '../governance/index.js')).href;
    const script = `
      const { AuditLog, readSigningKey } = await import(${JSON.stringify(library)});
      const [file, run] = process.argv.slice(1);
      const log = await AuditLog.open({ file, key: readSigningKey(file + '.key') });
      const by = { id: 'x', roles: [], via: 'none' };
      for (let i = 0; ; i += 1) await Promise.all([0, 1, 2].map(async (j) => {
        const about = [run, i, j].join('-');
        await log.append({ kind: 'decision.made', by, about, detail: { text: 'x'.repeat(20_000) } });
        process.stdout.write(about + '\\n');
      }));`;
    const killed = join(folder, 'killed.log');
    await runHere(['audit', 'keys', '--audit', killed]);
    const told: string[] = [];
    for (let run = 0; run < 25; run += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, killed, String(run)]);
      let out = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk) => {
          out += chunk;
          // Somewhere in the writing of what comes next.
          if (out.length > 20) setTimeout(() => child.kill('SIGKILL'), Math.random() * 8);
        });
        child.on('close', () => resolve());
      });
      told.push(...out.split('\n').slice(0, -1));
      const { verdict } = await verifyLog(killed);
      expect(['whole', 'cut']).toContain(verdict);
      if (verdict === 'cut') expect((await runHere(['audit', 'recover', '--audit', killed])).code).toBe(0);
    }
    expect(existsSync(killed)).toBe(true);
    expect((await verifyLog(killed)).verdict).toBe('whole');
    const abouts = new Set(
      [...readFileSync(killed, 'utf8').matchAll(/"about":"([^"]+)"/g)].map(([, about]) => about),
    );
    expect(told.length).toBeGreaterThan(100);
    expect(told.filter((about) => !abouts.has(about))).toEqual([]);
  });
});
