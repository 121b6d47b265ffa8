/** Writing a log: segments go to the disk whole, one process at a time, or nobody is told that they did. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { failureReason, holderOf, PragauraError, packageVersion, tryFileLock } from '../../common/index.ts';
import type { SigningKey } from '../keys.ts';
import { FIRST_KIND } from './chain.ts';
import {
  type Actor,
  AuditEvent,
  canonicalText,
  ENTRY_SCHEMA,
  type Entry,
  isSealedBy,
  lineHash,
  MAX_LINE_BYTES,
  NO_PREDECESSOR,
  parseEntry,
  type SealEntry,
  sealed,
  wellFormed,
} from './entry.ts';

export interface AuditLogOptions {
  file: string;
  key: SigningKey;
  /** Milliseconds since the epoch; default the machine's clock. */
  clock?: () => number;
  /** How long another process may hold the log before appending fails, in milliseconds. Default 10,000. */
  patienceMs?: number;
}

/** The system itself, for events that nobody asked for. */
export const SYSTEM: Actor = { id: 'pragaura', roles: [], via: 'local' };

/** Events that wait for each other are written together, so many at most. */
const SEGMENT_EVENTS = 256;
/** No seal is longer, nor what stands around an event in its line. */
const SEAL_BYTES = 1024;

interface Tail {
  seal: SealEntry;
  line: string;
  /** Where the seal's line begins and ends in the file, its newline included. */
  start: number;
  end: number;
}

interface Waiting {
  event: AuditEvent;
  resolve: (seq: number) => void;
  reject: (error: PragauraError) => void;
}

/**
 * A log that is written to. Several may be open on one file, also in several processes: each segment is written under a
 * lock, behind what the others wrote.
 */
export class AuditLog {
  readonly file: string;
  readonly #key: SigningKey;
  readonly #clock: () => number;
  readonly #patienceMs: number;
  #tail: Tail | null = null;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;

  private constructor({ file, key, clock = Date.now, patienceMs = 10_000 }: AuditLogOptions) {
    this.file = file;
    this.#key = key;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /**
   * Opens a log, or begins one where there is no file. Only its end is looked at: `verifyLog` reads it whole.
   * Throws AUDIT_UNUSABLE for one that was cut or tampered with at its end, or has another key, and AUDIT_FAILED where it
   * cannot be written.
   */
  static async open(options: AuditLogOptions): Promise<AuditLog> {
    const log = new AuditLog(options);
    await log.#exclusively(async (handle) => {
      log.#tail = await log.#end(handle);
      if (log.#tail === null) await log.#write(handle, [log.#first()]);
    });
    return log;
  }

