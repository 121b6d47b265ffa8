/** Streams of records: one JSON object a line in, one JSON object a line (or lines of another kind) out. */
import { fstatSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { ERROR_CODES, type ErrorCode, EXIT, messageOf, PragauraError } from './errors.ts';
import { abortOf } from './interrupts.ts';
import { type Line, LineWriter, readLines } from './lines.ts';
import { plainLine } from './terminal.ts';

export interface RecordsOptions<I, R extends object = object> {
  input: Readable;
  output: Writable;
  /** Told of the first bad lines in words; of all of them where `encode` leaves them no other place. */
  errors?: (message: string) => void;
  /** Turns a parsed line into an item, or throws a PragauraError. `line` counts from 1, blank lines included. */
  parse: (value: unknown, line: number) => I;
  /** `signal` is aborted when nobody reads the output any more. */
  process: (item: I, signal: AbortSignal) => Promise<R>;
  /**
   * The lines of a record, each ended with "\n", or '' for none: for an output that is no NDJSON. It has no place for
   * error records, so that a line that is bad or fails is told to `errors` only. Default: `toLine` and error records.
   */
  encode?: (record: R) => string;
  /** With `encode`: the output is NDJSON all the same, and error records have a place in it. */
  errorRecords?: boolean;
  /** Records that are read and not yet written, at most; at least 1. */
  window: number;
  /** False: records are written as they finish. Default true: in the order of the input. */
  ordered?: boolean;
  /**
   * Aborted: nothing more is read, what is in flight is finished and written. Where it comes from `installSignals`,
   * the second SIGINT ends the stream at once: what is in flight is aborted, not awaited, and not written.
   */
  signal?: AbortSignal;
  /** Default 8 MiB. */
  maxLineBytes?: number;
}

export interface RecordsSummary {
  /** Lines that were not blank. */
  read: number;
  /** Records written, error records included. */
  written: number;
  /** Lines that were bad or failed. */
  failed: number;
  /** `signal` ended the reading. */
  interrupted: boolean;
  /** The reader of the output went away, which is no error. */
  outputClosed: boolean;
  /** What the command should exit with: 0, 65 (bad lines), 69, 70 or 78 (lines that failed here) or 130. */
  exitCode: number;
}

const DEFAULT_MAX_LINE_BYTES = 8 * 1024 * 1024;
const BAD_LINES_TOLD = 5;
const MAX_ID_CHARS = 512;
// JSON leaves these as they are; escaped, a record can neither move a terminal's cursor nor look like two lines.
const UNSAFE_IN_JSON =
  /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A record as one line of JSON that is safe to show on a terminal; parsed, it is the same record. */
export function toLine(record: object): string {
  const json = JSON.stringify(record).replace(UNSAFE_IN_JSON, (char) => char.split('').map(escaped).join(''));
  return `${json}\n`;
}

/** The id of a record that may be anything: a string, or a number as a string; null where there is none. */
export function idOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'id')) return null;
  const { id } = value as { id: unknown };
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARS ? id : null;
}

interface Failure {
  record: object;
  code: ErrorCode;
  message: string;
  hint: string | undefined;
}

function failure(error: unknown, id: string | null, line: number): Failure {
  const known = PragauraError.isInstance(error)
    ? error
    : new PragauraError('INTERNAL', messageOf(error), { cause: error });
  return {
    record: { schema: 'pragaura.error/1', id, line, error: known.toJSON() },
    code: known.code,
    message: known.message,
    hint: known.hint,
  };
}

function parseLine(line: Line): unknown {
  if (line.text === null) {
    const { message, hint } = line.problem!;
    throw new PragauraError('INVALID_INPUT', message, { hint });
  }
  try {
    return JSON.parse(line.text);
  } catch (error) {
    throw new PragauraError('INVALID_INPUT', `The line is not JSON: ${messageOf(error)}`, {
      hint: 'Each line is one whole JSON object; "jq -c ." makes such lines of other JSON.',
      cause: error,
    });
  }
}

/** Failures of this side keep their exit codes in a stream; any other failure is one of the line. */
const OWN_FAILURES: readonly number[] = [EXIT.UNAVAILABLE, EXIT.INTERNAL, EXIT.CONFIGURATION];

/** The worse of two exit codes of failed lines: configuration, a defect, an unavailable model, a bad line. */
function worseExit(soFar: number, code: ErrorCode): number {
  const exitCode = ERROR_CODES[code];
  return Math.max(soFar, OWN_FAILURES.includes(exitCode) ? exitCode : EXIT.BAD_LINES);
}

/**
 * Runs every line of `input` through `process` and writes one line for it to `output`. A line that is bad or fails
 * gets a `pragaura.error/1` record in its place (see `encode`) and the rest is done. At most `window` records are held at any
 * time, so a consumer that stops reading stops the reading of the input.
 * Throws NOT_FOUND when the input cannot be read, WRITE_FAILED when the output cannot be written (not when its
 * reader left), USAGE for an impossible window; what was in flight has been written by then.
 */
