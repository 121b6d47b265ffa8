/** Who a token says that somebody is, once its signature, issuer, audience and expiry hold (RFC 7519, RFC 8725). */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import { failureReason, isLoopback, messageOf, PragauraError, parseAs } from '../../common/index.ts';
import { type Principal, PUBLIC_ROLE } from './principal.ts';

/** What is accepted; whatever else a token names, `none` first of all, is refused. */
const ALGORITHMS = ['HS256', 'RS256', 'ES256', 'EdDSA'] as const;

/** RFC 7518, 3.2: a secret is no shorter than the hash. */
const LEAST_SECRET_BYTES = 32;
const MAX_TOKEN_CHARS = 16_384;

/** The file that `--principals` names. */
export const TokenSettings = z.strictObject({
  issuer: z.string().min(1),
  audience: z.string().min(1),
  /**
   * A JWKS file, beside this one or by its whole path; secrets for HS256 are its keys of the type `oct`. Or the address of
   * the issuer's JWKS. Left out: the address that the issuer's OpenID configuration names.
   */
  keys: z.string().min(1).optional(),
  /** Default: those that the keys are for. */
  algorithms: z.array(z.enum(ALGORITHMS)).min(1).optional(),
  /** Claims that hold the roles (a list of names) and the clearance (a whole number). */
  rolesClaim: z.string().min(1).default('roles'),
  clearanceClaim: z.string().min(1).default('clearance'),
  /** By how much the issuer's clock may differ, in seconds. */
  leewaySeconds: z.number().int().min(0).max(300).default(0),
});

const Jwks = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

const ALGORITHM_OF: Record<string, (typeof ALGORITHMS)[number]> = {
  oct: 'HS256',
  RSA: 'RS256',
  EC: 'ES256',
  OKP: 'EdDSA',
};

/** Milliseconds: for an answer of the issuer, between two looks at its keys, and how long these are believed. */
const ISSUER = { timeoutDuration: 5_000, cooldownDuration: 30_000, cacheMaxAge: 600_000 } as const;

export interface TokenVerifier {
  /** Throws TOKEN_REFUSED, with what is wrong with the token; nothing of the token itself is said. */
  verify(token: string, now?: Date): Promise<Principal>;
}

function read(file: string, what: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = failureReason(error);
    throw new PragauraError('NOT_FOUND', `${what} ${file} cannot be read: ${why}.`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch {
    // What the parser says would quote the file, which may hold a secret.
    throw new PragauraError('CONFIGURATION', `${what} ${file} is not JSON.`);
  }
}

function fitting<T>(schema: z.ZodType<T>, value: unknown, file: string): T {
  try {
    return parseAs(schema, 'See docs/governance.md.')(value);
  } catch (error) {
    throw new PragauraError('CONFIGURATION', `${file}: ${messageOf(error)}`, {
      hint: 'For example {"issuer": "https://login.example", "audience": "pragaura", "keys": "jwks.json"}',
      cause: error,
    });
  }
}

/** Where the key to a token comes from, and which algorithms there are keys for. */
interface Keys {
  keyFor: JWTVerifyGetKey;
  algorithms: readonly (typeof ALGORITHMS)[number][];
}

/** Reads the settings and the keys that they name; those of an address are fetched for the first token. Throws NOT_FOUND and CONFIGURATION. */
export function openTokens(file: string): TokenVerifier {
  const settings = fitting(TokenSettings, read(file, 'The settings of principals'), file);
  const { keys } = settings;
  const { keyFor, algorithms } =
    keys === undefined || /^https?:/i.test(keys)
      ? issuersKeys(settings, file)
      : keysIn(path.resolve(path.dirname(file), keys));
  return {
    verify: async (token, now = new Date()) => {
      if (token.length > MAX_TOKEN_CHARS) throw refused('it is too long');
      let payload: JWTPayload;
      try {
        ({ payload } = await jwtVerify(token, keyFor, {
          issuer: settings.issuer,
          audience: settings.audience,
          algorithms: [...(settings.algorithms ?? algorithms)],
          clockTolerance: settings.leewaySeconds,
          currentDate: now,
          requiredClaims: ['exp', 'sub'],
        }));
      } catch (error) {
        throw PragauraError.isInstance(error) ? error : refused(why(error), error);
      }
      return principalOf(payload, settings);
    },
  };
}

function keysIn(file: string): Keys {
  const { keys } = fitting(Jwks, read(file, 'The keys'), file) as { keys: JWK[] };
  const unknown = keys.find(
    ({ kty, crv }) => ALGORITHM_OF[kty!] === undefined || (kty === 'EC' && crv !== 'P-256'),
  );
  if (unknown !== undefined) {
    throw new PragauraError('CONFIGURATION', `${file} holds a key of the type ${unknown.kty}.`, {
      hint: 'Keys are of the types oct (HS256), RSA (RS256), EC on P-256 (ES256) and OKP (EdDSA).',
    });
  }
  const secrets = keys.filter(({ kty }) => kty === 'oct').map((key) => secretOf(key, file));
  const local = createLocalJWKSet({ keys: keys.filter(({ kty }) => kty !== 'oct') });
  return {
    algorithms: [...new Set(keys.map(({ kty }) => ALGORITHM_OF[kty!]!))],
    // A key serves its own algorithm and no other: a public key is never taken for a secret.
    keyFor: async (header: JWTHeaderParameters) => {
      if (header.alg !== 'HS256') return local(header);
      const fitting = secrets.filter(({ kid }) => header.kid === undefined || kid === header.kid);
      if (fitting.length === 1) return fitting[0]!.bytes;
      throw new errors.JWKSNoMatchingKey();
    },
  };
}

/** Keys that the issuer publishes, fetched when a token needs them and looked at again where they hold none for it. */
function issuersKeys({ issuer, keys, algorithms }: z.infer<typeof TokenSettings>, file: string): Keys {
  if (algorithms?.includes('HS256')) {
    const hint = 'Secrets stand in a JWKS file: {"keys": "jwks.json"}.';
    throw new PragauraError('CONFIGURATION', `${file}: no issuer publishes secrets for HS256.`, { hint });
  }
  const start = addressOf(keys ?? issuer, file);
  let set: ReturnType<typeof createRemoteJWKSet> | null = null;
  let failed: { until: number; error: PragauraError } | null = null;
  return {
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    keyFor: async (header, token) => {
      // An issuer that is down is not asked for every token that somebody sends; what is known of its keys holds.
      if (failed !== null && Date.now() < failed.until) {
        const known = set?.fresh === true ? set.jwks() : undefined;
        if (known === undefined) throw failed.error;
        return createLocalJWKSet(known)(header, token);
      }
      try {
        set ??= createRemoteJWKSet(keys === undefined ? await discovered(start, issuer) : start, ISSUER);
        return await set(header, token);
      } catch (error) {
        if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
          throw error;
        failed = { until: Date.now() + ISSUER.timeoutDuration, error: unreachable(start, error) };
        throw failed.error;
      }
    },
  };
}

/** An address that is safe to fetch keys from: nobody between here and there can change them. */
function addressOf(text: string, file: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'https:') return url;
  if (url?.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) return url;
  throw new PragauraError('CONFIGURATION', `${file}: keys cannot be fetched from ${text}.`, {
    hint: 'Say an address with https, or the path of a JWKS file, in "keys".',
  });
}

