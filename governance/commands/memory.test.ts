/** Memory from end to end: the built command line, two people, a policy, the log, and what answers have of it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere } from '../../cli/testing/cli.ts';
import type { Decision } from '../../router/index.ts';
import type { Entry } from '../audit/index.ts';
import type { MemoryRecord } from '../memory/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-memory-'));
const at = (name: string) => join(folder, name);
const secret = Buffer.alloc(32, 9);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const principals = ['--principals', at('principals.json')];
const as = async (subject: string, roles: string[] = []) => ({
  PRAGAURA_PRINCIPAL_TOKEN: await new SignJWT({ roles })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('https://login.example')
    .setAudience('pragaura')
    .setSubject(subject)
    .setExpirationTime('5m')
    .sign(secret),
});
const memory = async (subject: string | null, ...args: string[]) =>
  runHere(['memory', ...args, '--memory', at('memory'), ...principals], {
    env: subject === null ? {} : await as(subject, subject === 'root' ? ['administrator'] : []),
  });
const ask = async (subject: string, question: string, ...args: string[]) =>
  runHere(['ask', question, '--index', at('index'), ...principals, ...args], { env: await as(subject) });

beforeAll(async () => {
  writeFileSync(at('jwks.json'), JSON.stringify({ keys: [{ kty: 'oct', k: secret.toString('base64url') }] }));
  const settings = { issuer: 'https://login.example', audience: 'pragaura', keys: 'jwks.json' };
  writeFileSync(at('principals.json'), JSON.stringify(settings));
  writeFileSync(
    at('policy.cedar'),
    `@id("own") permit (principal, action == Action::"memory", resource) when { principal == resource };
     @id("root") permit (principal in Role::"administrator", action == Action::"memory", resource is Principal);`,
  );
  mkdirSync(at('docs'));
  writeFileSync(
    at('docs/fees.md'),
    '# Fees\n\nThe fee for MSc Physics is 40 crowns a term.\n\nThe fee for Law is 70 crowns a term.\n',
  );
  writeFileSync(
    at('docs/bridge.md'),
    '# Bridge\n\nThe bridge was opened in 1932. It is painted red every ten years.\n',
  );
  expect((await runHere(['index', at('docs'), '--out', at('index')])).code).toBe(0);
});

describe('pragaura memory', () => {
  it('remembers with consent, shows, corrects, hands over and erases, each for one person', async () => {
    expect(await memory('ann', 'remember', 'programme', 'Law')).toMatchObject({ code: 77, stdout: '' });
    expect(await memory(null, 'consent')).toMatchObject({ code: 77, stdout: '' });
    expect((await memory('ann', 'consent')).stdout).toContain('ann has agreed');
    const said = await memory('ann', 'remember', 'programme', 'Law');
    const id = said.stdout.split(' ')[0]!;
    expect((await memory('ann', 'correct', id, 'MSc Physics')).code).toBe(0);
    expect((await memory('ann', 'list')).stdout).toContain('MSc Physics');
    expect((await memory('bob', 'list')).stdout).toContain('Nothing is remembered');
    expect(await memory('bob', 'export')).toMatchObject({ code: 66, stdout: '' });
    const [record] = recordsOf<MemoryRecord>((await memory('ann', 'export')).stdout);
    expect(record).toMatchObject({ person: 'ann', entries: [{ name: 'programme', value: 'MSc Physics' }] });
  });

  it('says what "my …" means, and how long answers are; the quotes are those of the question typed out', async () => {
    const decided = async (...args: Parameters<typeof ask>) =>
      JSON.parse((await ask(...args)).stdout) as Decision;
    const mine = await decided(
      'ann',
      'What is the fee for my programme?',
      '--json',
      '--memory',
      at('memory'),
    );
    expect(mine).toMatchObject({
      query: 'What is the fee for my programme?',
      selfContained: { text: 'What is the fee for the MSc Physics?' },
      remembered: [{ word: 'my programme', value: 'MSc Physics' }],
    });
    const audited = ['--audit', at('ask.log')];
    const typed = await decided('ann', 'What is the fee for the MSc Physics?', '--json', ...audited);
    expect(mine.answer).toEqual(typed.answer);
    expect(mine.evidence).toEqual(typed.evidence);
    const theirs = await decided(
      'bob',
      'What is the fee for my programme?',
      '--json',
      '--memory',
      at('memory'),
    );
    expect(theirs).not.toHaveProperty('remembered');

    const question = ['When was the bridge opened?', '--memory', at('memory')] as const;
    const full = await ask('ann', ...question);
    await memory('ann', 'remember', 'length', 'short', '--type', 'preference');
    const short = await ask('ann', ...question);
    expect(short.stdout.length).toBeLessThan(full.stdout.length);
    const lineOf = ({ stdout }: { stdout: string }) =>
      stdout.split('\n').find((line) => /^(Answer|Probably):/.test(line));
    expect(lineOf(short)).toBe(lineOf(full));
  });

  it('is somebody else’s only where the policy says so, and on the log without its words', async () => {
    const policy = ['--policy-file', at('policy.cedar'), '--audit', at('audit.log')];
    expect(await memory('bob', 'list', '--of', 'ann')).toMatchObject({ code: 2, stdout: '' });
    expect(await memory('bob', 'list', '--of', 'ann', ...policy)).toMatchObject({ code: 77, stdout: '' });
    expect((await memory('root', 'list', '--of', 'ann', ...policy)).stdout).toContain('MSc Physics');
    expect((await memory('root', 'erase', '--of', 'ann', ...policy)).stdout).toContain(
      'the key to it is destroyed',
    );
    expect((await memory('ann', 'list')).stdout).toContain('Nothing is remembered');
    const text = readFileSync(at('audit.log'), 'utf8');
    expect(text).not.toContain('Physics');
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry)
      .flatMap((entry) => (entry.type === 'event' && entry.seq > 0 ? [entry.event] : []));
    expect(events.map(({ kind, by, about }) => [kind, by.id, about])).toEqual([
      ['memory.list', 'root', 'ann'],
      ['memory.list', 'root', 'ann'],
      ['memory.erase', 'root', 'ann'],
      ['memory.erase', 'root', 'ann'],
    ]);
    expect((await runCli(['audit', 'verify', '--audit', at('audit.log')])).code).toBe(0);
  });

  it('says what cannot be', async () => {
    expect((await memory('ann', 'remember', 'x')).code).toBe(2);
    await memory('ann', 'consent');
    expect(await memory('ann', 'remember', 'tone', 'rude', '--type', 'preference')).toMatchObject({
      code: 65,
      stdout: '',
    });
    expect(await memory('ann', 'forget', 'none')).toMatchObject({ code: 66, stdout: '' });
    expect(await ask('ann', 'x', '--memory-key', at('k'), '--audit', at('ask.log'))).toMatchObject({
      code: 2,
      stdout: '',
    });
    const other = [
      'memory',
      'list',
      '--memory',
      at('memory'),
      '--memory-key',
      at('jwks.json'),
      ...principals,
    ];
    expect(await runHere(other, { env: await as('ann') })).toMatchObject({ code: 66, stdout: '' });
  });
});