  /**
   * Writes one event and gives its number once it is on the disk, signed. Throws AUDIT_FAILED where that cannot be done,
   * AUDIT_UNUSABLE where the log is not what it was, INVALID_INPUT for what is no event: then whatever was to be recorded
   * must not happen.
   */
  append(event: AuditEvent): Promise<number> {
    const { success, data } = AuditEvent.safeParse(wellFormed(event));
    if (!success || Buffer.byteLength(canonicalText(data)) > MAX_LINE_BYTES - SEAL_BYTES) {
      const problem = success ? 'is too long' : 'has fields that do not fit';
      const message = `The event ${JSON.stringify(event.kind)} ${problem}.`;
      const hint = 'An event has "kind", "by", "about" and a "detail" of JSON, 4 MiB at most.';
      return Promise.reject(new PragauraError('INVALID_INPUT', message, { hint }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event: data, resolve, reject });
      this.#writing ??= this.#drain();
    });
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #drain(): Promise<void> {
    // What is appended in the same turn of the event loop shares a segment.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const segment = this.#waiting.splice(0, SEGMENT_EVENTS);
      try {
        const first = await this.#exclusively(async (handle) => {
          this.#tail = await this.#end(handle);
          return this.#write(
            handle,
            segment.map(({ event }) => event),
          );
        });
        for (const [i, { resolve }] of segment.entries()) resolve(first + i);
      } catch (error) {
        for (const { reject } of segment) reject(error as PragauraError);
      }
    }
    this.#writing = null;
  }

  /** Throws AUDIT_FAILED for whatever the file system says. */
  async #exclusively<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    try {
      const release = await this.#lock();
      try {
        // A log that is gone is not begun anew in its place.
        const create = this.#tail === null ? constants.O_CREAT : 0;
        const handle = await open(this.file, constants.O_RDWR | create, 0o600);
        try {
          return await work(handle);
        } finally {
          await handle.close();
        }
      } finally {
        release();
      }
    } catch (error) {
      if (PragauraError.isInstance(error)) throw error;
      const why = failureReason(error);
      throw new PragauraError('AUDIT_FAILED', `The audit log ${this.file} cannot be written: ${why}.`, {
        hint: 'Nothing that must be audited is done until it can.',
        cause: error,
      });
    }
  }

  async #lock(): Promise<() => void> {
    const lock = `${this.file}.lock`;
    // By a clock that does not go back.
    const until = performance.now() + this.#patienceMs;
    for (;;) {
      const release = tryFileLock(lock);
      if (release !== null) return release;
      if (performance.now() > until) {
        throw new PragauraError('AUDIT_FAILED', `${holderOf(lock)} holds the audit log ${this.file}.`, {
          hint: 'Nothing that must be audited is done until it is free.',
        });
      }
      await pause(5 + Math.random() * 10);
    }
  }

  /** The seal at the end of the file; null for an empty one. What was seen before must still stand where it stood. */
  async #end(handle: FileHandle): Promise<Tail | null> {
    const { size } = await handle.stat();
    const known = this.#tail;
    if (known !== null) {
      const again = size < known.end ? '' : await textAt(handle, known.start, known.end);
      if (again !== `${known.line}\n`)
        throw this.#unusable('is not what it was: it was changed while it was open');
      if (size === known.end) return known;
    }
    if (size === 0) return null;
    const bytes = await textAt(handle, Math.max(0, size - SEAL_BYTES), size);
    const lines = bytes.split('\n');
    if (lines.pop() !== '') throw this.#unusable('was cut');
    const line = lines.pop()!;
    const seal = parseEntry(Buffer.from(line));
    if (typeof seal === 'string' || seal.type !== 'seal') throw this.#unusable('was cut');
    if (seal.key !== this.#key.fingerprint) throw this.#unusable('has another key');
    if (!isSealedBy(seal, this.#key)) throw this.#unusable('was changed at its end');
    if (known !== null && (seal.log !== known.seal.log || seal.seq <= known.seal.seq)) {
      throw this.#unusable('is not what it was: it was changed while it was open');
    }
    return { seal, line, start: size - Buffer.byteLength(line) - 1, end: size };
  }

  #unusable(why: string): PragauraError {
    return new PragauraError('AUDIT_UNUSABLE', `The audit log ${this.file} ${why}.`, {
      hint: why.startsWith('has')
        ? 'Name its key with --audit-key, or begin another log.'
        : '"pragaura audit verify" says where; what a crash cut is mended by "pragaura audit recover".',
    });
  }

  #first(): AuditEvent {
    const detail = { key: this.#key.der, version: packageVersion() };
    return { kind: FIRST_KIND, by: SYSTEM, about: '', detail };
  }

  /** Writes a segment behind the tail and gives the number of its first event. What fails is taken back. */
  async #write(handle: FileHandle, events: readonly AuditEvent[]): Promise<number> {
    const begin = this.#tail?.end ?? 0;
    const first = (this.#tail?.seal.seq ?? -1) + 1;
    const at = new Date(this.#clock()).toISOString();
    const log = this.#tail?.seal.log ?? randomUUID();
    let previous = this.#tail === null ? NO_PREDECESSOR : lineHash(this.#tail.line);
    const lines: string[] = [];
    const chained = () => ({ schema: ENTRY_SCHEMA, log, seq: first + lines.length, previous, at }) as const;
    const add = (entry: Entry): string => {
      const line = canonicalText(entry);
      previous = lineHash(line);
      lines.push(line);
      return line;
    };
    for (const event of events) add({ ...chained(), type: 'event', event });
    const seal = sealed(
      { ...chained(), type: 'seal', events: events.length, key: this.#key.fingerprint },
      this.#key,
    );
    const line = add(seal);
    const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
    try {
      for (let done = 0; done < bytes.length; ) {
        done += (await handle.write(bytes, done, bytes.length - done, begin + done)).bytesWritten;
      }
      await handle.datasync();
      if (begin === 0) await syncFolder(this.file);
    } catch (error) {
      // Best effort: a part that stays is told as a cut by whoever comes next.
      await handle.truncate(begin).catch(() => {});
      throw error;
    }
    const end = begin + bytes.length;
    this.#tail = { seal, line, start: end - Buffer.byteLength(line) - 1, end };
    return first;
  }
}

async function textAt(handle: FileHandle, start: number, end: number): Promise<string> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
  return buffer.toString('utf8', 0, bytesRead);
}

/** Until its folder is on the disk a new file may be gone after a crash. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(path.dirname(path.resolve(file)), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