export async function runRecords<I, R extends object = object>(
  options: RecordsOptions<I, R>,
): Promise<RecordsSummary> {
  const { input, output, window, ordered = true, signal, encode, errors = () => {} } = options;
  const wordsOnly = encode !== undefined && options.errorRecords !== true;
  if (!Number.isInteger(window) || window < 1) {
    throw new PragauraError('USAGE', `The window is ${window}.`, {
      hint: 'It is the number of records in flight: a whole number of at least 1, for example 16.',
    });
  }
  // Node reads a folder as an input that ends at once.
  if (input === process.stdin && fstatSync(0).isDirectory()) {
    throw new PragauraError('NOT_FOUND', 'The input cannot be read: standard input is a folder.', {
      hint: 'Redirect a file with one JSON object a line, for example < queries.ndjson.',
    });
  }
  const gone = new AbortController();
  const writer = new LineWriter(output, () => gone.abort());
  // A signal for each record: listeners on one that lives as long as the stream would pile up.
  const running = new Set<AbortController>();
  const lines = readLines(input, options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES);
  const summary = { read: 0, written: 0, failed: 0 };
  let exitCode: number = EXIT.OK;
  let inFlight = 0;
  let ended = false;
  let readError: unknown = null;
  // Only the loop below ever waits; whatever may let it go on calls `wake`.
  let wake = () => {};
  const abort = signal && abortOf(signal);
  const onAbort = () => gone.abort();
  const onStop = () => {
    if (gone.signal.aborted) for (const own of running) own.abort();
    wake();
  };
  const stopped = () => gone.signal.aborted || signal?.aborted === true;
  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  const nextLine = () =>
    new Promise<Line | null>((resolve, reject) => {
      wake = () => {
        if (stopped()) resolve(null);
      };
      lines.next().then((next) => {
        ended = next.done === true;
        resolve(next.done ? null : next.value);
      }, reject);
    });

  const decide = async (line: Line): Promise<{ text: string; failed: Failure | null; number: number }> => {
    let id: string | null = null;
    const own = new AbortController();
    running.add(own);
    try {
      const value = parseLine(line);
      id = idOf(value);
      const record = await options.process(options.parse(value, line.number), own.signal);
      return { text: (encode ?? toLine)(record), failed: null, number: line.number };
    } catch (error) {
      const failed = failure(error, id, line.number);
      return { text: wordsOnly ? '' : toLine(failed.record), failed, number: line.number };
    } finally {
      running.delete(own);
    }
  };

  const tell = (number: number, { message, hint }: Failure) => {
    if (wordsOnly)
      errors(`line ${number}: ${plainLine(hint === undefined ? message : `${message} ${hint}`)}`);
    else if (summary.failed <= BAD_LINES_TOLD) errors(`line ${number}: ${plainLine(message)}`);
    if (!wordsOnly && summary.failed === BAD_LINES_TOLD)
      errors('Further bad lines are told in the output only.');
  };

  const write = async (decided: ReturnType<typeof decide>) => {
    const { text, failed, number } = await decided;
    if (!abort?.aborted && (text === '' ? !writer.closed : await writer.write(text))) {
      if (failed === null || !wordsOnly) summary.written += 1;
      if (failed !== null) {
        summary.failed += 1;
        exitCode = worseExit(exitCode, failed.code);
        tell(number, failed);
      }
    }
    inFlight -= 1;
    wake();
  };

  gone.signal.addEventListener('abort', onStop);
  signal?.addEventListener('abort', onStop);
  abort?.addEventListener('abort', onAbort);
  let written: Promise<void> = Promise.resolve();
  try {
    while (!stopped() && !ended) {
      if (inFlight >= window) {
        await woken();
        continue;
      }
      const line = await nextLine();
      if (line === null) continue;
      summary.read += 1;
      inFlight += 1;
      const decided = decide(line);
      const begin = () => {
        written = written.then(() => write(decided));
      };
      if (ordered) begin();
      else void decided.then(begin);
    }
  } catch (error) {
    if (!stopped()) readError = error;
  }
  if (!ended) input.destroy();
  while (inFlight > 0 && !abort?.aborted) await woken();
  await writer.flush(abort?.aborted === true);
  gone.signal.removeEventListener('abort', onStop);
  signal?.removeEventListener('abort', onStop);
  abort?.removeEventListener('abort', onAbort);

  if (writer.error !== null) {
    throw new PragauraError('WRITE_FAILED', `The output cannot be written: ${messageOf(writer.error)}`, {
      hint: 'Is the disk full?',
      cause: writer.error,
    });
  }
  if (readError !== null) {
    throw new PragauraError('NOT_FOUND', `The input cannot be read: ${messageOf(readError)}`, {
      hint: 'Check the file or the program that writes it; what was read until then has been done.',
      cause: readError,
    });
  }
  const interrupted = abort?.aborted === true || (!ended && !writer.closed && signal?.aborted === true);
  if (writer.closed) exitCode = EXIT.OK;
  if (interrupted) exitCode = EXIT.INTERRUPTED;
  return { ...summary, interrupted, outputClosed: writer.closed, exitCode };
}
