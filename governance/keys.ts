/** Ed25519 keys: the private one signs where something is said, the public one is for everybody who wants to check it. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { type ErrorCode, failureReason, isSystemError, messageOf, PragauraError } from '../common/index.ts';

/** What a file of a key is for, as errors name it. */
interface Purpose {
  unusable: ErrorCode;
  unwritable: ErrorCode;
  option: string;
  pair: string;
}

const SEALS: Purpose = {
  unusable: 'AUDIT_UNUSABLE',
  unwritable: 'AUDIT_FAILED',
  option: '--audit-key',
  pair: '"pragaura audit keys --audit FILE" makes a pair and prints the public one.',
};
export const JOBS: Purpose = {
  unusable: 'CONFIGURATION',
  unwritable: 'WRITE_FAILED',
  option: '--queue-key',
  pair: '"pragaura queue key --queue-key FILE" makes a pair and prints the public one.',
};

export interface PublicKey {
  readonly key: KeyObject;
  /** SHA-256 of the key in DER (SubjectPublicKeyInfo), in hexadecimal. */
  readonly fingerprint: string;
  /** Base64 of that DER. */
  readonly der: string;
}

export interface SigningKey extends PublicKey {
  readonly secret: KeyObject;
}

/** The public key of a log's own key file stands in its first event, by which a copy can be read without any other file. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const der = key.export({ type: 'spki', format: 'der' });
  return { key, fingerprint: createHash('sha256').update(der).digest('hex'), der: der.toString('base64') };
}

/** A public key as a PEM file holds it. */
export function pemOf({ key }: PublicKey): string {
  return key.export({ type: 'spki', format: 'pem' }) as string;
}

/** The public key in DER, base64; null where it is none for Ed25519. */
export function publicKeyFrom(der: string): PublicKey | null {
  try {
    const key = createPublicKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? publicKeyOf(key) : null;
  } catch {
    return null;
  }
}

function readKey(file: string, what: string, { pair }: Purpose): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `The ${what} ${file} cannot be read: ${failureReason(error)}.`, {
      hint: pair,
      cause: error,
    });
  }
}

function ed25519(file: string, { unusable }: Purpose, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    throw new PragauraError(unusable, `${file} holds no key: ${messageOf(error)}.`, {
      hint: 'A PEM file with an Ed25519 key is wanted.',
      cause: error,
    });
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new PragauraError(unusable, `${file} holds a key for ${key.asymmetricKeyType}.`, {
    hint: 'A PEM file with an Ed25519 key is wanted.',
  });
}

/** A public key from a PEM file. Throws NOT_FOUND, and AUDIT_UNUSABLE (CONFIGURATION for jobs). */
export function readPublicKey(file: string, purpose: Purpose = SEALS): PublicKey {
  const pem = readKey(file, 'public key', purpose);
  // Node would take the public half of a private key, which should not lie where a public one is wanted.
  if (pem.includes('PRIVATE')) {
    throw new PragauraError(purpose.unusable, `${file} holds a private key.`, { hint: purpose.pair });
  }
  return publicKeyOf(ed25519(file, purpose, () => createPublicKey(pem)));
}

/** A private key from a PEM file. Throws as `readPublicKey`. */
export function readSigningKey(file: string, purpose: Purpose = SEALS): SigningKey {
  const pem = readKey(file, 'private key', purpose);
  const secret = ed25519(file, purpose, () => createPrivateKey(pem));
  return { secret, ...publicKeyOf(createPublicKey(secret)) };
}

/** The private key of a file, made there, for its owner alone, where there is no file. Throws as `readSigningKey`, and AUDIT_FAILED (WRITE_FAILED for jobs). */
export function ensureSigningKey(file: string, purpose: Purpose = SEALS): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    writeFileSync(file, pem, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) {
      throw new PragauraError(
        purpose.unwritable,
        `The key ${file} cannot be written: ${failureReason(error)}.`,
        {
          hint: `Name a file in a folder that can be written to with ${purpose.option}.`,
          cause: error,
        },
      );
    }
  }
  return readSigningKey(file, purpose);
}

/** The signature of a text, in base64url. */
export function signatureOf(text: string, { secret }: SigningKey): string {
  return sign(null, Buffer.from(text), secret).toString('base64url');
}

/** Whether the text was signed by this key. One signature has one spelling: base64url would have several. */
export function isSignature(signature: string, text: string, { key }: PublicKey): boolean {
  const bytes = Buffer.from(signature, 'base64url');
  return bytes.toString('base64url') === signature && verify(null, Buffer.from(text), key, bytes);
}
