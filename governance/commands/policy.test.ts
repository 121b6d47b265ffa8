/** Policies and principals from end to end: the built command line. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf, runCli, runHere } from '../../cli/testing/cli.ts';
import type { PragauraError } from '../../common/index.ts';
import type { Decision } from '../../router/index.ts';
import type { Entry } from '../audit/index.ts';
import { pemOf, readSigningKey } from '../keys.ts';
import { people } from '../testing/people.ts';
import { openPolicy } from './policy-files.ts';
import { runApprove, runPropose } from './policy-review-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-policy-'));
const at = (name: string) => join(folder, name);
const policy = (...args: string[]) => runHere(['policy', ...args, '--policy-file', at('policy.cedar')]);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  writeFileSync(
    at('policy.cedar'),
    `@id("staff") permit (principal in Role::"staff", action == Action::"read", resource in Collection::"hr");
     @id("published") permit (principal, action == Action::"read", resource is Document) when { resource.tags.contains("public") };
     @id("own") permit (principal, action == Action::"memory", resource) when { principal == resource };`,
  );
  const documents = {
    'docs/hr/': { collection: 'hr' },
    'docs/news.md': { tags: ['public'], validTo: '2020-01-01' },
  };
  writeFileSync(at('labels.json'), JSON.stringify({ schema: 'pragaura.labels/1', documents }));
});

describe('pragaura policy check', () => {
  it('says the version, and whether tests hold', async () => {
    const tests = [
      {
        name: 'staff read',
        as: ['staff'],
        action: 'read',
        document: { path: 'a', collection: 'hr' },
        allowed: true,
      },
      {
        name: 'others do not',
        as: [],
        action: 'read',
        document: { path: 'a', collection: 'hr' },
        allowed: false,
      },
      { name: 'own memory', as: [], id: 'ann', action: 'memory', person: 'ann', allowed: true },
    ];
    writeFileSync(at('tests.json'), JSON.stringify(tests));
    const { code, stdout } = await policy('check', '--tests', at('tests.json'));
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('3 of 3 tests hold') });
    expect(stdout).toMatch(/^3 policies, version [0-9a-f]{64}\.\n/);

    writeFileSync(
      at('tests.json'),
      JSON.stringify(tests.map((test) => ({ ...test, allowed: !test.allowed }))),
    );
    const failed = await policy('check', '--json', '--tests', at('tests.json'));
    expect(failed.code).toBe(1);
    expect(recordsOf(failed.stdout)).toMatchObject([
      { tests: 3, failed: [{ problem: 'allowed, by staff' }, {}, {}] },
    ]);

    // What an action is not for is a failure, and no denial that was wanted.
    writeFileSync(
      at('tests.json'),
      JSON.stringify([{ name: 'odd', as: [], action: 'audit', person: 'a', allowed: false }]),
    );
    expect((await policy('check', '--tests', at('tests.json'))).code).toBe(1);
    writeFileSync(at('tests.json'), JSON.stringify([{ ...tests[0], person: 'x' }]));
    expect(await policy('check', '--tests', at('tests.json'))).toMatchObject({ code: 65, stdout: '' });
  });

  it('refuses what lets everybody in until it is said twice, and what is no policy', async () => {
    const check = (text: string, ...args: string[]) => {
      writeFileSync(at('other.cedar'), text);
      return runHere(['policy', 'check', '--policy-file', at('other.cedar'), ...args]);
    };
    const open = '@id("all") permit (principal, action, resource);';
    expect(await check(open)).toMatchObject({
      code: 78,
      stdout: '',
      stderr: expect.stringContaining('lets everybody'),
    });
    expect(await check(open, '--everybody')).toMatchObject({ code: 78, stdout: '' });
    expect(await check(`@everybody("yes") ${open}`)).toMatchObject({ code: 78, stdout: '' });
    const said = await check(`@everybody("yes") ${open}`, '--everybody');
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('Everybody is let in by all') });
    expect(await check('permit everything')).toMatchObject({ code: 78, stdout: '' });
    expect(await runCli(['policy', 'check', '--policy-file', at('none')])).toMatchObject({
      code: 66,
      stdout: '',
    });
  });
});

describe('pragaura policy explain', () => {
  it('says what a role may read of an index, and by which policy', async () => {
    mkdirSync(at('docs/hr'), { recursive: true });
    for (const name of ['hr/pay.md', 'news.md', 'plans.md'])
      writeFileSync(at(`docs/${name}`), `# ${name}\n\nSome words on ${name}.\n`);
    expect((await runHere(['index', at('docs'), '--out', at('index')])).code).toBe(0);
    const args = ['explain', '--index', at('index'), '--document-labels', at('labels.json')];
    const { stdout } = await policy(...args, '--as', 'staff');
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['yes', 'docs/hr/pay.md', 'by staff'],
      ['yes', 'docs/news.md', 'by published'],
      ['no', 'docs/plans.md', 'no policy permits it'],
      ['public and staff may read 2 of 3.'],
      [''],
    ]);
    const rulings = recordsOf((await policy(...args, '--json')).stdout);
    expect(rulings).toMatchObject([
      { allowed: false },
      { allowed: true, because: ['published'] },
      { allowed: false },
    ]);
  });

  it('refuses an action, a moment and labels that are none', async () => {
    expect(await policy('explain', 'a', '--action', 'raed')).toMatchObject({ code: 2, stdout: '' });
    expect(await policy('explain', 'a', '--at', 'soon')).toMatchObject({ code: 2, stdout: '' });
    expect(await policy('explain')).toMatchObject({ code: 2, stdout: '' });
    expect(await policy('explain', 'a', '--document-labels', at('policy.cedar'))).toMatchObject({
      code: 78,
      stdout: '',
    });
  });
});

describe('whoever asks', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const log = at('audit.log');
  const ask = (env: NodeJS.ProcessEnv, ...args: string[]) =>
    runHere(['ask', '--json', 'What is on the pay page?', '--index', at('index'), ...args], { env });
  const token = (expires: string) =>
    new SignJWT({ roles: ['staff'], clearance: 3 })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer('https://login.example')
      .setAudience('pragaura')
      .setSubject('ann')
      .setExpirationTime(expires)
      .sign(privateKey);

  it('is on the log by a verified token, as the owner of the machine, or as nobody; refused tokens are there too', async () => {
    writeFileSync(at('jwks.json'), JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
    const settings = { issuer: 'https://login.example', audience: 'pragaura', keys: 'jwks.json' };
    writeFileSync(at('principals.json'), JSON.stringify(settings));
    const principals = ['--principals', at('principals.json'), '--audit', log];
    const good = { PRAGAURA_PRINCIPAL_TOKEN: await token('5m') };
    expect((await ask(good, ...principals)).code).toBe(0);
    expect((await ask({}, ...principals)).code).toBe(0);
    expect((await ask({}, '--trust-local', '--audit', log)).code).toBe(0);
    for (const bad of [await token('-5m'), 'a.b.c', 'none']) {
      expect(await ask({ PRAGAURA_PRINCIPAL_TOKEN: bad }, ...principals)).toMatchObject({
        code: 77,
        stdout: '',
      });
    }
    expect(await ask(good, ...principals, '--trust-local')).toMatchObject({ code: 2, stdout: '' });
    expect(await ask(good, '--audit', log)).toMatchObject({ code: 2, stdout: '' });
    expect(await ask(good)).toMatchObject({ code: 2, stdout: '' });

    const entries = readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    const events = entries.flatMap((entry) => (entry.type === 'event' && entry.seq > 0 ? [entry.event] : []));
    expect(events.map(({ kind, by }) => [kind, by.via, by.roles.join()])).toEqual([
      ['decision.made', 'token', 'public,staff'],
      ['decision.made', 'none', 'public'],
      ['decision.made', 'local', 'public,administrator'],
      ['principal.refused', 'none', 'public'],
      ['principal.refused', 'none', 'public'],
      ['principal.refused', 'none', 'public'],
    ]);
    expect(events[0]!.by.id).toBe('ann');
    expect((await runHere(['audit', 'verify', '--audit', log])).code).toBe(0);
  });

  it('is told of what the policy lets them read, and of nothing else, with its version on the log', async () => {
    const policies = ['--policy-file', at('policy.cedar'), '--document-labels', at('labels.json')];
    const principals = ['--principals', at('principals.json'), '--audit', at('read.log')];
    const decided = async (env: NodeJS.ProcessEnv, ...more: string[]) => {
      const { code, stdout } = await ask(env, ...policies, ...more);
      expect(code).toBe(0);
      return JSON.parse(stdout) as Decision;
    };
    const documentsOf = ({ evidence }: Decision) => evidence.map(({ docId }) => docId).sort();
    const stranger = await decided({}, ...principals);
    expect(documentsOf(stranger)).toEqual(['docs/news.md']);
    const ann = await decided({ PRAGAURA_PRINCIPAL_TOKEN: await token('5m') }, ...principals);
    expect(documentsOf(ann)).toEqual(['docs/hr/pay.md', 'docs/news.md']);
    expect(ann.versions.index).not.toBe(stranger.versions.index);
    // No log is needed to be told less.
    expect(documentsOf(await decided({}))).toEqual(['docs/news.md']);
    const exported = await runHere(['audit', 'export', '--audit', at('read.log'), '--kind', 'decision.made']);
    const events = recordsOf<Entry & { type: 'event' }>(exported.stdout).map(({ event }) => event);
    const version = createHash('sha256')
      .update(readFileSync(at('policy.cedar')))
      .digest('hex');
    expect(events.map(({ detail }) => (detail.versions as { policy: string }).policy)).toEqual([
      version,
      version,
    ]);
  });

  it('gets nothing at all by a policy that cannot be used, or that would be idle', async () => {
    writeFileSync(at('broken.cedar'), 'permit everything');
    expect(await ask({}, '--policy-file', at('broken.cedar'))).toMatchObject({ code: 78, stdout: '' });
    expect(await ask({}, '--policy-file', at('nowhere'))).toMatchObject({ code: 66, stdout: '' });
    expect(await ask({}, '--document-labels', at('labels.json'))).toMatchObject({ code: 2, stdout: '' });
    const learned = ['--policy-file', at('policy.cedar'), '--defaults', at('defaults.db')];
    expect(await ask({}, ...learned)).toMatchObject({ code: 2, stdout: '' });
    const served = await runCli([
      'serve',
      '--index',
      at('index'),
      '--redis',
      'redis://localhost:1',
      '--policy-file',
      at('policy.cedar'),
    ]);
    expect(served).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a policy that is reviewed', () => {
  const known = people(folder);
  const OLD =
    'permit (principal in Role::"admin", action in [Action::"administer", Action::"read"], resource);\n';
  const NEW = `${OLD}permit (principal in Role::"staff", action == Action::"read", resource);\n`;
  beforeAll(() => {
    writeFileSync(at('old.cedar'), OLD);
    writeFileSync(at('new.cedar'), NEW);
  });
  type Verb = 'propose' | 'approve';
  /** What a step says, or the code and the message of its refusal. */
  const take = async (verb: Verb, who: string, file: string, inForce?: string): Promise<string> => {
    const given = { policyFile: at(file), everybody: false, audit: at('review.log'), auditKey: undefined };
    const token = await known.tokenOf(who, [who === 'eve' ? 'staff' : 'admin']);
    const asker = { principalToken: token, principals: known.file, trustLocal: false };
    const args = { ...given, ...asker, inForce: inForce && at(inForce), json: false, because: 'Read it' };
    return (verb === 'propose' ? runPropose(args) : runApprove(args)).catch(
      ({ code, message }: PragauraError) => `${code}: ${message}`,
    );
  };
  const used = async (file: string): Promise<string> => {
    writeFileSync(at('review.pub'), pemOf(readSigningKey(`${at('review.log')}.key`)));
    try {
      openPolicy({ policyFile: at(file), everybody: false, reviewedBy: at('review.pub') });
      return 'it holds';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('holds once two others have approved it, who may administer by the one before', async () => {
    expect(await take('propose', 'eve', 'old.cedar')).toContain('NOT_PERMITTED');
    expect(await take('propose', 'ann', 'old.cedar')).toContain('2 more have to approve it');
    expect(await take('approve', 'ann', 'old.cedar')).toContain('NOT_PERMITTED');
    expect(await take('approve', 'bob', 'old.cedar')).toContain('1 more has to approve it');
    expect(await used('old.cedar')).toContain('1 of 2 have approved');
    expect(await take('approve', 'bob', 'old.cedar')).toContain('NOT_PERMITTED');
    expect(await take('approve', 'cat', 'old.cedar')).toContain('approved by bob and cat: it may hold');
    expect(await used('old.cedar')).toBe('it holds');

    for (const other of [undefined, 'policy.cedar'])
      expect(await take('propose', 'bob', 'new.cedar', other)).toContain('is in force');
    expect(await used('new.cedar')).toContain('Nobody proposed this policy');
    const inForce = 'old.cedar';
    expect(await take('propose', 'bob', 'new.cedar', inForce)).toContain('2 more');
    expect(await take('approve', 'eve', 'new.cedar', inForce)).toContain('NOT_PERMITTED');
    for (const who of ['ann', 'cat'])
      expect(await take('approve', who, 'new.cedar', inForce)).toContain('approved by');
    expect(await used('new.cedar')).toBe('it holds');
    const rules = ['--policy-file', at('policy.cedar'), '--reviewed-by', at('review.pub')];
    expect((await runCli(['mcp', '--index', 'none', ...rules])).stderr).toContain(
      'Nobody proposed this policy',
    );
    const signedOut = await runCli([
      'policy',
      'propose',
      '--policy-file',
      at('new.cedar'),
      '--audit',
      at('review.log'),
    ]);
    expect(signedOut).toMatchObject({ code: 69, stderr: expect.stringContaining('is in force') });

    writeFileSync(at('new.cedar'), NEW.replace('staff', 'guest'));
    expect(await used('new.cedar')).toContain('is of another text');
    writeFileSync(at('new.cedar'), NEW);
    const review = readFileSync(at('new.cedar.review.json'), 'utf8');
    writeFileSync(at('new.cedar.review.json'), review.replace('"ann"', '"bob"'));
    expect(await used('new.cedar')).toContain('was changed');

    const kinds = readFileSync(at('review.log'), 'utf8')
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const entry = JSON.parse(line) as Entry;
        return entry.type === 'event' && entry.event.kind.startsWith('policy.')
          ? [`${entry.event.kind.slice(7)} ${entry.event.by.id}`]
          : [];
      });
    expect(kinds).toEqual([
      ...['refused eve', 'proposed ann', 'refused ann', 'approved bob', 'refused bob', 'approved cat'],
      ...['proposed bob', 'refused eve', 'approved ann', 'approved cat'],
    ]);
  });
});