/** The address of the keys by OpenID Connect Discovery 1.0, section 4. */
async function discovered(issuer: URL, name: string): Promise<URL> {
  const address = `${issuer.href.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(address, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(ISSUER.timeoutDuration),
  });
  if (!response.ok) throw new Error(`${address} answers with the status ${response.status}`);
  const { jwks_uri } = z
    .looseObject({ issuer: z.literal(name), jwks_uri: z.string() })
    .parse(await response.json());
  return addressOf(jwks_uri, address);
}

function unreachable(issuer: URL, cause: unknown): PragauraError {
  return new PragauraError(
    'ISSUER_UNAVAILABLE',
    `Whose tokens are believed cannot be asked for keys: ${issuer.origin}.`,
    {
      hint: 'Nobody is let in by a token until it answers; a JWKS file in "keys" needs no network.',
      cause,
    },
  );
}

function secretOf({ k, kid }: JWK, file: string): { kid: string | undefined; bytes: Uint8Array } {
  const bytes = Buffer.from(k ?? '', 'base64url');
  if (bytes.length >= LEAST_SECRET_BYTES) return { kid, bytes };
  throw new PragauraError('CONFIGURATION', `${file} holds a secret of ${bytes.length} bytes.`, {
    hint: `A secret for HS256 has at least ${LEAST_SECRET_BYTES} bytes (RFC 7518, 3.2).`,
  });
}

function principalOf(
  payload: JWTPayload,
  { rolesClaim, clearanceClaim }: z.infer<typeof TokenSettings>,
): Principal {
  const own = (claim: string) => (Object.hasOwn(payload, claim) ? payload[claim] : undefined);
  const roles = z
    .array(z.string().min(1).max(200))
    .max(100)
    .safeParse(own(rolesClaim) ?? []);
  const clearance = z
    .number()
    .int()
    .min(0)
    .safeParse(own(clearanceClaim) ?? 0);
  const id = z.string().min(1).max(512).safeParse(payload.sub);
  if (!roles.success) throw refused(`its claim ${JSON.stringify(rolesClaim)} is no list of names`);
  if (!clearance.success)
    throw refused(`its claim ${JSON.stringify(clearanceClaim)} is no whole number from 0`);
  if (!id.success) throw refused('its subject is no name');
  return {
    id: id.data,
    roles: [...new Set([PUBLIC_ROLE, ...roles.data])],
    via: 'token',
    clearance: clearance.data,
  };
}

function why(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim "${error.claim}" does not fit`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its algorithm is not accepted';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not hold';
  if (error instanceof errors.JWKSNoMatchingKey) return 'none of the keys is the one that it names';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'it does not say which of the keys signed it';
  return 'it is no signed token';
}

function refused(reason: string, cause?: unknown): PragauraError {
  return new PragauraError('TOKEN_REFUSED', `The token of the principal is refused: ${reason}.`, {
    hint: 'Without a token one is "public". A new token comes from whoever issued this one.',
    cause,
  });
}
