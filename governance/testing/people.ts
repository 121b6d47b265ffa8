/** People whose tokens are believed, by a secret of their own. Tests only. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { SignJWT } from 'jose';

export interface People {
  /** As `--principals` takes it. */
  file: string;
  tokenOf(subject: string, roles?: readonly string[]): Promise<string>;
}

/** Writes what says whose tokens are believed into a folder. */
export function people(folder: string): People {
  const secret = randomBytes(32);
  const keys = [{ kty: 'oct', k: secret.toString('base64url') }];
  const settings = { issuer: 'https://login.example', audience: 'pragaura', keys: 'people-keys.json' };
  const file = path.join(folder, 'people.json');
  writeFileSync(path.join(folder, settings.keys), JSON.stringify({ keys }));
  writeFileSync(file, JSON.stringify(settings));
  return {
    file,
    tokenOf: (subject, roles = []) =>
      new SignJWT({ roles: [...roles] })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(settings.issuer)
        .setAudience(settings.audience)
        .setSubject(subject)
        .setExpirationTime('1h')
        .sign(secret),
  };
}
