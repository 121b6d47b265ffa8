/** `serve` and `keys` as their users run them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Child, runHere, startCli } from '../../cli/testing/cli.ts';
import { withoutClocks } from '../../common/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';

const DEMO = path.join(import.meta.dirname, '../../router/demo');
const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-serve-'));
const index = path.join(folder, 'demo.index');
const keys = path.join(folder, 'keys.json');
const policy = path.join(folder, 'policy.cedar');
const lines = readFileSync(path.join(DEMO, 'queries.ndjson'), 'utf8').trimEnd().split('\n').slice(0, 12);

beforeAll(async () => {
  await demoIndex(index);
  writeFileSync(policy, 'permit (principal in Role::"staff", action, resource);');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(...args: string[]): Promise<{ child: Child; url: string }> {
  const child = startCli(['serve', '--index', index, '--port', '0', ...args]);
  await child.until(({ stdout }) => stdout.endsWith('\n'));
  return { child, url: child.stdout.trim() };
}

const decide = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/decisions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

it('lets the pages of every origin that is named read, and no other, by the options of the command', async () => {
  const { child, url } = await start(
    '--cors-origin',
    'https://a.example',
    '--cors-origin',
    'https://b.example',
  );
  const allowed = async (origin: string) =>
    (await fetch(`${url}/healthz`, { headers: { origin } })).headers.get('access-control-allow-origin');
  expect([await allowed('https://a.example'), await allowed('https://b.example')]).toEqual([
    'https://a.example',
    'https://b.example',
  ]);
  expect(await allowed('https://c.example')).not.toBe('https://c.example');
  child.process.kill('SIGTERM');
  expect((await child.finished).code).toBe(0);
});

describe('serve', () => {
  it('answers what it has taken up before SIGTERM ends it, as route would', async () => {
    const { code, stdout } = await runHere(['route', '--index', index], { input: `${lines.join('\n')}\n` });
    expect(code).toBe(0);
    const { child, url } = await start('--concurrency', '2', '--log-level', 'debug');
    const { collections } = (await (await fetch(`${url}/v1/collections`)).json()) as {
      collections: { name: string }[];
    };
    expect(collections.map(({ name }) => name)).toEqual(['demo']);
    const asked = lines.map((line) => decide(url, line));
    for (;;) {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      if (metrics.includes('\npragaura_queries_waiting 10\n')) break;
      if (/\npragaura_decisions_total\{.*\} [1-9]/.test(metrics)) break;
    }
    child.process.kill('SIGTERM');
    const texts = await Promise.all((await Promise.all(asked)).map((response) => response.text()));
    expect(texts.map(withoutClocks)).toEqual(stdout.trimEnd().split('\n').map(withoutClocks));
    const finished = await child.finished;
    expect(finished.code).toBe(0);
    const log = finished.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(log.at(0)).toMatchObject({ event: 'server.ready', url });
    expect(log.at(-1)).toMatchObject({ event: 'server.stopped' });
    expect(log.filter(({ event }) => event === 'request').length).toBeGreaterThanOrEqual(lines.length);
  });

  it.each<[string, string[], number, RegExp]>([
    ['an address that others reach, and no keys', ['--host', '0.0.0.0'], 78, /nobody has a key/],
    ['keys that are not there', ['--keys', path.join(folder, 'none.json')], 66, /cannot be read/],
    ['an index that is none', ['--index', folder], 66, /not an index/],
    ['two collections of one name', ['--index', `demo=${folder}`], 2, /called "demo"/],
    ['a folder that cannot be a name', ['--index', '/'], 2, /cannot be the name/],
    ['half of TLS', ['--tls-cert', 'x.pem'], 2, /--tls-key/],
    ['TLS files that are not there', ['--tls-cert', 'x.pem', '--tls-key', 'y.pem'], 66, /x\.pem/],
    ['a query log that nothing is learned from', ['--query-log', 'q.db'], 2, /none are learned/],
    [
      'a query log beside workers',
      ['--query-log', 'q.db', '--defaults', 'd.db', '--redis', 'redis://127.0.0.1:1'],
      2,
      /--redis or --query-log/,
    ],
    [
      'a query log and a policy',
      ['--query-log', 'q.db', '--defaults', 'd.db', '--policy-file', policy],
      2,
      /--query-log or --policy-file/,
    ],
    ['a calibration for nobody', ['--index', 'b=x', '--calibration', 'c.json'], 2, /Which collection/],
    ['an address that is not of this machine', ['--host', '192.0.2.1', '--keys', keys], 78, /192\.0\.2\.1/],
  ])('does not start with %s', async (_, args, code, said) => {
    if (args.includes(keys)) await runHere(['keys', 'create', '--keys', keys, '--name', 'x']);
    const finished = await runHere(['serve', '--index', index, '--port', '0', ...args]);
    expect(finished.stdout).toBe('');
    expect(finished.stderr).toMatch(said);
    expect(finished.code).toBe(code);
  });
});

describe('keys', () => {
  it('are made, listed, rotated and revoked, while a server goes by them', async () => {
    const file = path.join(folder, 'used.json');
    const run = (...args: string[]) => runHere(['keys', ...args, '--keys', file]);
    const made = await run(
      'create',
      '--name',
      'intra\u001b[31mnet',
      '--scopes',
      'decide',
      '--per-minute',
      '100',
    );
    expect(made.code).toBe(0);
    const key = made.stdout.trim();
    expect(key).toMatch(/^pragaura_[0-9a-f]{12}_[\w-]{43}$/);
    const id = key.split('_')[1]!;
    expect(made.stderr).toContain(id);
    const listed = await run('list');
    expect(listed.stdout).toMatch(new RegExp(`^${id} +valid .*decide +all collections +100/min`));
    expect(listed.stdout).not.toContain('\u001b');
    const { keys: rows } = JSON.parse((await run('list', '--json')).stdout);
    expect(rows).toMatchObject([{ id, state: 'valid', scopes: ['decide'] }]);
    expect(rows[0]).not.toHaveProperty('sha256');

    const { child, url } = await start('--keys', file);
    const status = async (text: string) =>
      (await decide(url, lines[0]!, { authorization: `Bearer ${text}` })).status;
    expect(await status(key)).toBe(200);
    const rotated = (await run('rotate', id, '--overlap', '0')).stdout.trim();
    expect(await status(key)).toBe(401);
    expect(await status(rotated)).toBe(200);
    const revoked = await run('revoke', rotated.split('_')[1]!);
    expect(revoked).toMatchObject({ code: 0, stdout: '' });
    expect(await status(rotated)).toBe(401);
    child.process.kill('SIGTERM');
    const { code, stderr } = await child.finished;
    expect(code).toBe(0);
    for (const text of [key, rotated]) expect(stderr).not.toContain(text.slice(-43));
  });

  it.each<[string, string[], number]>([
    ['no name', ['create'], 2],
    ['a scope that is none', ['create', '--name', 'x', '--scopes', 'all'], 2],
    ['no id', ['revoke'], 2],
    ['an id that nobody has', ['revoke', 'nobody'], 66],
    ['nothing to do', [], 2],
  ])('with %s: says what is wrong', async (_, args, code) => {
    await runHere(['keys', 'create', '--keys', keys, '--name', 'x']);
    const finished = await runHere(['keys', ...args, '--keys', keys]);
    expect(finished).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(/^pragaura: /) });
  });
});
