import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openTokens } from './tokens.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-tokens-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const okp = generateKeyPairSync('ed25519');
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const wide = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const secret = Buffer.alloc(32, 7);
const jwk = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid });
const KEYS = [
  jwk(rsa.publicKey, 'rsa'),
  jwk(okp.publicKey, 'okp'),
  jwk(ec.publicKey, 'ec'),
  { kty: 'oct', k: secret.toString('base64url'), kid: 'oct' },
];
const SETTINGS = { issuer: 'https://login.example', audience: 'pragaura', keys: 'jwks.json' };

function tokens(settings: object = {}, keys: object[] = KEYS) {
  writeFileSync(join(folder, 'jwks.json'), JSON.stringify({ keys }));
  const file = join(folder, 'principals.json');
  writeFileSync(file, JSON.stringify({ ...SETTINGS, ...settings }));
  return openTokens(file);
}

interface Made {
  alg?: string;
  kid?: string;
  key?: KeyObject | Uint8Array;
  claims?: Record<string, unknown>;
  issuer?: string;
  audience?: string;
  /** Seconds from now. */
  expires?: number | null;
  subject?: string | null;
  before?: number;
}

function token(made: Made = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const jwt = new SignJWT(made.claims ?? { roles: ['staff'], clearance: 2 })
    .setProtectedHeader({ alg: made.alg ?? 'RS256', kid: made.kid ?? 'rsa' })
    .setIssuer(made.issuer ?? SETTINGS.issuer)
    .setAudience(made.audience ?? SETTINGS.audience);
  if (made.subject !== null) jwt.setSubject(made.subject ?? 'ann');
  if (made.expires !== null) jwt.setExpirationTime(now + (made.expires ?? 60));
  if (made.before !== undefined) jwt.setNotBefore(now + made.before);
  return jwt.sign(made.key ?? rsa.privateKey);
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const ANN = { id: 'ann', roles: ['public', 'staff'], via: 'token', clearance: 2 };

describe('a token', () => {
  it.each<[string, Made]>([
    ['RS256', {}],
    ['EdDSA', { alg: 'EdDSA', kid: 'okp', key: okp.privateKey }],
    ['ES256', { alg: 'ES256', kid: 'ec', key: ec.privateKey }],
    ['HS256', { alg: 'HS256', kid: 'oct', key: secret }],
  ])('signed with %s says who it is', async (_, made) => {
    expect(await tokens().verify(await token(made))).toEqual(ANN);
  });

  it('has its roles and clearance where the settings say, and none where it has none', async () => {
    const claims = { groups: ['a', 'a', 'b'], level: 5, roles: ['administrator'] };
    const settings = { rolesClaim: 'groups', clearanceClaim: 'level' };
    expect(await tokens(settings).verify(await token({ claims }))).toMatchObject({
      roles: ['public', 'a', 'b'],
      clearance: 5,
    });
    expect(await tokens().verify(await token({ claims: {} }))).toMatchObject({
      roles: ['public'],
      clearance: 0,
    });
    const inherited = tokens({ rolesClaim: 'constructor', clearanceClaim: 'toString' });
    expect(await inherited.verify(await token())).toMatchObject({ roles: ['public'], clearance: 0 });
  });

  it.each<[string, Made, RegExp]>([
    ['expired', { expires: -1 }, /expired/],
    ['without an expiry', { expires: null }, /"exp"/],
    ['without a subject', { subject: null }, /"sub"/],
    ['not valid yet', { before: 60 }, /"nbf"/],
    ['for another audience', { audience: 'else' }, /"aud"/],
    ['of another issuer', { issuer: 'https://evil.example' }, /"iss"/],
    ['signed by a stranger', { key: stranger.privateKey }, /signature/],
    ['signed with a wrong secret', { alg: 'HS256', kid: 'oct', key: Buffer.alloc(32, 8) }, /signature/],
    ['with a key that nobody has', { kid: 'none' }, /none of the keys/],
    ['with the key of another algorithm', { alg: 'HS256', kid: 'rsa', key: secret }, /none of the keys/],
    ['with another algorithm', { alg: 'RS512' }, /algorithm/],
    ['with roles that are no list', { claims: { roles: 'administrator' } }, /"roles"/],
    ['with roles that are no names', { claims: { roles: [{}] } }, /"roles"/],
    ['with a clearance that is none', { claims: { clearance: '9' } }, /"clearance"/],
    ['with a negative clearance', { claims: { clearance: -1 } }, /"clearance"/],
  ])('%s is refused', async (_, made, message) => {
    const text = await token(made);
    const failed = await tokens()
      .verify(text)
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'TOKEN_REFUSED', message: expect.stringMatching(message) });
    expect(String(failed)).not.toContain(text);
  });

  it.each(['none', 'None', 'NONE', 'nOnE'])('with the algorithm %s is refused', async (alg) => {
    const [, payload] = (await token()).split('.');
    for (const signature of ['', 'x', (await token()).split('.')[2]]) {
      const forged = `${encoded({ alg, typ: 'JWT' })}.${payload}.${signature}`;
      await expect(tokens().verify(forged)).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
    }
  });

  it('signed with a public key as if it were a secret is refused', async () => {
    const [, payload] = (await token()).split('.');
    for (const kid of ['rsa', undefined]) {
      const head = `${encoded({ alg: 'HS256', kid })}.${payload}`;
      const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' });
      const forged = `${head}.${createHmac('sha256', pem).update(head).digest('base64url')}`;
      await expect(tokens().verify(forged)).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
      await expect(tokens({}, KEYS.slice(0, 2)).verify(forged)).rejects.toMatchObject({
        code: 'TOKEN_REFUSED',
      });
    }
  });

  it('with one letter changed is refused, whichever it is', async () => {
    const text = await token();
    const verifier = tokens();
    for (let at = 0; at < text.length - 1; at += 1) {
      const forged = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
      await expect(verifier.verify(forged)).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
    }
  });

  it.each(['', 'x', 'a.b.c', '..', 'x'.repeat(20_000), `${encoded({ alg: 'RS256' })}.e30.`])(
    'that is none is refused',
    async (text) => {
      await expect(tokens().verify(text)).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
    },
  );

  it('may be late by as much as the settings say', async () => {
    const late = await token({ expires: -20 });
    expect(await tokens({ leewaySeconds: 30 }).verify(late)).toEqual(ANN);
    await expect(tokens({ leewaySeconds: 10 }).verify(late)).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
  });

  it('of an algorithm that the settings leave out is refused', async () => {
    const verifier = tokens({ algorithms: ['EdDSA'] });
    await expect(verifier.verify(await token())).rejects.toThrow(/algorithm/);
  });
});

