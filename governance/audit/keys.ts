/** Ed25519 keys of an audit log: the private one signs seals where the log is written, the public one is for everybody. */
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
import { failureReason, isSystemError, messageOf, PragauraError } from '../../common/index.ts';
import { canonicalText, type SealEntry } from './entry.ts';

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

/** The public key in DER, base64; null where it is none for Ed25519. */
export function publicKeyFrom(der: string): PublicKey | null {
  try {
    const key = createPublicKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? publicKeyOf(key) : null;
  } catch {
    return null;
  }
}

function readKey(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `The ${what} ${file} cannot be read: ${failureReason(error)}.`, {
      hint: '"pragaura audit keys --audit FILE" makes a pair.',
      cause: error,
    });
  }
}

function ed25519(file: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    throw new PragauraError('AUDIT_UNUSABLE', `${file} holds no key: ${messageOf(error)}.`, {
      hint: 'A PEM file with an Ed25519 key is wanted.',
      cause: error,
    });
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new PragauraError('AUDIT_UNUSABLE', `${file} holds a key for ${key.asymmetricKeyType}.`, {
    hint: 'A PEM file with an Ed25519 key is wanted.',
  });
}

/** A public key from a PEM file. Throws NOT_FOUND and AUDIT_UNUSABLE. */
export function readPublicKey(file: string): PublicKey {
  const pem = readKey(file, 'public key');
  // Node would take the public half of a private key, which should not lie where a public one is wanted.
  if (pem.includes('PRIVATE')) {
    throw new PragauraError('AUDIT_UNUSABLE', `${file} holds a private key.`, {
      hint: '"pragaura audit keys" prints the public one.',
    });
  }
  return publicKeyOf(ed25519(file, () => createPublicKey(pem)));
}

/** A private key from a PEM file. Throws NOT_FOUND and AUDIT_UNUSABLE. */
export function readSigningKey(file: string): SigningKey {
  const pem = readKey(file, 'private key');
  const secret = ed25519(file, () => createPrivateKey(pem));
  return { secret, ...publicKeyOf(createPublicKey(secret)) };
}

/** The private key of a file, made there, for its owner alone, where there is no file. Throws as `readSigningKey` and AUDIT_FAILED. */
export function ensureSigningKey(file: string): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    writeFileSync(file, pem, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) {
      throw new PragauraError('AUDIT_FAILED', `The key ${file} cannot be written: ${failureReason(error)}.`, {
        hint: 'Name a file in a folder that can be written to with --audit-key.',
        cause: error,
      });
    }
  }
  return readSigningKey(file);
}

type Unsigned = Omit<SealEntry, 'signature'>;

/** The seal with its signature. */
export function signed(seal: Unsigned, key: SigningKey): SealEntry {
  const signature = sign(null, Buffer.from(canonicalText(seal)), key.secret).toString('base64url');
  return { ...seal, signature };
}

/** Whether the seal was signed by this key. One signature has one spelling: base64url would have several. */
export function isSignedBy(seal: SealEntry, { key, fingerprint }: PublicKey): boolean {
  const { signature, ...unsigned } = seal;
  const bytes = Buffer.from(signature, 'base64url');
  if (seal.key !== fingerprint || bytes.toString('base64url') !== signature) return false;
  return verify(null, Buffer.from(canonicalText(unsigned)), key, bytes);
}
