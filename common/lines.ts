/** Lines out of a byte stream and into one. */
import type { Readable, Writable } from 'node:stream';

/** One line of a byte stream: its text, or why it has none. Empty and blank lines are never handed out. */
export interface Line {
  /** From 1, blank lines counted. */
  number: number;
  text: string | null;
  problem?: { message: string; hint: string };
}

const NEWLINE = 0x0a;
/** The consumer is gone: `| head`, a closed socket. Anything else is a failure to write. */
const CLOSED = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Bytes of an unfinished line; doubles as it grows, so that one-byte chunks cost no more than large ones. */
class Carry {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  length = 0;

  append(part: Uint8Array): void {
    const needed = this.length + part.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.length);
    this.length = needed;
  }

  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

/**
 * Splits bytes into lines at "\n" and decodes each line on its own, so that one broken line spoils no other.
 * A byte-order mark at the start of a line and a "\r" at its end are dropped. A line longer than `maxLineBytes` is
 * handed out as a problem as soon as that is known and its rest is skipped without being kept.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #carry = new Carry();
  #number = 1;
  #skipping = false;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  *push(chunk: Uint8Array): Generator<Line> {
    let from = 0;
    while (from < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, newline === -1 ? chunk.length : newline);
      const line = this.#take(part, newline !== -1);
      if (line) yield line;
      if (newline === -1) return;
      this.#number += 1;
      from = newline + 1;
    }
  }

  /** The last line, where the stream ends without a newline. */
  *end(): Generator<Line> {
    if (this.#carry.length === 0) return;
    const line = this.#take(new Uint8Array(0), true);
    if (line) yield line;
  }

  #take(part: Uint8Array, complete: boolean): Line | null {
    if (this.#skipping) {
      this.#skipping = !complete;
      return null;
    }
    if (this.#carry.length + part.length > this.#maxLineBytes) {
      this.#carry.length = 0;
      this.#skipping = !complete;
      return {
        number: this.#number,
        text: null,
        problem: {
          message: `The line is longer than ${this.#maxLineBytes} bytes.`,
          hint: 'Is the input one JSON object a line?',
        },
      };
    }
    if (!complete) {
      this.#carry.append(part);
      return null;
    }
    if (this.#carry.length === 0) return this.#decode(part);
    this.#carry.append(part);
    return this.#decode(this.#carry.take());
  }

  #decode(bytes: Uint8Array): Line | null {
    try {
      const text = this.#decoder.decode(bytes).trim();
      return text === '' ? null : { number: this.#number, text };
    } catch {
      return {
        number: this.#number,
        text: null,
        problem: {
          message: 'The line is not valid UTF-8.',
          hint: 'Convert the input to UTF-8, for example with iconv.',
        },
      };
    }
  }
}

/** The lines of a stream, read no faster than they are taken. Throws what the stream throws. */
export async function* readLines(input: Readable, maxLineBytes: number): AsyncGenerator<Line> {
  const splitter = new LineSplitter(maxLineBytes);
  for await (const chunk of input) {
    yield* splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }
  yield* splitter.end();
}

/** Writes one line after the other, waits while the consumer does, and knows when the consumer has gone. */
export class LineWriter {
  readonly #output: Writable;
  readonly #onGone: () => void;
  #wake: (() => void) | null = null;
  closed = false;
  error: unknown = null;

  constructor(output: Writable, onGone: () => void) {
    this.#output = output;
    this.#onGone = onGone;
    output.on('error', this.#onError);
    output.on('close', this.#onClose);
    output.on('drain', this.#onDrain);
    if (output.destroyed || output.writableEnded) this.#onClose();
  }

  async write(line: string): Promise<boolean> {
    if (this.closed) return false;
    if (!this.#output.write(line)) await this.#woken();
    return !this.closed;
  }

  /** Resolves when everything written has left this process, or the consumer has gone; at once when `abandon`. */
  async flush(abandon = false): Promise<void> {
    if (!this.closed && !abandon) {
      this.#output.write('', () => this.#onDrain());
      await this.#woken();
    }
    this.#output.off('error', this.#onError);
    this.#output.off('close', this.#onClose);
    this.#output.off('drain', this.#onDrain);
  }

  async #woken(): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly #onDrain = () => {
    this.#wake?.();
    this.#wake = null;
  };

  readonly #onClose = () => {
    this.closed = true;
    this.#onDrain();
    this.#onGone();
  };

  readonly #onError = (error: NodeJS.ErrnoException) => {
    if (!CLOSED.has(error.code ?? '')) this.error ??= error;
    this.#onClose();
  };
}