describe('settings of principals', () => {
  it.each<[string, object, object[]]>([
    ['another algorithm', { algorithms: ['none'] }, KEYS],
    ['a field that is none', { isuer: 'x' }, KEYS],
    ['no issuer', { issuer: '' }, KEYS],
    ['no keys', {}, []],
    ['a short secret', {}, [{ kty: 'oct', k: 'c2hvcnQ' }]],
    ['a key of another type', {}, [{ kty: 'AKP' }]],
    ['a key on another curve', {}, [jwk(wide.publicKey, 'wide')]],
    ['an address that others can change', { keys: 'http://login.example/jwks' }, KEYS],
    ['an issuer that is no address and no keys', { issuer: 'login', keys: undefined }, KEYS],
    [
      'secrets that an issuer would publish',
      { keys: 'https://login.example/jwks', algorithms: ['HS256'] },
      KEYS,
    ],
  ])('with %s are refused', (_, settings, keys) => {
    expect(() => tokens(settings, keys)).toThrow(expect.objectContaining({ code: 'CONFIGURATION' }));
  });

  it('that are not there, or are no JSON, are refused without showing what they hold', () => {
    expect(() => openTokens(join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(() => tokens({ keys: 'none.json' })).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    writeFileSync(join(folder, 'broken.json'), '{"keys":[{"k":"c2VjcmV0"');
    expect(() => tokens({ keys: 'broken.json' })).toThrow(expect.not.stringContaining('c2VjcmV0'));
  });
});

describe('an issuer that publishes its keys', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  });

  /** An issuer; what it is asked for is counted by path. */
  async function issuing(answers: (issuer: string) => Record<string, unknown>) {
    const asked: Record<string, number> = {};
    const server = createServer((request, response) => {
      const path = request.url!;
      asked[path] = (asked[path] ?? 0) + 1;
      const answer = answers(issuer)[path];
      response.statusCode = answer === undefined ? 404 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}));
    });
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { issuer, asked };
  }
  const DISCOVERY = '/.well-known/openid-configuration';
  const published = { keys: KEYS.filter(({ kty }) => kty !== 'oct') };

  it('is believed by its OpenID configuration, asked once', async () => {
    const { issuer, asked } = await issuing((self) => ({
      [DISCOVERY]: { issuer: self, jwks_uri: `${self}/keys` },
      '/keys': published,
    }));
    const verifier = tokens({ issuer, keys: undefined });
    for (const made of [{}, { alg: 'ES256', kid: 'ec', key: ec.privateKey }]) {
      expect(await verifier.verify(await token({ issuer, ...made }))).toEqual(ANN);
    }
    await expect(verifier.verify(await token({ issuer, kid: 'none' }))).rejects.toThrow(/none of the keys/);
    await expect(verifier.verify(await token({ issuer, key: stranger.privateKey }))).rejects.toThrow(
      /signature/,
    );
    expect(asked).toEqual({ [DISCOVERY]: 1, '/keys': 1 });
  });

  it('is believed by the address of its keys alone', async () => {
    const { issuer, asked } = await issuing(() => ({ '/keys': published }));
    expect(await tokens({ issuer, keys: `${issuer}/keys` }).verify(await token({ issuer }))).toEqual(ANN);
    expect(asked).toEqual({ '/keys': 1 });
  });

  it('signs with no secret, whatever it publishes', async () => {
    const { issuer } = await issuing(() => ({ '/keys': { keys: KEYS } }));
    const made = { issuer, alg: 'HS256', kid: 'oct', key: secret };
    await expect(tokens({ issuer, keys: `${issuer}/keys` }).verify(await token(made))).rejects.toThrow(
      /algorithm/,
    );
  });

  it.each<[string, (self: string) => Record<string, unknown>]>([
    ['has no configuration', () => ({})],
    [
      'says that it is another',
      (self) => ({
        [DISCOVERY]: { issuer: 'https://evil.example', jwks_uri: `${self}/keys` },
        '/keys': published,
      }),
    ],
    [
      'sends one to an address that others can change',
      (self) => ({ [DISCOVERY]: { issuer: self, jwks_uri: 'http://keys.example/keys' } }),
    ],
    ['answers with something else', () => ({ [DISCOVERY]: '<html>' })],
    [
      'has keys that are none',
      (self) => ({ [DISCOVERY]: { issuer: self, jwks_uri: `${self}/keys` }, '/keys': [] }),
    ],
  ])('that %s lets nobody in', async (_, answers) => {
    const { issuer, asked } = await issuing(answers);
    const verifier = tokens({ issuer, keys: undefined });
    for (let i = 0; i < 3; i += 1) {
      await expect(verifier.verify(await token({ issuer }))).rejects.toMatchObject({
        code: 'ISSUER_UNAVAILABLE',
      });
    }
    expect(asked[DISCOVERY]).toBe(1);
  });

  it('that goes away leaves its keys for a while', async () => {
    const { issuer } = await issuing(() => ({ '/keys': published }));
    const verifier = tokens({ issuer, keys: `${issuer}/keys` });
    const text = await token({ issuer });
    expect(await verifier.verify(text)).toEqual(ANN);
    servers[0]!.closeAllConnections();
    await new Promise((done) => servers.pop()!.close(done));
    expect(await verifier.verify(text)).toEqual(ANN);
    await expect(tokens({ issuer, keys: `${issuer}/keys` }).verify(text)).rejects.toMatchObject({
      code: 'ISSUER_UNAVAILABLE',
    });
  });
});
