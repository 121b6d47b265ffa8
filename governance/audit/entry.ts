/**
 * One line of an audit log: RFC 8785 canonical JSON, chained to the line before it by that line's SHA-256. Lines that
 * were written together are a segment, which ends with a seal: an entry that holds an Ed25519 signature.
 */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { messageOf, PragauraError } from '../../common/index.ts';
import { isSignature, type PublicKey, type SigningKey, signatureOf } from '../keys.ts';

export const ENTRY_SCHEMA = 'pragaura.audit/1';

/** What the first line has in the place of its predecessor's hash. */
export const NO_PREDECESSOR = '0'.repeat(64);

/** Of a line, its newline left out. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const chained = {
  schema: z.literal(ENTRY_SCHEMA),
  /** The log that the line belongs to, so that none of another log can stand in for it. */
  log: z.uuid(),
  /** From 0, without a gap. */
  seq: z.number().int().min(0),
  /** SHA-256 of the line before. */
  previous: hash,
  /** By the clock of the machine that wrote it, which may go back; the order is that of `seq`. */
  at: z.iso.datetime(),
};

/** Who did it. `via`: by a verified token, as the person at this machine, or as nobody in particular. */
export const Actor = z.strictObject({
  id: z.string(),
  roles: z.array(z.string()),
  via: z.enum(['token', 'local', 'none']),
});
export type Actor = z.infer<typeof Actor>;

/** What others record. `about`: id of the decision, ticket or file that it is about; `detail` differs by `kind`. */
export const AuditEvent = z.strictObject({
  kind: z.string().regex(/^[a-z]+(?:[.-][a-z]+)*$/),
  by: Actor,
  about: z.string(),
  detail: z.record(z.string(), z.json()),
});
export type AuditEvent = z.infer<typeof AuditEvent>;

const EventEntry = z.strictObject({ ...chained, type: z.literal('event'), event: AuditEvent });

/** The end of a segment. What it signs is all of it but `signature`; the chain makes that everything before. */
const SealEntry = z.strictObject({
  ...chained,
  type: z.literal('seal'),
  /** Events since the seal before. */
  events: z.number().int().min(1),
  /** Fingerprint of the public key. */
  key: hash,
  /** Base64url. */
  signature: z.string(),
});
export type SealEntry = z.infer<typeof SealEntry>;

export const Entry = z.discriminatedUnion('type', [EventEntry, SealEntry]);
export type Entry = z.infer<typeof Entry>;

/**
 * RFC 8785 text of a value. That of the room `common` is another: it has keys that look like whole numbers in
 * numerical order and lets lone surrogates and NaN pass. Throws INVALID_INPUT for what JSON cannot hold.
 */
export function canonicalText(value: unknown): string {
  try {
    const text = canonicalize(value);
    if (text !== undefined) return text;
  } catch (error) {
    throw new PragauraError('INVALID_INPUT', `The event cannot be written as JSON: ${messageOf(error)}.`, {
      hint: 'Events hold text, finite numbers, true, false, null, lists and objects of these.',
      cause: error,
    });
  }
  throw new PragauraError('INVALID_INPUT', 'There is no event.');
}

/** SHA-256 of a line without its newline, in hexadecimal. */
export function lineHash(line: Uint8Array | string): string {
  return createHash('sha256').update(line).digest('hex');
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The entry of a line, or what is wrong with it, in words: also a line that says the same in other bytes is wrong. */
export function parseEntry(line: Uint8Array): Entry | string {
  let text: string;
  let value: unknown;
  try {
    text = decoder.decode(line);
    value = JSON.parse(text);
  } catch {
    return 'is no JSON';
  }
  const entry = Entry.safeParse(value);
  if (!entry.success) return 'is no entry of an audit log';
  try {
    if (canonicalText(value) !== text) return 'is not in canonical form';
  } catch {
    return 'is not in canonical form';
  }
  return entry.data;
}

/** The same with every lone surrogate replaced, which canonical JSON has no place for and queries may hold. */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('utf8') as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [wellFormed(k), wellFormed(v)])) as T;
}

/** A seal with its signature. */
export function sealed(seal: Omit<SealEntry, 'signature'>, key: SigningKey): SealEntry {
  return { ...seal, signature: signatureOf(canonicalText(seal), key) };
}

/** Whether a seal was signed by this key. */
export function isSealedBy({ signature, ...seal }: SealEntry, key: PublicKey): boolean {
  return seal.key === key.fingerprint && isSignature(signature, canonicalText(seal), key);
}
