/**
 * The errors that PragAURA throws on purpose. `code` is stable and meant for programs, `message` says what was
 * wrong with which input, `hint` says what mends it, `cause` keeps what lay underneath.
 */

/** Exit codes of the command line (BSD sysexits where one fits). */
export const EXIT = {
  OK: 0,
  /** Everything ran, and what was checked does not hold: a figure not reproduced, an alarm where that was asked for. */
  FAILED: 1,
  USAGE: 2,
  BAD_LINES: 65,
  NO_INPUT: 66,
  UNAVAILABLE: 69,
  INTERNAL: 70,
  NOT_PERMITTED: 77,
  CONFIGURATION: 78,
  INTERRUPTED: 130,
} as const;

/** Every code with the exit code it leads to. */
export const ERROR_CODES = {
  /** A command was called with arguments that do not fit. */
  USAGE: EXIT.USAGE,
  /** A record (query, pair, row) does not fit its schema. */
  INVALID_INPUT: EXIT.BAD_LINES,
  /** A file or folder that was named does not exist or cannot be read. */
  NOT_FOUND: EXIT.NO_INPUT,
  /** There was nothing to index, or nothing to read. */
  EMPTY_INPUT: EXIT.NO_INPUT,
  /** A file could not be parsed as what its name promises. */
  UNREADABLE_DOCUMENT: EXIT.BAD_LINES,
  /** Somebody else changed the same meanwhile. */
  CONFLICT: EXIT.UNAVAILABLE,
  /** The index folder is missing, damaged, foreign or older than this version reads. */
  INDEX_UNUSABLE: EXIT.NO_INPUT,
  /** Another process is writing the same index. */
  INDEX_LOCKED: EXIT.UNAVAILABLE,
  /** A file could not be written: disk full, no permission. */
  WRITE_FAILED: EXIT.UNAVAILABLE,
  /** A weights file is missing, has another hash, other labels, or failed its known pairs. */
  MODEL_UNUSABLE: EXIT.UNAVAILABLE,
  /** The model hub cannot be reached, refuses, or does not have the file. */
  HUB_UNAVAILABLE: EXIT.UNAVAILABLE,
  /** The generator cannot be reached, refuses, breaks off, or takes longer than it may. */
  GENERATOR_UNAVAILABLE: EXIT.UNAVAILABLE,
  /** A server cannot be reached, or is of another version. */
  SERVER_UNAVAILABLE: EXIT.UNAVAILABLE,
  /** An inference thread died or failed on a batch. */
  SCORING_FAILED: EXIT.UNAVAILABLE,
  /** Redis cannot be reached, refuses, or is out of memory. */
  QUEUE_UNAVAILABLE: EXIT.UNAVAILABLE,
  /** The engine that holds an index cannot be reached, fails, or did not look at all of it. */
  BACKEND_UNAVAILABLE: EXIT.UNAVAILABLE,
  /** The engine, or what lies in it, is not fit for an index: too old, without k-NN, something else under its name. */
  BACKEND_UNUSABLE: EXIT.CONFIGURATION,
  /** A vocabulary file that is unreadable, too large, in another encoding than it says, or holds no term. */
  VOCABULARY_UNUSABLE: EXIT.CONFIGURATION,
  /** Redis, or what lies in it, is not fit for a queue: too old, evicting, another version's. */
  QUEUE_UNUSABLE: EXIT.CONFIGURATION,
  /** No worker announced itself on the queue within the time that one was ready to wait. */
  NO_WORKER: EXIT.UNAVAILABLE,
  /** A job that is known to have been submitted is not in Redis any more, and has no result. */
  JOB_LOST: EXIT.UNAVAILABLE,
  /** Workers died of a job too often, or an operator dropped it. */
  JOB_FAILED: EXIT.UNAVAILABLE,
  /** A calibration artifact that is unreadable, of another schema, or was changed after it was written. */
  CALIBRATION_UNUSABLE: EXIT.CONFIGURATION,
  /** A calibration artifact that was made with another index, other models, profiles, policy or budget. */
  CALIBRATION_MISMATCH: EXIT.CONFIGURATION,
  /** A planner file that is unreadable, of another schema, changed since it was written, or made for other features. */
  PLANNER_UNUSABLE: EXIT.CONFIGURATION,
  /** A store of learned defaults that is damaged, empty, something else, or of a later version. */
  DEFAULTS_UNUSABLE: EXIT.NO_INPUT,
  /** Another process held the store of learned defaults for longer than one was ready to wait. */
  DEFAULTS_LOCKED: EXIT.UNAVAILABLE,
  /** What must be audited could not be recorded, and so was not done. */
  AUDIT_FAILED: EXIT.UNAVAILABLE,
  /** An audit log, its key or a checkpoint that is cut, was tampered with, or belongs to something else. */
  AUDIT_UNUSABLE: EXIT.NO_INPUT,
  /** What is remembered of people, or its master key, that is damaged, changed or something else. */
  MEMORY_UNUSABLE: EXIT.NO_INPUT,
  /** What is remembered of a person is being changed by another process. */
  MEMORY_LOCKED: EXIT.UNAVAILABLE,
  /** A token that is expired, forged, or for somebody else. */
  TOKEN_REFUSED: EXIT.NOT_PERMITTED,
  /** The issuer of tokens cannot be asked for the keys that it signs with. */
  ISSUER_UNAVAILABLE: EXIT.UNAVAILABLE,
  /** What the policy does not let this principal do. */
  NOT_PERMITTED: EXIT.NOT_PERMITTED,
  /** A store of tickets, or a file of one, that is damaged, empty, something else, or of a later version. */
  TICKETS_UNUSABLE: EXIT.NO_INPUT,
  /** Another process held the store of tickets for longer than one was ready to wait. */
  TICKETS_LOCKED: EXIT.UNAVAILABLE,
  /** A policy file, or labels of documents, that cannot be read, do not fit, or let everybody in. */
  POLICY_UNUSABLE: EXIT.CONFIGURATION,
  /** A profile, budget or configuration file does not fit its schema. */
  CONFIGURATION: EXIT.CONFIGURATION,
  /** A stage asked the ledger for more than it was granted. A defect, never a user's mistake. */
  BUDGET_OVERSPENT: EXIT.INTERNAL,
  /** More is asked than is taken on now, by this caller or by all. */
  TOO_BUSY: EXIT.UNAVAILABLE,
  /** The caller's deadline passed. */
  DEADLINE_EXCEEDED: EXIT.UNAVAILABLE,
  /** The caller cancelled. */
  ABORTED: EXIT.INTERRUPTED,
  INTERNAL: EXIT.INTERNAL,
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

const BRAND = Symbol.for('pragaura.error');

export class PragauraError extends Error {
  override readonly name = 'PragauraError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** True for an error of this class, also when it comes from a second copy of the package. */
  static isInstance(value: unknown): value is PragauraError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code];
  }

  /** The record that stands in a stream where a decision would have stood. */
  toJSON(): { code: ErrorCode; message: string; hint?: string } {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
    };
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
