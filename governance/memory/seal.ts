/** Bytes that only who has the key can read, and nobody can change or exchange unseen. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { PragauraError } from '../../common/index.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Nonce, ciphertext and tag; `about` says what it is, so that no file can stand for another. */
export function sealed(key: Uint8Array, plain: Uint8Array, about: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(about));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws MEMORY_UNUSABLE for what was not sealed so. */
export function opened(key: Uint8Array, bytes: Buffer, about: string): Buffer {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES)).setAAD(
      Buffer.from(about),
    );
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (error) {
    throw unusable('a file of it was changed, or belongs to another master key', error);
  }
}

export function unusable(why: string, cause?: unknown): PragauraError {
  return new PragauraError('MEMORY_UNUSABLE', `What is remembered cannot be read: ${why}.`, {
    hint: 'Put a copy that was kept in its place, folder and key together. Nothing was changed.',
    cause,
  });
}
